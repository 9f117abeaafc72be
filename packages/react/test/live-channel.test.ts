import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel } from "../../sdk/src/easel.ts";
import { fakeSocket } from "../../sdk/test/fake-socket.ts";
import { fakeService, page } from "../../sdk/test/support.ts";
import { createLiveChannel } from "../src/live-channel.ts";

const ada = { id: "u-1", name: "Ada" };
const turn = () => new Promise(setImmediate);

/** Creates a channel on a fake service that has one person. */
function start(name = "pens") {
  const { WebSocket, frames } = fakeSocket();
  const { realtime } = createEasel({ ...page, fetch: fakeService().fetch, WebSocket });
  const channel = createLiveChannel(realtime, name);
  const types = () => frames.splice(0).map(({ type }) => type);
  return { channel, realtime, frames, types };
}

test("components of a channel share a subscription, and each gets every message", async () => {
  const { channel, types } = start();
  const heard: unknown[] = [];
  const close = channel.subscribe(() => {});
  const stops = ["a", "b"].map((name) => channel.join(({ data }) => heard.push([name, data])));
  await turn();
  channel.publish("move", 1);
  await turn();
  assert.deepEqual(heard.splice(0), [
    ["a", 1],
    ["b", 1],
  ]);
  assert.deepEqual(channel.getState(), { members: [ada], error: undefined });
  stops[0]?.();
  channel.publish("move", 2);
  await turn();
  assert.deepEqual(heard, [["b", 2]]);
  assert.deepEqual(types(), ["subscribe", "publish", "publish"]);
  stops[1]?.();
  await turn();
  assert.deepEqual([types(), channel.getState().members], [["unsubscribe"], undefined]);
  close();
});

test("a component without a handler publishes and does not subscribe", async () => {
  const { channel, frames } = start();
  const close = channel.subscribe(() => {});
  channel.batch("stroke")(1);
  channel.publish("move", 2);
  await turn();
  channel.latest("cursor")(3);
  close();
  await turn();
  assert.deepEqual(
    frames.map(({ type, event, data }) => [type, event, data]),
    [
      ["publish", "move", 2],
      ["publish", "stroke", [1]],
      ["publish", "cursor", 3],
    ],
  );
});

test("the channel is closed with its last component, and opened again by the next", async () => {
  const { channel, realtime, types } = start();
  for (let times = 0; times < 2; times++) {
    const stops = [channel.subscribe(() => {}), channel.join(() => {})];
    await turn();
    const opened = realtime.channel("pens");
    for (const stop of stops) stop();
    await turn();
    assert.notEqual(realtime.channel("pens"), opened);
    assert.deepEqual(channel.getState(), channel.initial);
    realtime.channel("pens").close();
    assert.deepEqual(types(), ["subscribe", "unsubscribe"]);
  }
});

test("a handler that is replaced at once, as StrictMode does, keeps the subscription", async () => {
  const { channel, types } = start();
  channel.subscribe(() => {})();
  channel.subscribe(() => {});
  channel.join(() => {})();
  channel.join(() => {});
  await turn();
  assert.deepEqual(types(), ["subscribe"]);
});

test("a component that goes before the subscription is confirmed leaves no error", async () => {
  const { channel } = start();
  channel.subscribe(() => {});
  channel.join(() => {})();
  await turn();
  await turn();
  assert.equal(channel.getState().error, undefined);
});

test("errors are in the state until the next use, and nothing throws", async () => {
  const { channel } = start();
  channel.subscribe(() => {});
  channel.publish("move", "a".repeat(20_000));
  assert.equal(channel.getState().error?.code, "MESSAGE_TOO_LARGE");
  channel.publish("move", 1);
  assert.equal(channel.getState().error, undefined);
  const unnamed = start("").channel;
  unnamed.subscribe(() => {});
  unnamed.join(() => {});
  assert.equal(unnamed.getState().error?.code, "INVALID_BODY");
});
