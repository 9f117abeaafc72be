import assert from "node:assert/strict";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { LIMITS } from "@easel/protocol/limits";
import type { CallLogPage, LoggedCall } from "@easel/protocol/management";
import { type Budget, CallLog } from "../../src/async/call-log.ts";
import { CALLS_KEPT_MS, removeCalls, writeCallLog } from "../../src/canvases/call-log-store.ts";
import { sql } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { onEngines, startDev } from "../support/engines.ts";
import { type Scope, temporaryDirectory } from "../support/service.ts";

/** Returns a logged call that is identified by its request id. */
const callOf = (requestId: string, at: number): LoggedCall => ({
  at,
  method: "GET",
  route: "/kv",
  status: 404,
  code: "NOT_FOUND",
  message: null,
  userId: "someone",
  requestId,
  pageError: null,
});

await onEngines("the call log of a canvas", (target, env) => {
  /** Creates a canvas, and functions that add calls to its log and read it. */
  async function logged() {
    const { id, slug, people } = await stage(target);
    const request = (query = "", who: keyof typeof people = "owner") =>
      manage(target, people[who], "GET", `/api/canvases/${id}/log${query}`);
    const read = async (query = "") => {
      const { status, json, text } = await request(query);
      assert.equal(status, 200, text);
      return json as unknown as CallLogPage;
    };
    /** Adds calls to the log of a node, by default the service's. */
    const add = (requestIds: string[], { callLog } = env, at = Date.now(), budget: Budget = "insider") => {
      for (const requestId of requestIds) callLog.add({ id, slug }, callOf(requestId, at), budget);
    };
    return { id, people, request, read, add };
  }
  /** Returns another node with the same database and a log of its own. */
  const otherNode = (): Env => ({ ...env, callLog: new CallLog(true) });
  /** Adds rows to the log of a canvas, as if it had been written. */
  const fill = (id: string, outsider: number, count: number) =>
    env.db.batch([
      sql`insert into call_log (canvas_id, number, at, method, route, status, request_id, outsider)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
        select canvas_id, last + i, ${Date.now()}, 'GET', '/kv', 404, 'filled', ${outsider}
        from call_log_ends, n where canvas_id = ${id}`,
      sql`update call_log_ends set last = last + ${count} where canvas_id = ${id}`,
    ]);
  const count = async (id: string, outsider: number) =>
    (await env.db.all`select 1 from call_log where canvas_id = ${id} and outsider = ${outsider}`).length;
  const idsOf = ({ entries }: CallLogPage) => entries.map(({ requestId }) => requestId);

  it("a call is in the log as soon as its response is sent", async () => {
    const { pages, people, id } = await stage(target);
    const { json } = await pages.viewer.put("/kv/a", 1);
    const log = (await manage(target, people.editor, "GET", `/api/canvases/${id}/log`)).json;
    const { id: userId, name: userName } = (await manage(target, people.viewer, "GET", "/api/me")).json;
    const [{ at, ...entry } = assert.fail(), ...more] = (log as unknown as CallLogPage).entries;
    assert.ok(Math.abs(Date.now() - at) < 60_000);
    const { requestId, message } = json;
    const what = { method: "PUT", route: "/kv/a", status: 403, code: "PERMISSION_DENIED" };
    assert.deepEqual([entry, more], [{ ...what, message, userId, requestId, pageError: null, userName }, []]);
  });

  it("only the owner and editors may read it", async () => {
    const { request } = await logged();
    const statuses = [];
    for (const who of ["owner", "editor", "viewer", "stranger"] as const)
      statuses.push((await request("", who)).status);
    assert.deepEqual(statuses, [200, 200, 403, 404]);
  });

  it("pages: the newest without a cursor, then each call once", async () => {
    const { read, add } = await logged();
    const empty = await read();
    assert.deepEqual(empty, { entries: [], next: "0-0", dropped: 0 });
    add(["1", "2", "3", "4", "5"]);
    assert.deepEqual(idsOf(await read("?limit=2")), ["4", "5"]);
    const first = await read(`?after=${empty.next}&limit=2`);
    assert.deepEqual(idsOf(first), ["1", "2"]);
    const second = await read(`?after=${first.next}`);
    assert.deepEqual(idsOf(second), ["3", "4", "5"]);
    assert.deepEqual(await read(`?after=${second.next}`), { ...second, entries: [] });
    add(["6"]);
    assert.deepEqual(idsOf(await read(`?after=${second.next}`)), ["6"]);
  });

  it("an invalid cursor is 400", async () => {
    const { request } = await logged();
    for (const after of ["x", "1", "1-", "-1-0", "1-0-0", "1e3-0", `${"9".repeat(16)}-0`])
      assert.equal((await request(`?after=${after}`)).status, 400, after);
  });

  it("a reader who follows misses no call of another node that is written late", async () => {
    const { read, add } = await logged();
    const other = otherNode();
    const before = Date.now() - 60_000;
    add(["late"], other, before);
    add(["early"]);
    const { next, entries } = await read();
    assert.deepEqual(
      entries.map(({ requestId }) => requestId),
      ["early"],
    );
    await writeCallLog(other);
    assert.deepEqual(idsOf(await read(`?after=${next}`)), ["late"]);
  });

  it("concurrent writes of nodes give every call a number of its own", async () => {
    const { read, add } = await logged();
    const nodes = Array.from({ length: 5 }, otherNode);
    nodes.forEach((node, index) => {
      add(
        Array.from({ length: 10 }, (_, call) => `${index}.${call}`),
        node,
      );
    });
    await Promise.all(nodes.map(writeCallLog));
    const ids = idsOf(await read());
    assert.equal(new Set(ids).size, 50);
    for (const index of nodes.keys())
      assert.deepEqual(
        ids.filter((id) => id.startsWith(`${index}.`)),
        Array.from({ length: 10 }, (_, call) => `${index}.${call}`),
      );
  });

  it("calls above the limit a minute are counted since the cursor", async () => {
    const { read, add } = await logged();
    const { next } = await read();
    const most = LIMITS.loggedCallsPerMinute.value;
    const at = Date.now();
    add(
      Array.from({ length: most + 7 }, (_, index) => `${index}`),
      env,
      at,
    );
    const page = await read(`?after=${next}&limit=1000`);
    assert.deepEqual([page.entries.length, page.dropped], [most, 7]);
    assert.equal((await read(`?after=${page.next}`)).dropped, 0);
    assert.equal((await read()).dropped, 7);
  });

  it("the newest calls remain; a cursor from before goes on with the oldest that is left", async () => {
    const { id, read, add } = await logged();
    add(["first"]);
    const { next } = await read();
    await fill(id, 0, LIMITS.loggedCalls.value - 1);
    add(["last"]);
    const [entry] = (await read(`?after=${next}&limit=1`)).entries;
    assert.equal(entry?.requestId, "filled");
    assert.equal(await count(id, 0), LIMITS.loggedCalls.value);
    assert.equal((await env.db.all`select 1 from call_log where request_id = 'first'`).length, 0);
  });

  it("the calls of strangers push out each other, and none of people with a role", async () => {
    const { id, people, pages } = await stage(target);
    const { json } = await pages.viewer.put("/kv/a", 1);
    await manage(target, people.owner, "GET", `/api/canvases/${id}/log`);
    await fill(id, 1, LIMITS.loggedOutsiderCalls.value);
    await fill(id, 0, 1);
    for (const page of [pages.stranger, pages.stranger]) assert.equal((await page.get("/kv")).status, 404);
    const { entries } = (
      await manage(target, people.owner, "GET", `/api/canvases/${id}/log?after=0-0&limit=1`)
    ).json as unknown as CallLogPage;
    assert.equal(entries[0]?.requestId, json.requestId);
    assert.deepEqual([await count(id, 0), await count(id, 1)], [2, LIMITS.loggedOutsiderCalls.value]);
  });

  it("errors of pages are stored with what they say, and push out each other only", async () => {
    const { id, read, add } = await logged();
    const pageError = { page: "/", source: "app.js", line: 3, column: 14, count: 2, preview: true };
    add(["call"]);
    await read();
    await fill(id, 2, LIMITS.loggedPageErrors.value);
    env.callLog.add({ id, slug: "" }, { ...callOf("error", Date.now()), pageError }, "page");
    const { entries } = await read("?after=0-0&limit=1000");
    const [first, last] = [entries[0], entries.at(-1)];
    assert.deepEqual([first?.requestId, first?.pageError], ["call", null]);
    assert.deepEqual([last?.requestId, last?.pageError], ["error", pageError]);
    assert.deepEqual([await count(id, 0), await count(id, 2)], [1, LIMITS.loggedPageErrors.value]);
  });

  it("calls are removed after 7 days, and the numbers go on", async () => {
    const { id, read, add } = await logged();
    const now = Date.now();
    add(["old"], env, now - CALLS_KEPT_MS - 1);
    add(["new"], env, now - CALLS_KEPT_MS + 60_000);
    assert.deepEqual(idsOf(await read()), ["new"]);
    const rows = () => env.db.all`select request_id from call_log where canvas_id = ${id}`;
    assert.equal((await rows()).length, 2);
    await removeCalls(now - CALLS_KEPT_MS, env.db);
    assert.deepEqual(await rows(), [{ request_id: "new" }]);
    await removeCalls(now, env.db);
    const { next, entries } = await read();
    assert.deepEqual([next, entries], ["2-0", []]);
    add(["newest"]);
    assert.deepEqual(idsOf(await read(`?after=${next}`)), ["newest"]);
  });

  it("calls of a canvas that is deleted meanwhile are dropped, those of others are written", async () => {
    const [gone, kept] = [await logged(), await logged()];
    gone.add(["1"]);
    kept.add(["2"]);
    assert.equal((await manage(target, gone.people.owner, "DELETE", `/api/canvases/${gone.id}`)).status, 204);
    assert.deepEqual(idsOf(await kept.read()), ["2"]);
    assert.deepEqual(await env.db.all`select * from call_log where canvas_id = ${gone.id}`, []);
  });

  describe("many calls at once", () => {
    it("are written in several transactions, in order", async () => {
      const { read, add } = await logged();
      const node = otherNode();
      const count = LIMITS.loggedCallsPerMinute.value;
      const ids = Array.from({ length: 3 * count }, (_, index) => `${index}`);
      for (const minute of [0, 1, 2]) {
        const at = Date.now() - minute * 60_000;
        add(ids.slice(minute * count, (minute + 1) * count), node, at);
      }
      await writeCallLog(node);
      assert.deepEqual(idsOf(await read("?after=0-0&limit=1000")), ids);
    });
  });
});

