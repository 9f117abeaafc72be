import { conditional } from "@easel/conformance/collections/conditional";
import { counts } from "@easel/conformance/collections/counts";
import { routes } from "@easel/conformance/collections/routes";
import { values } from "@easel/conformance/collections/values";
import { onPostgres } from "./conformance.ts";

/* Lists, queries, increments and quotas are tested on the store itself (`test/primitives/collections`), on both engines. */
await onPostgres("collections", routes, counts, values, conditional);
