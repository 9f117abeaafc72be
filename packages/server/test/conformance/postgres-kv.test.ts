import { SCOPES } from "@easel/conformance/kv/scope";
import { values } from "@easel/conformance/kv/values";
import { onPostgres } from "./conformance.ts";

/*
 * Keys, lists, increments and limits are tested on the store itself (`test/primitives/kv`), on both engines. Of the two scopes, which use the
 * same statements, only the shared one is tested.
 */
const shared = SCOPES.filter(({ scope }) => scope === "shared");

await onPostgres("kv", (target) => values(target, shared));