/** Starts a service with these settings, sends it a call that fails, and returns the log. */
async function logOf(scope: Scope, settings: Record<string, string>) {
  const { target } = await startDev(scope, settings);
  const { id, people, pages } = await stage(target);
  assert.equal((await pages.viewer.put("/kv/a", 1)).status, 403);
  return { id, read: () => manage(target, people.owner, "GET", `/api/canvases/${id}/log`) };
}

describe("the call log of a service", () => {
  it("has the calls of a service that has stopped", async (t) => {
    const file = path.join(await temporaryDirectory({ after: (end) => t.after(end) }), "easel.db");
    const stops: (() => Promise<unknown>)[] = [];
    const { id } = await logOf(
      { after: (end) => stops.push(end) },
      { SERVICE_DATABASE_URL: `sqlite:${file}` },
    );
    for (const stop of stops) await stop();
    const db = new DatabaseSync(file, { readOnly: true });
    t.after(() => db.close());
    const rows = db.prepare("select canvas_id, route from call_log").all();
    assert.deepEqual({ ...rows[0] }, { canvas_id: id, route: "/kv/a" });
  });

  it("has nothing if a setting turns it off", async (t) => {
    const { read } = await logOf({ after: (end) => t.after(end) }, { SERVICE_CALL_LOG: "off" });
    const { status, json } = await read();
    assert.deepEqual([status, json], [200, { entries: [], next: "0-0", dropped: 0 }]);
  });
});
