import { after, describe } from "node:test";
import { pages } from "@easel/conformance/collections/pages";
import { policies } from "@easel/conformance/collections/policies";
import { routes as collections } from "@easel/conformance/collections/routes";
import { switches } from "@easel/conformance/collections/switches";
import { content } from "@easel/conformance/files/content";
import { refusals } from "@easel/conformance/files/refusals";
import { routes as files } from "@easel/conformance/files/routes";
import { switches as fileSwitches } from "@easel/conformance/files/switches";
import { uploads } from "@easel/conformance/files/uploads";
import { watches } from "@easel/conformance/files/watches";
import { bodies } from "@easel/conformance/kv/bodies";
import { keys } from "@easel/conformance/kv/keys";
import { lists } from "@easel/conformance/kv/lists";
import { roles } from "@easel/conformance/kv/roles";
import { routes as kv } from "@easel/conformance/kv/routes";
import { live } from "@easel/conformance/realtime/live";
import { publish } from "@easel/conformance/realtime/publish";
import { rights } from "@easel/conformance/realtime/rights";
import { routes as submissions } from "@easel/conformance/submissions/routes";
import { switches as submissionSwitches } from "@easel/conformance/submissions/switches";
import { startDev } from "../support/engines.ts";

/*
 * The runtime API at its second path, below the management API. Both paths have the same handlers, so only the suites run in which the path
 * counts: its routes, names in it, its query, bodies that are not JSON, the check of access, and upgrades. The origins of pages and CORS, which
 * differ there, are tested in `test/pipeline/second-path.test.ts`.
 */
const { target } = await startDev({ after }, { SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000" });
const second = { ...target, ids: new Map<string, string>() };

const SUITES = {
  kv: [kv, roles, keys, bodies, lists],
  submissions: [submissions, submissionSwitches],
  collections: [collections, policies, pages, switches],
  files: [files, uploads, refusals, content, watches, fileSwitches],
  realtime: [publish, rights, live],
};

for (const [name, suites] of Object.entries(SUITES))
  describe(`${name} below the management API`, () => {
    for (const suite of suites) suite(second);
  });
