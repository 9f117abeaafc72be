import { corpora } from "@easel/conformance/kv/corpora";
import { userCounts } from "@easel/conformance/kv/counts";
import { increments } from "@easel/conformance/kv/increments";
import { keys } from "@easel/conformance/kv/keys";
import { lists } from "@easel/conformance/kv/lists";
import { SCOPES } from "@easel/conformance/kv/scope";
import { values } from "@easel/conformance/kv/values";
import type { Target } from "@easel/conformance/target";
import { onPostgres } from "./conformance.ts";

/* Of the two scopes, which use the same statements, only the shared one is tested. */
const shared = SCOPES.filter(({ scope }) => scope === "shared");
const scoped = [keys, values, lists, increments].map((suite) => (target: Target) => suite(target, shared));

await onPostgres("kv", ...scoped, userCounts, corpora);
