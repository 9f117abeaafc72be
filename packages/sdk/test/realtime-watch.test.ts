import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  createEasel,
  EaselError,
  type FileChange,
  type KvChange,
  NotFoundError,
  type RecordChange,
} from "../src/index.ts";
import { gatherReports, type Line, startPage } from "./realtime-server.ts";
import { fakeFetch, page } from "./support.ts";

const tasks = { resource: "kv", prefix: "task:" };
const ideas = { resource: "collection", name: "ideas" };
const files = { resource: "files" };
const resync = { op: "resync" };

/** Starts a page with a confirmed watch of the keys that begin with `task:`. Returns the page and its connection on the server. */
async function watchingPage(t: TestContext) {
  const easel = await startPage(t);
  const changes: KvChange[] = [];
  const stop = easel.kv.watch("task:", (change) => changes.push(change));
  const line = await easel.connection();
  assert.deepEqual(await line.next(), { type: "watch", ...tasks });
  line.say({ type: "watching", ...tasks });
  await heard(easel, line);
  assert.deepEqual(changes.splice(0), [resync]);
  return { ...easel, changes, stop, line };
}

/** Resolves when the page has processed every frame sent so far. */
async function heard({ realtime }: Awaited<ReturnType<typeof startPage>>, line: Line) {
  const channel = realtime.channel("barrier");
  const users = channel.presence();
  assert.deepEqual(await line.next(), { type: "presence", channel: "barrier" });
  line.say({ type: "presence", channel: "barrier", users: [] });
  await users;
}

test("a change of a key reaches the watches of its scope with a matching prefix", async (t) => {
  const easel = await watchingPage(t);
  const { kv, line, changes } = easel;
  const [all, mine]: KvChange[][] = [[], []];
  kv.watch("", (change) => all?.push(change));
  kv.user.watch("", (change) => mine?.push(change));
  assert.deepEqual(await line.next(), { type: "watch", resource: "kv", prefix: "" });
  assert.deepEqual(await line.next(), { type: "watch", resource: "kv.user", prefix: "" });
  line.say({ type: "change", resource: "kv", key: "task:1", op: "set", value: { done: true } });
  line.say({ type: "change", resource: "kv", key: "tas", op: "delete" });
  line.say({ type: "change", resource: "kv.user", key: "task:2", op: "delete" });
  line.say({ type: "change", resource: "collection", name: "task:", id: "task:3", op: "set" });
  await heard(easel, line);
  assert.deepEqual(changes, [{ op: "set", key: "task:1", value: { done: true } }]);
  assert.deepEqual(all, [
    { op: "set", key: "task:1", value: { done: true } },
    { op: "delete", key: "tas" },
  ]);
  assert.deepEqual(mine, [{ op: "delete", key: "task:2" }]);
});

test("a change of a record reaches the watches of its collection", async (t) => {
  const easel = await startPage(t);
  const [changes, others]: [RecordChange[], RecordChange[]] = [[], []];
  easel.kv.collection("ideas").watch((change) => changes.push(change));
  easel.kv.collection("votes").watch((change) => others.push(change));
  const line = await easel.connection();
  assert.deepEqual(await line.next(), { type: "watch", ...ideas });
  assert.deepEqual(await line.next(), { type: "watch", resource: "collection", name: "votes" });
  const record = { id: "r-2", authorId: "u-1", value: { title: "Tea" }, updatedAt: 1 };
  line.say({ type: "change", ...ideas, id: "r-1", op: "set" });
  line.say({ type: "change", ...ideas, id: "r-2", op: "set", record });
  line.say({ type: "change", ...ideas, id: "r-1", op: "delete" });
  line.say({ type: "resync", ...ideas });
  await heard(easel, line);
  assert.deepEqual(changes, [
    { op: "set", id: "r-1" },
    { op: "set", id: "r-2", record },
    { op: "delete", id: "r-1" },
    resync,
  ]);
  assert.deepEqual(others, []);
});

