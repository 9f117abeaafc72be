import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { publish } from "@easel/conformance/lifecycle";
import { call } from "@easel/conformance/page";
import { line } from "@easel/conformance/realtime/line";
import type { LoggedCall } from "@easel/protocol/management";
import { onSqlite } from "../support/engines.ts";
import { connected } from "./connections/connected.ts";
import { ScriptedOutbound } from "./connections/scripted-outbound.ts";

/** A request as one of the people of the canvas, and the fields of the log entry that it must add; null if it must add none. */
type Row = [
  name: string,
  send: (pages: Stage["pages"]) => Promise<{ status: number }>,
  entry:
    | [method: string, route: string, status: number, code: string | null, by: keyof Stage["people"]]
    | null,
];

const LONG = "k".repeat(81);

const ROWS: Row[] = [
  ["a call that succeeds", ({ owner }) => owner.get("/kv"), null],
  ["a body that is sent to a route that succeeds", ({ owner }) => owner.put("/kv/a", 1), null],
  ["a shared key that does not exist", ({ viewer }) => viewer.get("/kv/none"), null],
  ["a key of a user that does not exist", ({ viewer }) => viewer.get("/kv/user/none"), null],
  [
    "a key, read by someone without access",
    ({ stranger }) => stranger.get("/kv/none"),
    ["GET", "/kv/none", 404, "OWNER_ONLY", "stranger"],
  ],
  [
    "a shared key, with the query left out",
    ({ viewer }) => viewer.send("DELETE", "/kv/tea%20pot%0A?secret=1"),
    ["DELETE", "/kv/tea%20pot%0A", 403, "PERMISSION_DENIED", "viewer"],
  ],
  [
    "a long key",
    ({ viewer }) => viewer.put(`/kv/${LONG}`, 1),
    ["PUT", "/kv/{key}", 403, "PERMISSION_DENIED", "viewer"],
  ],
  [
    "a key of a user",
    ({ viewer }) => viewer.put("/kv/user/diary", null),
    ["PUT", "/kv/user/{key}", 400, "INVALID_BODY", "viewer"],
  ],
  [
    "an increment of a key of a user",
    ({ viewer }) => viewer.post("/kv/user/diary/increment", { by: "x" }),
    ["POST", "/kv/user/{key}/increment", 400, "INVALID_BODY", "viewer"],
  ],
  [
    "a role that does not suffice",
    ({ viewer }) => viewer.put("/kv/a", 1),
    ["PUT", "/kv/a", 403, "PERMISSION_DENIED", "viewer"],
  ],
  [
    "a collection without a policy",
    ({ viewer }) => viewer.get("/collections/ideas/0123"),
    ["GET", "/collections/ideas/{id}", 404, "COLLECTION_NOT_CONFIGURED", "viewer"],
  ],
  [
    "someone without access",
    ({ stranger }) => stranger.get("/me"),
    ["GET", "/me", 404, "OWNER_ONLY", "stranger"],
  ],
  [
    "an unknown path",
    ({ owner }) => owner.get("/teapots/alice@example.com"),
    ["GET", "/{path}", 404, "NOT_FOUND", "owner"],
  ],
  [
    "a wrong method",
    ({ owner }) => owner.send("DELETE", "/me"),
    ["DELETE", "/me", 405, "METHOD_NOT_ALLOWED", "owner"],
  ],
  [
    "the path of a Connection",
    ({ owner }) => owner.get("/connections/weather/of/alice?key=secret"),
    ["GET", "/connections/weather/{path}", 404, "CONNECTION_NOT_GRANTED", "owner"],
  ],
];

