// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const COUNTED = "packages/server/src/async/page-views.ts";
const STORE = "packages/server/src/organisation/view-counts.ts";
const RULE = "packages/server/src/content/page-view.ts";
const LISTS = "packages/server/src/canvases/lists.ts";
const SERVICE = "packages/server/src/service.ts";

const UNITS = "packages/server/src/async/page-views.test.ts";
const RULES = "packages/server/src/content/page-view.test.ts";
const STORED = "packages/server/test/organisation/view-counts.test.ts";

/** Faults of the counts of views. */
export const pageViews: Fault[] = [
  fault(
    "views: the id of the person is stored",
    STORE,
    'signer.sign("viewer", canvasId, person).slice(0, 22)',
    "person",
    STORED,
  ),
  fault(
    "views: a person can be followed from canvas to canvas",
    STORE,
    'sign("viewer", canvasId, person)',
    'sign("viewer", person)',
    STORED,
  ),
  fault(
    "views: the setting does not turn them off",
    "packages/server/src/new-env.ts",
    "new PageViews(config.pageViews)",
    "new PageViews(true)",
    STORED,
  ),
  fault("views: turned off, old counts are shown", STORE, "if (!config.pageViews) return null;", "", STORED),
  fault(
    "views: turned off, lists show the last use",
    LISTS,
    "config.pageViews && manages(role)",
    "manages(role)",
    STORED,
  ),
  fault(
    "views: viewers see when others opened a canvas",
    LISTS,
    "config.pageViews && manages(role)",
    "config.pageViews",
    STORED,
  ),
  fault(
    "views: pseudonyms are kept for good",
    STORE,
    "removeViewers(dayOf(until), db.withReserve)",
    "Promise.resolve()",
    STORED,
  ),
  fault(
    "views: a purge leaves them",
    "packages/server/src/stored-data.ts",
    "  pageViewData,\n",
    "",
    "packages/server/test/canvases/purge.test.ts",
  ),
  fault("views: the last ones are lost at shutdown", SERVICE, "        stopPageViews(),\n", "", STORED),
  fault(
    "views: the last use is not stored, and nodes that write at once are not kept apart",
    STORE,
    "sql`update canvases set last_used_at = greatest(last_used_at, ${lastAt}) where id = ${canvasId}`",
    "optional`select 1`",
    STORED,
  ),
  fault("views: after an outage they are added twice", STORE, "waiting.views = 0;", "", STORED),
  fault(
    "views: an outage loses them",
    COUNTED,
    "for (const each of waiting) this.#putBack(each);",
    "",
    UNITS,
    STORED,
  ),
  fault(
    "views: many canvases fill the memory",
    COUNTED,
    "if (this.#waiting.size >= CANVASES_WAITING) return null;",
    "",
    UNITS,
  ),
  fault("views: many people fill the memory", COUNTED, "this.#people >= PEOPLE_WAITING || ", "", UNITS),
  fault(
    "views: previews count",
    "packages/server/src/content/serve.ts",
    "preview === null && reply.statusCode !== 404 ?",
    "reply.statusCode !== 404 ?",
    STORED,
  ),
  fault(
    "views: error pages count",
    "packages/server/src/content/serve.ts",
    "preview === null && reply.statusCode !== 404 ?",
    "preview === null ?",
    STORED,
  ),
  fault(
    "views: pages that are loaded in advance count",
    RULE,
    'isInAdvance(headers["sec-purpose"]) || ',
    "",
    RULES,
    STORED,
  ),
  fault(
    "views: frames of a page's own count",
    RULE,
    'destination === "frame" ? initiatorOf(headers) !== "same" : ',
    "",
    RULES,
  ),
  fault(
    "views: a view makes nodes forget the canvas",
    "packages/server/migrations/postgres/0056_use_is_no_access.sql",
    "to_jsonb(new) - '{updated_at,last_used_at}'::text[]",
    "to_jsonb(new) - '{updated_at}'::text[]",
    STORED,
  ),
  fault(
    "views: a cursor of the sort by change is accepted",
    "packages/server/src/canvases/list-order.ts",
    'byTime("last_used_at", "v")',
    'byTime("last_used_at", "u")',
    STORED,
  ),
];