test("a change of a file reaches the watches of files with its scope, and no others", async (t) => {
  const easel = await startPage(t);
  const changes: FileChange[] = [];
  const others: unknown[] = [];
  const stop = easel.files.watch((change) => changes.push(change));
  easel.kv.watch("", (change) => others.push(change));
  easel.kv.collection("ideas").watch((change) => others.push(change));
  const line = await easel.connection();
  assert.deepEqual(await line.next(), { type: "watch", ...files });
  assert.deepEqual(await line.next(), { type: "watch", resource: "kv", prefix: "" });
  assert.deepEqual(await line.next(), { type: "watch", ...ideas });
  line.say({ type: "watching", ...files });
  line.say({ type: "change", ...files, scope: "group:photos", id: "f-1", op: "set" });
  line.say({ type: "change", ...files, scope: "record:ideas", id: "f-2", op: "delete" });
  line.say({ type: "resync", ...files });
  await heard(easel, line);
  assert.deepEqual(changes, [
    resync,
    { op: "set", id: "f-1", scope: "group:photos" },
    { op: "delete", id: "f-2", scope: "record:ideas" },
    resync,
  ]);
  assert.deepEqual(others, []);
  stop();
  assert.deepEqual(await line.next(), { type: "unwatch", ...files });
});

test("an error of a watch of files goes to its `onError`", async (t) => {
  const easel = await startPage(t);
  const errors: EaselError[] = [];
  easel.files.watch(
    () => assert.fail("not told"),
    (error) => errors.push(error),
  );
  const line = await easel.connection();
  await line.next();
  line.say({ type: "error", code: "CAPABILITY_DISABLED", message: "m", ...files });
  await heard(easel, line);
  assert.deepEqual(
    errors.map(({ name, status }) => [name, status]),
    [["CapabilityDisabledError", 403]],
  );
});

test("watches of one target share a subscription, which ends with the last of them", async (t) => {
  const easel = await watchingPage(t);
  const { kv, line, changes, stop } = easel;
  const handler = (change: KvChange) => changes.push(change);
  const stops = [kv.watch("task:", handler), kv.watch("task:", handler)];
  assert.deepEqual(changes, []);
  await Promise.resolve();
  assert.deepEqual(changes.splice(0), [resync, resync]);
  line.say({ type: "change", resource: "kv", key: "task:1", op: "set" });
  await heard(easel, line);
  assert.equal(changes.splice(0).length, 3);
  stop();
  stops[0]?.();
  stops[0]?.();
  line.say({ type: "change", resource: "kv", key: "task:2", op: "set" });
  await heard(easel, line);
  assert.deepEqual(changes, [{ op: "set", key: "task:2" }]);
  stops[1]?.();
  assert.deepEqual(await line.next(), { type: "unwatch", ...tasks });
  kv.watch("task:", handler);
  assert.deepEqual(await line.next(), { type: "watch", ...tasks });
  stops[1]?.();
  await heard(easel, line);
});

test("a handler added to a confirmed watch gets a resync, unless it is stopped first", async (t) => {
  const { kv, changes } = await watchingPage(t);
  const late: KvChange[] = [];
  kv.watch("task:", (change) => late.push(change));
  kv.watch("task:", () => assert.fail("stopped"))();
  await Promise.resolve();
  assert.deepEqual([late, changes], [[resync], []]);
});

test("a watch without a handler subscribes to nothing, errors included", async (t) => {
  const reports = gatherReports(t);
  const easel = await watchingPage(t);
  assert.throws(() => easel.kv.watch("task:", undefined as unknown as () => void), invalid);
  easel.line.say({ type: "error", code: "PERMISSION_DENIED", message: "m", ...tasks });
  await heard(easel, easel.line);
  assert.equal(reports.length, 1);
});

test("several collection objects of one name share one watch", async (t) => {
  const easel = await startPage(t);
  const stops = [1, 2].map(() => easel.kv.collection("ideas").watch(() => {}));
  const line = await easel.connection();
  assert.deepEqual(await line.next(), { type: "watch", ...ideas });
  await heard(easel, line);
  for (const stop of stops) stop();
  assert.deepEqual(await line.next(), { type: "unwatch", ...ideas });
  easel.realtime.channel("barrier").close();
  assert.equal(await line.closed, 1005);
});

test("after a reconnect the watch resumes, and a resync follows", async (t) => {
  const easel = await watchingPage(t);
  const { kv, line, changes, pause, connection } = easel;
  easel.realtime.channel("barrier").close();
  line.close(1001);
  const { end } = await pause();
  kv.watch("new", (change) => changes.push(change));
  end();
  const next = await connection();
  assert.deepEqual(await next.next(), { type: "watch", ...tasks, resume: true });
  assert.deepEqual(await next.next(), { type: "watch", resource: "kv", prefix: "new" });
  next.say({ type: "watching", ...tasks });
  await heard(easel, next);
  assert.deepEqual(changes, []);
  next.say({ type: "resync", ...tasks });
  await heard(easel, next);
  assert.deepEqual(changes, [resync]);
});

