import assert from "node:assert/strict";
import { test } from "node:test";
import { EaselError, type Member, type Message } from "../src/index.ts";
import { gatherReports, startPage, startSubscribedPage } from "./realtime-server.ts";

const ada = { id: "u-1", name: "Ada" };
const subscribe = { type: "subscribe", channel: "pens" };
const presence = { type: "presence", channel: "pens" };
const subscribed = { type: "subscribed", channel: "pens" };
const denied = { type: "error", code: "PERMISSION_DENIED", message: "No.", channel: "pens" };
const refusal = { name: "EaselError", code: "PERMISSION_DENIED", status: 403, message: "No." };

test("a refused subscription is rejected, goes to `onError`, and gets no messages", async (t) => {
  const { realtime, connection } = await startPage(t);
  const pens = realtime.channel("pens");
  const errors: EaselError[] = [];
  const messages: Message[] = [];
  pens.onError((error) => errors.push(error));
  const done = pens.subscribe((message) => messages.push(message));
  const line = await connection();
  line.say(denied);
  await assert.rejects(done, refusal);
  assert.equal(errors.length, 1);
  assert.ok(errors[0] instanceof EaselError);
  line.say({ type: "message", channel: "pens", event: "a", data: 1, from: { ...ada, canvasRole: "viewer" } });
  const again = pens.subscribe(() => {});
  assert.deepEqual([await line.next(), await line.next()], [subscribe, subscribe]);
  line.say(subscribed);
  await again;
  assert.deepEqual(messages, []);
});

test("an error rejects the oldest pending request", async (t) => {
  const { realtime, connection } = await startPage(t);
  const pens = realtime.channel("pens");
  const users = assert.rejects(pens.presence(), refusal);
  const line = await connection();
  assert.deepEqual(await line.next(), presence);
  const done = pens.subscribe(() => {});
  assert.deepEqual(await line.next(), subscribe);
  line.say(denied);
  line.say(subscribed);
  await Promise.all([users, done]);
});

test("after PERMISSION_DENIED the next handler subscribes again", async (t) => {
  const { line, pens } = await startSubscribedPage(t);
  const lost = Promise.withResolvers<EaselError>();
  pens.onError(lost.resolve);
  line.say(denied);
  assert.equal((await lost.promise).status, 403);
  const done = pens.subscribe(() => {});
  assert.deepEqual(await line.next(), subscribe);
  line.say(subscribed);
  await done;
});

test("closing unsubscribes even after an error, because the error may belong to another frame", async (t) => {
  const { line, realtime, pens } = await startSubscribedPage(t);
  const inks = realtime.channel("inks");
  inks.onError(() => {});
  inks.publish("a");
  const done = inks.subscribe(() => {});
  await line.next();
  assert.deepEqual(await line.next(), { type: "subscribe", channel: "inks" });
  line.say({ ...denied, channel: "inks" });
  await assert.rejects(done, refusal);
  inks.close();
  pens.publish("b");
  assert.deepEqual(await line.next(), { type: "unsubscribe", channel: "inks" });
});

test("errors of `publish` go to `onError`: PERMISSION_DENIED with 403, others with 400", async (t) => {
  const { line, pens } = await startSubscribedPage(t);
  const codes = ["PERMISSION_DENIED", "RATE_LIMITED", "CHANNEL_LIMIT", "INVALID_FRAME"];
  const told = Promise.withResolvers<void>();
  const errors: [string, number, string][] = [];
  pens.onError(({ code, status, message }) => {
    if (errors.push([code, status, message]) === codes.length) told.resolve();
  });
  for (const code of codes) line.say({ type: "error", code, message: `m ${code}`, channel: "pens" });
  await told.promise;
  assert.deepEqual(
    errors,
    codes.map((code) => [code, code === "PERMISSION_DENIED" ? 403 : 400, `m ${code}`]),
  );
});

test("a handler that throws does not stop the others", async (t) => {
  const reports = gatherReports(t);
  const { line, pens } = await startSubscribedPage(t);
  const fault = new Error("of the page");
  const users = Promise.withResolvers<Member[]>();
  pens.onPresence(() => {
    throw fault;
  });
  pens.onPresence(users.resolve);
  line.say({ type: "presence", channel: "pens", users: [ada] });
  assert.deepEqual(await users.promise, [ada]);
  assert.deepEqual(reports, [fault]);
});

test("an error without a handler is reported as uncaught", async (t) => {
  const reports = gatherReports(t);
  const { line, pens } = await startSubscribedPage(t);
  line.say({ type: "error", code: "RATE_LIMITED", message: "m", channel: "pens" });
  line.say({ type: "error", code: "UNKNOWN_FRAME", message: "n" });
  const joined = Promise.withResolvers<Member>();
  pens.onJoin(joined.resolve);
  line.say({ type: "join", channel: "pens", user: ada });
  await joined.promise;
  assert.deepEqual(
    reports.map((error) => error instanceof EaselError && [error.code, error.status]),
    [
      ["RATE_LIMITED", 400],
      ["UNKNOWN_FRAME", 400],
    ],
  );
});
