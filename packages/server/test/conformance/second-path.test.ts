import { after, describe } from "node:test";
import { submissions } from "@easel/conformance/4.9-submissions";
import { conditional } from "@easel/conformance/collections/conditional";
import { counts } from "@easel/conformance/collections/counts";
import { increments } from "@easel/conformance/collections/increments";
import { pages } from "@easel/conformance/collections/pages";
import { phases } from "@easel/conformance/collections/phases";
import { policies } from "@easel/conformance/collections/policies";
import { routes as collections } from "@easel/conformance/collections/routes";
import { switches } from "@easel/conformance/collections/switches";
import { unique } from "@easel/conformance/collections/unique";
import { values } from "@easel/conformance/collections/values";
import { attachments } from "@easel/conformance/files/attachments";
import { content } from "@easel/conformance/files/content";
import { groups } from "@easel/conformance/files/groups";
import { lists as fileLists } from "@easel/conformance/files/lists";
import { refusals } from "@easel/conformance/files/refusals";
import { renames } from "@easel/conformance/files/renames";
import { routes as files } from "@easel/conformance/files/routes";
import { switches as fileSwitches } from "@easel/conformance/files/switches";
import { uploads } from "@easel/conformance/files/uploads";
import { watches } from "@easel/conformance/files/watches";
import { bodies } from "@easel/conformance/kv/bodies";
import { increments as kvIncrements } from "@easel/conformance/kv/increments";
import { keys } from "@easel/conformance/kv/keys";
import { lists } from "@easel/conformance/kv/lists";
import { roles } from "@easel/conformance/kv/roles";
import { routes as kv } from "@easel/conformance/kv/routes";
import { values as kvValues } from "@easel/conformance/kv/values";
import { channels } from "@easel/conformance/realtime/channels";
import { live } from "@easel/conformance/realtime/live";
import { people } from "@easel/conformance/realtime/people";
import { publish } from "@easel/conformance/realtime/publish";
import { rights } from "@easel/conformance/realtime/rights";
import { startDev } from "../support/engines.ts";

/*
 * The runtime API at its second path, below the management API. Left out are the rows about what differs there, the origins of pages and
 * CORS, which `test/pipeline/second-path.test.ts` tests, and those about what a path cannot change: quotas, the matrix of policies, timing.
 */
const { target } = await startDev({ after }, { SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000" });
const second = { ...target, ids: new Map<string, string>() };

const SUITES = {
  kv: [kv, roles, keys, kvValues, bodies, lists, kvIncrements],
  submissions: [submissions],
  collections: [
    collections,
    policies,
    phases,
    counts,
    increments,
    pages,
    values,
    unique,
    conditional,
    switches,
  ],
  files: [
    ...[files, uploads, refusals, fileLists, renames, attachments, groups, content, watches, fileSwitches],
  ],
  realtime: [people, publish, channels, rights, live],
};

for (const [name, suites] of Object.entries(SUITES))
  describe(`${name} below the management API`, () => {
    for (const suite of suites) suite(second);
  });
