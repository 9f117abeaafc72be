// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const ROUTES = "packages/server/src/primitives/people/operations.ts";
const READABLE = "packages/server/src/primitives/people/store.ts";
const STORE = "packages/server/src/primitives/people/store.ts";
const CONFORMANCE = "packages/server/test/conformance/people.test.ts";
const SDK = "packages/sdk/src/people.ts";
const SDK_TEST = "packages/sdk/test/people.test.ts";
const STORE_TEST = "packages/server/test/primitives/people/people-store.test.ts";

/** Deliberate mistakes in the code that finds the names of people. */
export const people: Fault[] = [
  fault(
    "people: named by records and files that only their authors read",
    READABLE,
    "(read?.any ? name : [])",
    "(read?.own ? name : [])",
    CONFORMANCE,
  ),
  fault(
    "people: what is the caller's own names nobody",
    READABLE,
    "(read?.own && !read.any ? name : [])",
    "(read?.own && read.any ? name : [])",
    CONFORMANCE,
  ),
  fault(
    "people: viewers get the names of all who have submitted",
    READABLE,
    'any: hasKv && hasPermission(caller, "canManageSubmissions")',
    "any: hasKv",
    CONFORMANCE,
  ),
  fault(
    "people: named by records while KV is off",
    READABLE,
    'const hasKv = on.has("kv");',
    "const hasKv = true;",
    CONFORMANCE,
  ),
  fault(
    "people: named by attachments while KV is off",
    READABLE,
    "hasKv || !needsKv(scope)",
    "true",
    CONFORMANCE,
  ),
  fault(
    "people: named by files while files are off",
    READABLE,
    'on.has("files") ? scopesOf',
    "true ? scopesOf",
    CONFORMANCE,
  ),
  fault(
    "people: named by records and files of any canvas",
    STORE,
    "canvas_id = ? and ${condition}",
    "(canvas_id = ? or true) and ${condition}",
    CONFORMANCE,
  ),
  fault(
    "people: named by submissions of any canvas",
    STORE,
    "from submissions where canvas_id = ? and",
    "from submissions where (canvas_id = ? or true) and",
    CONFORMANCE,
  ),
  fault(
    "people: named by records that only they read",
    STORE,
    "`or (people.key = ? and ",
    "`or ((people.key = ? or true) and ",
    CONFORMANCE,
  ),
  fault(
    "people: named by attachments of records that the caller does not read",
    STORE,
    "and owner_id = ? and",
    "and (owner_id = ? or true) and",
    CONFORMANCE,
  ),
  fault(
    "people: an attachment names the author of the record",
    STORE,
    "uploaded_by = people.key",
    "owner_id = people.key",
    CONFORMANCE,
  ),
  fault("people: named by attachments of removed records", STORE, "`not (${HIDDEN})`", '"true"', STORE_TEST),
  fault(
    "people: one's own submission does not name one",
    STORE,
    "submissions.own ? caller : null",
    "null",
    CONFORMANCE,
  ),
  fault("people: no names of guests", STORE, "substr(people.key, 7)", "people.key", CONFORMANCE, STORE_TEST),
  fault("people: any text is an id", ROUTES, " || !given.every(isId)", "", CONFORMANCE),
  fault(
    "people: more than 100 ids in a request",
    ROUTES,
    "given.length > LIMITS.peoplePerRequest.value",
    "given.length > 1_000",
    CONFORMANCE,
  ),
  fault("people: a person comes as often as their id", ROUTES, "[...new Set(given)]", "given", CONFORMANCE),
  fault("sdk: people are never asked for again", SDK, "Date.now() < known.until", "true", SDK_TEST),
  fault("sdk: people who are not found are kept", SDK, "found ?? forget()", "found", SDK_TEST),
  fault(
    "sdk: a failed request for people is kept",
    SDK,
    "forget(), forget)",
    "forget(), () => {})",
    SDK_TEST,
  ),
  fault(
    "sdk: more than 100 people in a request",
    SDK,
    "ids.length === MOST_IDS",
    "ids.length === 1_000",
    SDK_TEST,
  ),
  fault("sdk: people are requested one by one", SDK, "if (!open || ", "if (true || ", SDK_TEST),
  fault("sdk: a text is a list of people", SDK, 'typeof ids === "string" || ', "", SDK_TEST),
];