await onSqlite("calls that the service logs", (target, env) => {
  const heard: { call: LoggedCall; slug: string }[] = [];
  const stop = env.callLog.subscribe((each, { slug }) => heard.push({ call: each, slug }));
  after(stop);

  let site: Stage;
  const ids: Partial<Record<keyof Stage["people"], string>> = {};
  before(async () => {
    site = await stage(target);
    for (const [role, person] of Object.entries(site.people))
      ids[role as keyof Stage["people"]] = String((await manage(target, person, "GET", "/api/me")).json.id);
  });

  /** Returns the log entries that `act` adds, without their times and request ids, which it checks. */
  async function entriesOf(act: () => Promise<unknown>) {
    heard.length = 0;
    const start = Date.now();
    await act();
    return heard.map(({ call: { at, requestId, message, ...entry }, slug }) => {
      assert.ok(at >= start && at <= Date.now());
      assert.equal(slug, site.slug);
      assert.equal(typeof message, "string");
      return { ...entry, requestId };
    });
  }

  for (const [name, send, entry] of ROWS) {
    it(`${name}: ${entry === null ? "no entry" : entry.slice(0, 4).join(" ")}`, async () => {
      let answer: { status: number; json?: Record<string, unknown> } | undefined;
      const entries = await entriesOf(async () => {
        answer = await send(site.pages);
      });
      if (entry === null) return assert.deepEqual(entries, []);
      const [method, route, status, code, by] = entry;
      assert.equal(answer?.status, status);
      const { requestId } = (answer as { json: Record<string, unknown> }).json;
      assert.deepEqual(entries, [
        { method, route, status, code, userId: ids[by], requestId, pageError: null },
      ]);
    });
  }

  it("an anonymous caller has no id", async () => {
    const entries = await entriesOf(() => call(target, site.slug, null, "GET", "/kv"));
    assert.deepEqual(
      entries.map(({ status, userId }) => [status, userId]),
      [[401, null]],
    );
  });

  it("visitors of a Public link have no id", async () => {
    const open = await stage(target, { access: "public_link" });
    await publish(target, open, "home");
    heard.length = 0;
    assert.equal((await call(target, open.slug, null, "GET", "/kv")).status, 403);
    assert.deepEqual(
      heard.map(({ call: { code, userId } }) => [code, userId]),
      [["STATIC_ONLY", null]],
    );
  });

  it("an error response of the upstream of a Connection, without its path", async () => {
    const canvas = await connected(target);
    const upstream = new ScriptedOutbound();
    env.outbound = upstream;
    for (const status of [200, 418]) {
      upstream.onSend = ({ respond }) => respond("x", { status });
      heard.length = 0;
      const answer = await canvas.pages.viewer.get(`/connections/${canvas.profile}/of/alice`);
      assert.equal(answer.status, status, answer.text);
    }
    assert.deepEqual(
      heard.map(({ call: { method, route, status, code, message } }) => [
        method,
        route,
        status,
        code,
        message,
      ]),
      [["GET", `/connections/${canvas.profile}/{path}`, 418, null, null]],
    );
  });

  it("slugs without a canvas, and deleted canvases, leave no entry", async () => {
    const gone = await stage(target);
    await publish(target, gone, "home");
    await manage(target, gone.people.owner, "DELETE", `/api/canvases/${gone.id}`);
    assert.deepEqual(
      await entriesOf(async () => {
        for (const person of [null, gone.people.owner])
          for (const slug of [gone.slug, "no-such-canvas"])
            assert.ok((await call(target, slug, person, "GET", "/kv")).status >= 400);
      }),
      [],
    );
  });

  it("a listener that has ended hears nothing", async () => {
    let count = 0;
    const end = env.callLog.subscribe(() => count++);
    await site.pages.owner.get("/teapots");
    end();
    await site.pages.owner.get("/teapots");
    assert.equal(count, 1);
  });

  describe("WebSockets", () => {
    const dial = line(target);
    const opened = async () => {
      const here = await stage(target);
      const socket = await dial(here, here.people.owner);
      await socket.ask({ type: "presence", channel: "a" });
      heard.length = 0;
      return { here, socket };
    };
    const closes = () =>
      heard.map(({ call: { method, route, status, code, message } }) => [
        method,
        route,
        status,
        code,
        message,
      ]);

    it("one that is closed because realtime is off, with the id of its owner", async () => {
      const { here, socket } = await opened();
      const off = { realtime: false };
      await manage(target, here.people.owner, "PATCH", `/api/canvases/${here.id}/capabilities`, off);
      assert.equal((await socket.end()).code, 4403);
      assert.deepEqual(closes(), [["GET", "/realtime", 4403, "CAPABILITY_DISABLED", "realtime off"]]);
      const { json } = await manage(target, here.people.owner, "GET", "/api/me");
      assert.equal(heard[0]?.call.userId, json.id);
    });

    it("one that is closed because a message is too large", async () => {
      const { socket } = await opened();
      socket.send("x".repeat(200 * 1024));
      assert.equal((await socket.end()).code, 1009);
      assert.deepEqual(
        closes().map((entry) => entry.slice(0, 4)),
        [["GET", "/realtime", 1009, "MESSAGE_TOO_LARGE"]],
      );
    });

    it("one that is refused, but none that its client closes", async () => {
      const { here, socket } = await opened();
      await socket.close();
      assert.deepEqual(closes(), []);
      await assert.rejects(dial(here, here.people.stranger));
      assert.deepEqual(
        closes().map((entry) => entry.slice(0, 4)),
        [["GET", "/realtime", 404, "OWNER_ONLY"]],
      );
    });
  });
});
