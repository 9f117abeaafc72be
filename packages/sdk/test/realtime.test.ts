import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel, type Member, type Message } from "../src/index.ts";
import { startPage, startServer, startSubscribedPage } from "./realtime-server.ts";
import { page } from "./support.ts";

const ada = { id: "u-1", name: "Ada" };
const bob = { id: "u-2", name: "Bob" };
const subscribe = { type: "subscribe", channel: "pens" };
const unsubscribe = { type: "unsubscribe", channel: "pens" };
const presence = { type: "presence", channel: "pens" };
const subscribed = { type: "subscribed", channel: "pens" };
const closed = { name: "EaselError", code: "CHANNEL_CLOSED", status: 0 };

test("`subscribe` resolves when the service confirms, and the handler gets every message", async (t) => {
  const { page, connection } = await startServer(t);
  const { realtime } = createEasel(page);
  const pens = realtime.channel("pens");
  const message = Promise.withResolvers<Message>();
  let settled = false;
  const done = pens.subscribe(message.resolve).then(() => {
    settled = true;
  });
  const line = await connection();
  assert.equal(line.path, "/v1/c/tea/realtime");
  assert.deepEqual(await line.next(), subscribe);
  assert.equal(settled, false);
  line.say(subscribed);
  await done;
  const said = { event: "move", data: { x: 1 }, from: { ...ada, canvasRole: "viewer" } };
  line.say({ type: "message", channel: "pens", ...said });
  assert.deepEqual(await message.promise, said);
  pens.close();
  assert.equal(await line.closed, 1005);
});

test("in subdomain mode the connection goes to the base host, with TLS if the page uses it", async () => {
  const addresses: string[] = [];
  class Fake {
    constructor(address: string) {
      addresses.push(address);
    }
  }
  for (const url of ["https://tea.easel.example/", "http://tea.localhost:3000/", page.url])
    createEasel({ url, WebSocket: Fake as unknown as typeof WebSocket })
      .realtime.channel("a")
      .publish("b");
  assert.deepEqual(addresses, [
    "wss://easel.example/v1/c/tea/realtime",
    "ws://localhost:3000/v1/c/tea/realtime",
    "wss://easel.example/v1/c/tea/realtime",
  ]);
});

test("all channels share one connection, which opens with the first and closes with the last", async (t) => {
  const { realtime, connection } = await startPage(t);
  const [pens, inks] = [realtime.channel("pens"), realtime.channel("inks")];
  pens.onJoin(() => {});
  inks.publish("a", 1);
  pens.publish("b");
  pens.publish("", null);
  const line = await connection();
  assert.deepEqual(await line.next(), { type: "publish", channel: "inks", event: "a", data: 1 });
  assert.deepEqual(await line.next(), { type: "publish", channel: "pens", event: "b" });
  assert.deepEqual(await line.next(), { type: "publish", channel: "pens", event: "", data: null });
  inks.close();
  pens.publish("c", [2]);
  assert.deepEqual(await line.next(), { type: "publish", channel: "pens", event: "c", data: [2] });
  pens.close();
  assert.equal(await line.closed, 1005);
});

test("going from the last channel to another one keeps the connection", async (t) => {
  const { line, pens, realtime } = await startSubscribedPage(t);
  pens.close();
  realtime.channel("inks").publish("a");
  assert.deepEqual(await line.next(), unsubscribe);
  assert.deepEqual(await line.next(), { type: "publish", channel: "inks", event: "a" });
});

test("`channel` returns the same object for the same name, until it is closed", async (t) => {
  const { realtime, pens } = await startSubscribedPage(t);
  assert.equal(realtime.channel("pens"), pens);
  pens.close();
  pens.close();
  const anew = realtime.channel("pens");
  assert.notEqual(anew, pens);
  pens.close();
  assert.equal(realtime.channel("pens"), anew);
});

test("several handlers share one subscription", async (t) => {
  const { line, pens, messages } = await startSubscribedPage(t);
  const second = Promise.withResolvers<Message>();
  await pens.subscribe(second.resolve);
  const said = { event: "", data: null, from: { ...bob, canvasRole: "owner" } };
  line.say({ type: "message", channel: "pens", ...said });
  assert.deepEqual(await second.promise, said);
  assert.deepEqual(messages, [said]);
  pens.publish("next");
  assert.deepEqual(await line.next(), { type: "publish", channel: "pens", event: "next" });
});

