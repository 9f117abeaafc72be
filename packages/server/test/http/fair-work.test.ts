import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { govern } from "@easel/conformance/policy";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { ACTS } from "../../src/management/acts.ts";
import { primitives } from "../../src/primitives/index.ts";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { CountedPool } from "../support/counted-pool.ts";
import { onSqlite } from "../support/engines.ts";
import { publish } from "../support/publish.ts";
import { refusedText } from "../support/refused-text.ts";

await onSqlite("places of calls that are work", (target, env) => {
  const { calls, deploys } = env;
  let site: Stage;
  let owner: ConnectedTool;
  let id: string;
  let pool: CountedPool;
  let release: () => void;

  before(async () => {
    site = await stage(target);
    await govern(target, site, { collections: { notes: { preset: "contributions" } } });
    await publish(target, site, { "index.html": "home" });
    owner = await connectTool(target.base, site.people.owner, {}, env);
    id = String((await manage(target, site.people.owner, "GET", "/api/me")).json.id);
  });

  /** Takes all places of the owner until `release` is called. One more call of theirs may wait. */
  beforeEach(() => {
    pool = new CountedPool({ running: Infinity, runningEach: 2, waitingEach: 1 });
    Object.assign(env, { calls: pool });
    const held = Promise.withResolvers<void>();
    release = held.resolve;
    for (let index = 0; index < 2; index++) void pool.run(id, () => held.promise);
  });
  after(() => Object.assign(env, { calls, deploys }));

  const get = (path: string, { headers }: { headers: Header[] } = site.people.owner) =>
    send(target.base, { method: "GET", path, headers });
  const waits = () => until("the call waits for a place", () => !pool.hasRoom(id));

  const WORK: [name: string, ask: () => Promise<{ status: number }>][] = [
    ["an act", () => get(`/api/canvases/${site.id}/versions`)],
    ["an act with a body", () => manage(target, site.people.owner, "POST", "/api/teams", { name: "Team" })],
    ["a list of the runtime API", () => site.pages.owner.get("/collections/notes")],
    ["a tool that reads", () => owner.request("tools/call", { name: "list_canvases", arguments: {} })],
    [
      "a tool that writes",
      () =>
        owner.request("tools/call", {
          name: "configure_canvas",
          arguments: { canvas: site.slug, title: "T" },
        }),
    ],
    ["the list of tools", () => owner.request("tools/list")],
  ];
  for (const [name, ask] of WORK)
    it(`${name} waits for a place of its person, others do not, and a further one is refused`, async () => {
      const answer = ask();
      await waits();
      assert.equal((await get(`/api/canvases/${site.id}`, site.people.editor)).status, 200);
      const further = await get("/api/sessions");
      refused(further, 503, "UNAVAILABLE");
      assert.equal(further.headers["retry-after"], "10");
      release();
      assert.ok([200, 201].includes((await answer).status));
    });

  it("a client that goes gives its place in the queue back", async () => {
    const gone = new AbortController();
    const { headers } = site.people.owner;
    const asked = fetch(`${target.base}/api/canvases/${site.id}/versions`, {
      headers: Object.fromEntries(headers),
      signal: gone.signal,
    });
    await waits();
    gone.abort();
    await assert.rejects(asked);
    await until("the queue has room again", () => pool.hasRoom(id));
    release();
  });

  it("calls that are cheap need no place", async () => {
    assert.equal((await get("/api/me")).status, 200);
    assert.equal((await site.pages.owner.put("/kv/a", 1)).status, 200);
    release();
  });

  const leaver = async () => {
    const person = await target.signIn(freshEmail("leaver"));
    const self = String((await manage(target, person, "GET", "/api/me")).json.id);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    for (let index = 0; index < 2; index++) void pool.run(self, () => gate);
    return { person, self, open };
  };
  const deactivate = ({ email }: Person) =>
    env.db.run`update users set deactivated_at = 1 where email = ${email}`;

  it("who loses their account while a call waits is refused", async () => {
    const { person, self, open } = await leaver();
    const answers = [get("/api/sessions", person)];
    await until("the call waits", () => !pool.hasRoom(self));
    await deactivate(person);
    open();
    assert.deepEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      [401],
    );
    release();
  });

  it("so is a connected tool, and nothing is changed", async () => {
    const { person, self, open } = await leaver();
    const tool = await connectTool(target.base, person, {}, env);
    const answer = tool.request("tools/call", {
      name: "deploy_canvas",
      arguments: { title: "Late", files: [{ path: "index.html", text: "late" }] },
    });
    await until("the call waits", () => !pool.hasRoom(self));
    await deactivate(person);
    open();
    assert.equal((await answer).status, 401);
    assert.equal((await env.db.all`select 1 from canvases where title = 'Late'`).length, 0);
    release();
  });

  it("a deploy by a tool that finds the queue of deploys full is refused before it reads the files", async () => {
    release();
    const full = new CountedPool({ running: 1, runningEach: 1, waitingEach: 0 });
    Object.assign(env, { deploys: full });
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const running = full.run(id, () => gate);
    const files = [{ path: "none.txt", edits: [{ old: "a", new: "b" }] }];
    const text = await refusedText(owner, "deploy_canvas", { canvas: site.slug, files });
    assert.match(text, /^UNAVAILABLE: /);
    open();
    await running;
    Object.assign(env, { deploys });
  });
});

describe("operations that are cheap", () => {
  const cheap = (operations: readonly { name: string; cost?: string }[]) =>
    operations.flatMap(({ name, cost }) => (cost === "cheap" ? [name] : [])).toSorted();

  it("are these of the management API: a new act is work until its cost is known", () => {
    assert.deepEqual(cheap(ACTS), [
      "audit.export",
      "audit.lines",
      "canvas.deploy",
      "canvas.download",
      "canvas.download-version",
      "canvas.export",
      "canvas.import",
      "canvas.stage-file",
      "canvas.stage-files",
      "canvas.stage-finish",
      "canvas.version-file",
      "connection.test",
      "me.export",
      "me.read",
      "user.export",
    ]);
  });

  it("are those of the runtime API that look at few rows; lists and counts are work", () => {
    const all = primitives.flatMap(({ operations }) => operations);
    const work = all.filter(({ cost }) => cost === undefined).map(({ name }) => name);
    assert.deepEqual(work.toSorted(), [
      "authoring.list",
      "file.list",
      "kv.list",
      "kv.user.list",
      "record.clear",
      "record.count",
      "record.list",
      "submission.clear",
      "submission.list",
    ]);
  });
});
