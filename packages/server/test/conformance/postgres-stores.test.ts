import { submissions } from "@easel/conformance/4.9-submissions";
import { counts } from "@easel/conformance/collections/counts";
import { increments } from "@easel/conformance/collections/increments";
import { names } from "@easel/conformance/collections/names";
import { pages } from "@easel/conformance/collections/pages";
import { policies } from "@easel/conformance/collections/policies";
import { routes } from "@easel/conformance/collections/routes";
import { values } from "@easel/conformance/collections/values";
import { corpora } from "@easel/conformance/kv/corpora";
import { userCounts } from "@easel/conformance/kv/counts";
import { increments as kvIncrements } from "@easel/conformance/kv/increments";
import { keys } from "@easel/conformance/kv/keys";
import { lists } from "@easel/conformance/kv/lists";
import { roles } from "@easel/conformance/kv/roles";
import { values as kvValues } from "@easel/conformance/kv/values";
import { conforms } from "./conformance.ts";

/*
 * What the statements of the stores decide. Who may do what with records is decided before them, and the 10,000 keys of the shared
 * scope are counted by the statement that counts the 1,000 of a user's.
 */
const kv = [roles, keys, kvValues, lists, kvIncrements, userCounts, corpora];
const collections = [routes, policies, counts, increments, names, pages, values];

await conforms({
  engine: "postgres",
  urlMode: "path",
  authMode: "dev",
  suites: [...kv, submissions, ...collections],
});
