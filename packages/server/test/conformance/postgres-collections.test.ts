import { counts } from "@easel/conformance/collections/counts";
import { increments } from "@easel/conformance/collections/increments";
import { pages } from "@easel/conformance/collections/pages";
import { routes } from "@easel/conformance/collections/routes";
import { values } from "@easel/conformance/collections/values";
import { onPostgres } from "./conformance.ts";

await onPostgres("collections", routes, counts, increments, pages, values);
