import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { deactivate, disable, mayPublish, setPublicLinks } from "@easel/conformance/admin";
import { amend, manage, type Stage, share, stage, turn } from "@easel/conformance/fixture";
import { guestOf, revoke } from "@easel/conformance/guest";
import { open } from "@easel/conformance/page";
import type { Person, Target } from "@easel/conformance/target";
import { makeTeam, regroup } from "@easel/conformance/team";
import { tokenOf } from "@easel/conformance/token";
import { skipTwoNodes, startTwoNodes, type TestNode } from "../support/nodes-on-postgres.ts";
import { publish, visit } from "../support/publish.ts";
import { fileScope } from "../support/service.ts";

/** Calls of the runtime API, and the page. */
const CALLS = ["get", "list", "own", "me", "page"] as const;
type Call = (typeof CALLS)[number];

/** Ends somebody's access to a canvas. */
interface Ending {
  title: string;
  /** The calls that end, by default all of them. */
  calls?: readonly Call[];
  /** Returns the person whose access ends, null for an anonymous visitor, and the function that ends it. */
  prepare(target: Target, canvas: Stage): Promise<{ who: Person | null; end(): Promise<unknown> }>;
}

type End = (target: Target, canvas: Stage) => Promise<unknown>;

const viewer = ({ people }: Stage) => people.viewer;

const ofViewer = (title: string, end: End, calls?: readonly Call[]): Ending => ({
  title,
  ...(calls && { calls }),
  prepare: async (target, canvas) => ({ who: viewer(canvas), end: () => end(target, canvas) }),
});

const ofVisitor = (title: string, end: End): Ending => ({
  title,
  calls: ["page"],
  async prepare(target, canvas) {
    await amend(target, canvas, { access: "public_link" });
    return { who: null, end: () => end(target, canvas) };
  },
});

/** Sends a request to the service, which must succeed. */
async function send(target: Target, who: Person, method: string, path: string, body?: object): Promise<void> {
  const { status, text } = await manage(target, who, method, path, body);
  assert.ok(status < 400, `${method} ${path}: ${status} ${text}`);
}

const ENDINGS: Ending[] = [
  ofViewer("the session ends", (target, canvas) => send(target, viewer(canvas), "POST", "/auth/logout")),
  {
    title: "the access token is revoked",
    calls: ["get", "list", "own", "me"],
    async prepare(target, canvas) {
      const token = await tokenOf(target, viewer(canvas));
      return { who: token, end: () => send(target, viewer(canvas), "DELETE", `/api/tokens/${token.id}`) };
    },
  },
  ofViewer("the person is deactivated", (target, canvas) => deactivate(target, viewer(canvas))),
  ofViewer("the canvas is disabled", disable),
  ofViewer("the canvas is archived", (target, { id, people }) =>
    send(target, people.owner, "PATCH", `/api/canvases/${id}`, { archived: true }),
  ),
  ofViewer("the canvas is deleted", (target, { id, people }) =>
    send(target, people.owner, "DELETE", `/api/canvases/${id}`),
  ),
  ofViewer("the person is taken off the list", (target, canvas) => share(target, canvas, "private", {})),
  ofViewer("a password is set", (target, canvas) => amend(target, canvas, { password: "open sesame" })),
  ofViewer("the capability is turned off", (target, canvas) => turn(target, canvas, { kv: false }), [
    "get",
    "list",
    "own",
  ]),
  {
    title: "the rung is changed",
    async prepare(target, canvas) {
      await amend(target, canvas, { access: "whole_org" });
      return { who: canvas.people.stranger, end: () => amend(target, canvas, { access: "private" }) };
    },
  },
  {
    title: "the person leaves the team",
    async prepare(target, canvas) {
      const { owner, stranger } = canvas.people;
      const team = await makeTeam(target, owner, [stranger]);
      await amend(target, canvas, { teams: [{ id: team.id, role: "viewer" }] });
      return { who: stranger, end: () => regroup(target, team, []) };
    },
  },
  {
    title: "the invitation of the guest is revoked",
    async prepare(target, canvas) {
      const guest = await guestOf(target, canvas);
      return { who: guest, end: () => revoke(target, canvas, guest) };
    },
  },
  ofVisitor("the Public link ends", (target, canvas) => amend(target, canvas, { access: "private" })),
  ofVisitor("the owner may no longer use Public links", (target, { people }) =>
    mayPublish(target, people.owner, false),
  ),
  // The last one, because it ends the Public links of all canvases.
  ofVisitor("Public links are turned off", (target) => setPublicLinks(target, false)),
];

describe("access that ends on one node ends on the other with the next request", {
  skip: skipTwoNodes,
}, () => {
  const scope = fileScope();
  let nodes: [TestNode, TestNode];
  before(async () => {
    nodes = await startTwoNodes(scope);
  });

  for (const { title, calls = CALLS, prepare } of ENDINGS) {
    it(title, async () => {
      const [here, there] = nodes.map(({ target }) => target) as [Target, Target];
      const canvas = await stage(here);
      await publish(here, canvas, { "index.html": "<p>Hello" });
      assert.equal((await open(here, canvas.slug, canvas.people.owner).put("/kv/note", 1)).status, 200);
      const { who, end } = await prepare(here, canvas);
      const page = open(there, canvas.slug, who);
      const call = async (name: Call): Promise<number> => {
        const answer = {
          get: () => page.get("/kv/note"),
          list: () => page.get("/kv"),
          own: () => page.put("/kv/user/note", 2),
          me: () => page.get("/me"),
          page: () => visit(there, canvas.slug, who),
        }[name]();
        return (await answer).status;
      };
      const passed = calls.map(() => 200);
      // Twice, so that the second round is admitted by rows from memory.
      assert.deepEqual(await Promise.all(calls.map(call)), passed);
      assert.deepEqual(await Promise.all(calls.map(call)), passed);
      await end();
      // All at once, so that none profits from what another one has found out.
      const ended = await Promise.all(calls.map(call));
      assert.deepEqual(
        ended.filter((status) => status < 300 || status >= 500),
        [],
      );
    });
  }
});
