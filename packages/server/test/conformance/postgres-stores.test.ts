import { counts } from "@easel/conformance/collections/counts";
import { increments } from "@easel/conformance/collections/increments";
import { pages } from "@easel/conformance/collections/pages";
import { routes } from "@easel/conformance/collections/routes";
import { values } from "@easel/conformance/collections/values";
import { attachments } from "@easel/conformance/files/attachments";
import { lists as fileLists } from "@easel/conformance/files/lists";
import { quotas } from "@easel/conformance/files/quotas";
import { routes as fileRoutes } from "@easel/conformance/files/routes";
import { corpora } from "@easel/conformance/kv/corpora";
import { userCounts } from "@easel/conformance/kv/counts";
import { increments as kvIncrements } from "@easel/conformance/kv/increments";
import { keys } from "@easel/conformance/kv/keys";
import { lists } from "@easel/conformance/kv/lists";
import { SCOPES } from "@easel/conformance/kv/scope";
import { values as kvValues } from "@easel/conformance/kv/values";
import { pages as submissionPages } from "@easel/conformance/submissions/pages";
import { routes as submissionRoutes } from "@easel/conformance/submissions/routes";
import type { Target } from "@easel/conformance/target";
import { conforms } from "./conformance.ts";

/*
 * Runs the suites whose outcome SQL decides. Suites about names, roles and policies are left out, because these are checked before any
 * statement. Of the two scopes of the key-value store, which use the same statements, only the shared one is tested.
 */
const shared = SCOPES.filter(({ scope }) => scope === "shared");
const kv = [keys, kvValues, lists, kvIncrements].map((suite) => (target: Target) => suite(target, shared));

await conforms({
  engine: "postgres",
  urlMode: "path",
  authMode: "dev",
  suites: [
    ...kv,
    ...[userCounts, corpora],
    ...[fileRoutes, fileLists, attachments, quotas],
    ...[submissionRoutes, submissionPages],
    ...[routes, counts, increments, pages, values],
  ],
});
