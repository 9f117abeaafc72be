import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, describe, it } from "node:test";
import type { Header } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { enter } from "@easel/conformance/realtime/frame";
import { line } from "@easel/conformance/realtime/line";
import { room } from "@easel/conformance/realtime/room";
import { announceAccess } from "../../../src/canvases/open-connections.ts";
import { encodeMessage } from "../../../src/primitives/realtime/subscription.ts";
import { startDev } from "../../support/engines.ts";
import { signIn, startProcess } from "../../support/process.ts";
import { temporaryDirectory } from "../../support/service.ts";
import { entryOf, SlowDb, startNode } from "./realtime-node.ts";
import { CLOSE_FRAME, handshake, Wire } from "./realtime-wire.ts";

/** Opens a WebSocket connection without a client library, and subscribes it to the channel `c`. */
async function dial(base: string, slug: string, headers: Header[]): Promise<Wire> {
  const wire = new Wire(base);
  wire.write(handshake(base, `/v1/c/${slug}/realtime`, headers));
  assert.match(await wire.head(), /^HTTP\/1\.1 101 /);
  assert.equal((await wire.ask({ type: "subscribe", channel: "c" })).type, "subscribed");
  assert.equal((await wire.next()).type, "presence");
  return wire;
}

/** Answers the close frame. Requires that the service has sent nothing after it. */
async function silence(wire: Wire): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  wire.write(CLOSE_FRAME);
  wire.socket.end();
  assert.equal(await wire.rest(), "");
  await wire.gone();
}

describe("a node that stops", async () => {
  const scope = { after };
  const { env } = await startDev(scope);
  const start = async () => {
    const slow = new SlowDb(env.db);
    const node = await startNode(scope, env, { db: slow.db });
    return { ...node, slow, here: await room(node.target) };
  };

  it("sends 1001 after all frames from before", async () => {
    const { env: own, target, stop, here } = await start();
    const { owner, viewer } = here.people;
    const wires = [
      await dial(target.base, here.slug, owner.headers),
      await dial(target.base, here.slug, viewer.headers),
    ];
    assert.equal((await wires[0]?.next())?.type, "join");
    const frames = Array.from({ length: 10 }, (_, index) => JSON.stringify({ type: "message", data: index }));
    // The frames are published in the turn of the event loop in which the node starts to stop.
    for (const frame of frames) void own.bus.publish(`channel ${here.id} c`, encodeMessage(frame));
    const stopped = stop();
    for (const wire of wires) {
      assert.deepEqual(await wire.closing(), { code: 1001, texts: frames });
      await silence(wire);
    }
    await stopped;
  });

  it("does not wait for peers that do not respond or read", async () => {
    const { env: own, target, stop, here } = await start();
    const [silent, deaf] = [
      await dial(target.base, here.slug, here.people.owner.headers),
      await dial(target.base, here.slug, here.people.viewer.headers),
    ];
    deaf.socket.pause();
    const frame = encodeMessage(JSON.stringify({ type: "message", data: "x".repeat(16_000) }));
    for (let each = 0; each < 60; each++) await own.bus.publish(`channel ${here.id} c`, frame);
    const stopped = stop();
    const { code } = await silent.closing();
    assert.equal(code, 1001);
    await stopped;
    await silent.gone();
    deaf.drop();
  });

  it("closes or refuses the connection of a pending handshake, without waiting for it", async () => {
    const { target, stop, slow, here } = await start();
    const held = slow.hold(entryOf(here.people.viewer.email));
    const wire = new Wire(target.base);
    wire.write(handshake(target.base, `/v1/c/${here.slug}/realtime`, here.people.viewer.headers));
    await held.reached;
    const stopped = stop();
    const answers = () =>
      fetch(`${target.base}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until("it takes no more", async () => !(await answers()));
    held.pass();
    const status = Number((await wire.head()).slice(9, 12));
    if (status === 101) assert.equal((await wire.closing()).code, 1001);
    else assert.equal(status, 503);
    await silence(wire);
    await stopped;
  });

  it("while a frame is handled: the close frame, and nothing after it", async () => {
    const { target, stop, slow, here } = await start();
    const wire = await dial(target.base, here.slug, here.people.viewer.headers);
    const held = slow.hold(entryOf(here.people.viewer.email));
    wire.send({ type: "presence", channel: "c" });
    await held.reached;
    const stopped = stop();
    assert.deepEqual(await wire.closing(), { code: 1001, texts: [] });
    held.pass();
    await silence(wire);
    await stopped;
  });

  it("while frames are held: the close frame, and none of them after it", async () => {
    const { env: own, target, stop, slow, here } = await start();
    const wire = await dial(target.base, here.slug, here.people.viewer.headers);
    const held = slow.hold(entryOf(here.people.viewer.email));
    await announceAccess({ canvas: here.id }, own);
    await held.reached;
    await own.bus.publish(`channel ${here.id} c`, encodeMessage('{"type":"message"}'));
    const stopped = stop();
    assert.deepEqual(await wire.closing(), { code: 1001, texts: [] });
    held.pass();
    await silence(wire);
    await stopped;
  });
});

describe("the service as a process", () => {
  it("SIGTERM: 1001 for all, and exit code 0, although a peer never responds", async (t) => {
    const { base, end } = await startProcess(t, await temporaryDirectory(t));
    const headers: Header[] = [["Cookie", (await signIn(base)).cookie]];
    const wires = await Promise.all([1, 2, 3].map(() => dial(base, "guestbook", headers)));
    const [silent, polite, deaf] = wires;
    assert.ok(silent && polite && deaf);
    deaf.socket.pause();
    polite.send({ type: "publish", channel: "c", data: "last" });
    assert.equal((await polite.next()).data, "last");
    const ended = end("SIGTERM");
    for (const wire of [silent, polite]) {
      const { code, texts } = await wire.closing();
      assert.equal(code, 1001);
      assert.deepEqual(
        texts.map((text) => JSON.parse(text).data),
        wire === silent ? ["last"] : [],
      );
    }
    polite.socket.end();
    assert.equal(await ended, 0);
    for (const wire of wires) wire.drop();
  });

  it("a client that is killed: others get its leave frame, and its place is free", async (t) => {
    const { target } = await startDev(t);
    const here = await room(target);
    const open = line(target, t.after.bind(t));
    const witness = await open(here, here.people.owner);
    await enter(witness, "c");
    const others = await Promise.all(Array.from({ length: 28 }, () => open(here, here.people.owner)));
    for (const other of others) await other.settled();
    const url = `${target.base.replace("http", "ws")}/v1/c/${here.slug}/realtime`;
    const options = JSON.stringify({ headers: Object.fromEntries(here.people.viewer.headers) });
    const program = `
      const socket = new WebSocket(${JSON.stringify(url)}, ${options});
      socket.onopen = () => socket.send('{"type":"subscribe","channel":"c"}');`;
    const client = spawn(process.execPath, ["-e", program], { stdio: "inherit" });
    t.after(() => client.kill("SIGKILL"));
    assert.equal((await witness.next()).type, "join");
    assert.equal((await (await open(here, here.people.owner)).end()).code, 4429);
    client.kill("SIGKILL");
    await once(client, "exit");
    assert.deepEqual(await witness.next(), { type: "leave", channel: "c", user: here.users.viewer });
    const last = await open(here, here.people.owner);
    await last.settled();
  });
});