test("an error ends the watch for all of its handlers, which may watch again", async (t) => {
  gatherReports(t);
  const easel = await startPage(t);
  const { kv, connection } = easel;
  const errors: EaselError[] = [];
  const collection = kv.collection("ideas");
  const stops = [1, 2].map(() =>
    collection.watch(
      () => assert.fail("not told after the error"),
      (error) => errors.push(error),
    ),
  );
  const line = await connection();
  await line.next();
  line.say({ type: "error", code: "COLLECTION_NOT_CONFIGURED", message: "m", ...ideas });
  line.say({ type: "change", ...ideas, id: "r-1", op: "set" });
  await heard(easel, line);
  assert.equal(errors.length, 2);
  assert.ok(errors[0] instanceof NotFoundError);
  assert.equal(errors[0].reason, "COLLECTION_NOT_CONFIGURED");
  for (const stop of stops) stop();
  const stop = collection.watch(() => {});
  assert.deepEqual(await line.next(), { type: "watch", ...ideas });
  line.say({ type: "error", code: "CHANNEL_LIMIT", message: "m", ...ideas });
  await heard(easel, line);
  stop();
  assert.equal(errors.length, 2);
  easel.realtime.channel("barrier").close();
  assert.equal(await line.closed, 1005);
});

test("an error without an `onError` is reported as uncaught", async (t) => {
  const reports = gatherReports(t);
  const { kv, line, ...easel } = await watchingPage(t);
  line.say({ type: "error", code: "PERMISSION_DENIED", message: "m", ...tasks });
  await heard({ kv, ...easel }, line);
  assert.deepEqual(
    reports.map((error) => error instanceof EaselError && [error.code, error.status]),
    [["PERMISSION_DENIED", 403]],
  );
});

const invalid = { name: "EaselError", code: "INVALID_BODY", status: 400 };
const noSocket = class {
  constructor() {
    assert.fail("nothing is to be opened");
  }
} as unknown as typeof WebSocket;

test("invalid arguments of watch, subscribe and publish are refused before a connection is opened", async () => {
  const { kv, files, realtime } = createEasel({
    ...page,
    ...fakeFetch(() => Response.json({})),
    WebSocket: noSocket,
  });
  const nothing = undefined as unknown as () => void;
  assert.throws(() => kv.watch(nothing as unknown as string, () => {}), invalid);
  assert.throws(() => kv.user.watch("", nothing), invalid);
  assert.throws(() => files.watch(nothing), invalid);
  assert.throws(() => kv.watch("é".repeat(8192), () => {}), { code: "MESSAGE_TOO_LARGE", status: 400 });
  assert.throws(() => kv.collection("..").watch(() => {}), invalid);
  assert.throws(() => realtime.channel(""), invalid);
  assert.throws(() => realtime.channel("é".repeat(65)), { code: "CHANNEL_NAME_TOO_LARGE", status: 400 });
  const pens = realtime.channel("é".repeat(64));
  await assert.rejects(pens.subscribe(nothing), invalid);
  assert.throws(() => pens.onError(nothing), invalid);
  assert.throws(() => pens.publish(nothing as unknown as string), invalid);
  const noJson: unknown[] = [Number.NaN, 1n, () => 1, Symbol("a"), { a: 1n }];
  for (const data of noJson as string[]) assert.throws(() => pens.publish("a", data), invalid);
});

test("a frame of `publish` is at most 16 KiB in UTF-8", async (t) => {
  const { realtime, connection } = await startPage(t);
  const pens = realtime.channel("pens");
  const around = JSON.stringify({ type: "publish", channel: "pens", event: "", data: "" }).length;
  const largest = "é".repeat((16_384 - around) / 2) + (around % 2 === 0 ? "" : "e");
  assert.throws(() => pens.publish("", `${largest}e`), { code: "MESSAGE_TOO_LARGE", status: 400 });
  pens.publish("", largest);
  const line = await connection();
  assert.deepEqual(await line.next(), { type: "publish", channel: "pens", event: "", data: largest });
});

test("outside a canvas the first call throws", async () => {
  const { kv, realtime } = createEasel({ url: "about:blank" });
  const pens = realtime.channel("pens");
  await assert.rejects(
    pens.subscribe(() => {}),
    /not part of a canvas/,
  );
  await assert.rejects(pens.presence(), /not part of a canvas/);
  assert.throws(() => pens.publish("a"), /not part of a canvas/);
  assert.throws(() => kv.watch("", () => {}), /not part of a canvas/);
});