test("a request is not sent again while it is pending", async (t) => {
  const { line, realtime } = await startSubscribedPage(t);
  const inks = realtime.channel("inks");
  const all = [1, 2].flatMap(() => [inks.subscribe(() => {}), inks.presence()]);
  assert.deepEqual(await line.next(), { type: "subscribe", channel: "inks" });
  assert.deepEqual(await line.next(), { type: "presence", channel: "inks" });
  line.say({ type: "subscribed", channel: "inks" });
  line.say({ type: "presence", channel: "inks", users: [ada] });
  assert.deepEqual(await Promise.all(all), [undefined, [ada], undefined, [ada]]);
  inks.unsubscribe();
  assert.deepEqual(await line.next(), { type: "unsubscribe", channel: "inks" });
});

test("frames of one channel do not reach another", async (t) => {
  const { line, pens, messages, realtime } = await startSubscribedPage(t);
  const errors: unknown[] = [];
  const odd = realtime.channel("__proto__");
  for (const each of [pens, odd]) each.onError((error) => errors.push(error));
  const users = odd.presence();
  assert.deepEqual(await line.next(), { type: "presence", channel: "__proto__" });
  const from = { ...ada, canvasRole: "viewer" };
  line.say({ type: "message", channel: "__proto__", event: "a", data: 1, from });
  line.say({ type: "error", code: "RATE_LIMITED", message: "m", channel: "other" });
  line.say({ type: "presence", channel: "__proto__", users: [] });
  assert.deepEqual(await users, []);
  assert.deepEqual([messages, errors], [[], []]);
});

test("`onJoin`, `onLeave` and `onPresence` call their handlers until they are removed", async (t) => {
  const { line, pens } = await startSubscribedPage(t);
  const told: unknown[] = [];
  const users = (all: Member[]) => told.push(["users", ...all]);
  const stops = [
    pens.onJoin((user) => told.push(["join", user])),
    pens.onLeave((user) => told.push(["leave", user])),
    pens.onPresence(users),
  ];
  pens.onPresence(users);
  const say = async (all: Member[]) => {
    line.say({ type: "join", channel: "pens", user: ada });
    line.say({ type: "leave", channel: "pens", user: bob });
    const asked = pens.presence();
    assert.deepEqual(await line.next(), presence);
    line.say({ type: "presence", channel: "pens", users: all });
    assert.deepEqual(await asked, all);
  };
  await say([ada, bob]);
  assert.deepEqual(told.splice(0), [
    ["join", ada],
    ["leave", bob],
    ["users", ada, bob],
    ["users", ada, bob],
  ]);
  for (const stop of stops) stop();
  await say([bob]);
  assert.deepEqual(told.splice(0), [["users", bob]]);
  const stopped: (() => void)[] = [];
  pens.onPresence(() => stopped[0]?.());
  stopped.push(pens.onPresence(() => assert.fail("stopped by the one before it")));
  await say([ada]);
});

test("`unsubscribe` ends the messages, also of a subscription confirmed afterwards", async (t) => {
  const { line, pens, messages } = await startSubscribedPage(t);
  pens.unsubscribe();
  pens.unsubscribe();
  assert.deepEqual(await line.next(), unsubscribe);
  line.say({ type: "message", channel: "pens", event: "a", data: 1, from: { ...ada, canvasRole: "viewer" } });
  const done = pens.subscribe(() => {});
  assert.deepEqual(await line.next(), subscribe);
  pens.unsubscribe();
  await assert.rejects(done, closed);
  assert.deepEqual(await line.next(), unsubscribe);
  line.say(subscribed);
  assert.deepEqual(await line.next(), unsubscribe);
  assert.deepEqual(messages, []);
});

test("a closed channel sends nothing, and its pending requests are rejected", async (t) => {
  const { line, pens } = await startSubscribedPage(t);
  const users = pens.presence();
  assert.deepEqual(await line.next(), presence);
  pens.close();
  await assert.rejects(users, closed);
  await assert.rejects(pens.presence(), closed);
  await assert.rejects(
    pens.subscribe(() => {}),
    closed,
  );
  assert.throws(() => pens.publish("a"), closed);
  pens.unsubscribe();
  assert.deepEqual(await line.next(), unsubscribe);
  assert.equal(await line.closed, 1005);
});
