import assert from "node:assert/strict";
import { test } from "node:test";
import { CLOSE_CODES } from "@easel/protocol/realtime";
import {
  CapabilityDisabledError,
  type EaselError,
  NotAuthenticatedError,
  QuotaExceededError,
} from "../src/index.ts";
import { gatherReports, startSubscribedPage } from "./realtime-server.ts";

const off = { capability: "realtime", backendEnabled: true, reason: "feature_off", hint: "Switch it on." };
const finals = [
  [4401, NotAuthenticatedError, { code: "NOT_AUTHENTICATED", status: 401 }],
  [
    4403,
    CapabilityDisabledError,
    { code: "CAPABILITY_DISABLED", status: 403, message: off.hint, hint: off.hint, reason: "feature_off" },
  ],
  [4429, QuotaExceededError, { code: "CONNECTION_LIMIT", status: 429 }],
] as const;

test("the close codes of the protocol from 4000 on are final", () => {
  const codes = new Set(Object.values(CLOSE_CODES).map(({ code }) => code));
  assert.deepEqual(
    [...codes].filter((code) => code >= 4000),
    finals.map(([code]) => code),
  );
});

for (const [code, type, fields] of finals) {
  test(`${code} fails every channel and watch with ${type.name} until the next \`subscribe\``, async (t) => {
    const { realtime, kv, pens, messages, line, connection } = await startSubscribedPage(t);
    const inks = realtime.channel("inks");
    const told: EaselError[] = [];
    for (const channel of [pens, inks]) channel.onError((error) => told.push(error));
    const watched = Promise.withResolvers<EaselError>();
    kv.watch("", () => {}, watched.resolve);
    const pending = [pens.presence(), inks.subscribe(() => {})].map((each) =>
      assert.rejects(each, { name: type.name, ...fields }),
    );
    if (code === 4403)
      line.say({ type: "error", code: "CAPABILITY_DISABLED", message: "Realtime is off.", ...off });
    line.close(code);
    await Promise.all(pending);
    const error = await watched.promise;
    assert.ok(error instanceof type);
    assert.deepEqual(told, [error, error]);
    await assert.rejects(pens.presence(), (thrown) => thrown === error);
    assert.throws(
      () => inks.publish("a"),
      (thrown) => thrown === error,
    );
    const anew = Promise.withResolvers<unknown>();
    let settled = false;
    const done = pens.subscribe(anew.resolve).then(() => {
      settled = true;
    });
    const next = await connection();
    assert.deepEqual(await next.next(), { type: "subscribe", channel: "pens" });
    assert.equal(settled, false);
    next.say({ type: "subscribed", channel: "pens" });
    await done;
    const from = { id: "u-1", name: "Ada", canvasRole: "viewer" };
    next.say({ type: "message", channel: "pens", event: "a", data: null, from });
    await anew.promise;
    assert.deepEqual(messages, []);
    pens.close();
    assert.equal(await next.closed, 1005);
    inks.publish("b");
    assert.deepEqual(await (await connection()).next(), { type: "publish", channel: "inks", event: "b" });
  });
}

test("an error handler may close, stop and restart channels and watches that have not got the error yet", async (t) => {
  const reports = gatherReports(t);
  const { realtime, kv, pens, line, connection } = await startSubscribedPage(t);
  const watch = () =>
    kv.watch(
      "",
      () => {},
      () => {},
    );
  const [inks, dyes] = [realtime.channel("inks"), realtime.channel("dyes")];
  dyes.publish("a");
  await line.next();
  const asked = assert.rejects(inks.presence(), { code: "NOT_AUTHENTICATED" });
  await line.next();
  const stop = watch();
  await line.next();
  const anew: unknown[] = [];
  pens.onError(() => {
    dyes.close();
    stop();
    watch();
    void inks.subscribe((message) => anew.push(message));
  });
  line.close(4401);
  await asked;
  const next = await connection();
  const frames = [await next.next(), await next.next()];
  assert.deepEqual(frames, [
    { type: "watch", resource: "kv", prefix: "" },
    { type: "subscribe", channel: "inks" },
  ]);
  next.say({ type: "subscribed", channel: "inks" });
  watch();
  const users = inks.presence();
  // The second watch sends no frame, because it shares the subscription of the first.
  assert.deepEqual(await next.next(), { type: "presence", channel: "inks" });
  const from = { id: "u-1", name: "Ada", canvasRole: "viewer" };
  next.say({ type: "message", channel: "inks", event: "a", data: null, from });
  next.say({ type: "presence", channel: "inks", users: [] });
  await users;
  assert.equal(anew.length, 1);
  assert.deepEqual(reports, []);
});

test("a final error without a handler is reported, unless a pending request is rejected with it", async (t) => {
  const reports = gatherReports(t);
  const { realtime, line } = await startSubscribedPage(t);
  const done = realtime.channel("inks").subscribe(() => {});
  line.close(4429);
  await assert.rejects(done, { code: "CONNECTION_LIMIT" });
  assert.deepEqual(
    reports.map((error) => (error as EaselError).code),
    ["CONNECTION_LIMIT"],
  );
});
