import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { until } from "@easel/conformance/patience";
import { enter } from "@easel/conformance/realtime/frame";
import { line } from "@easel/conformance/realtime/line";
import { type Room, room } from "@easel/conformance/realtime/room";
import { startDev } from "../../support/engines.ts";
import { entryOf, SlowDb, startNode } from "./realtime-node.ts";
import { clientFrame, handshake, OPCODE, Wire } from "./realtime-wire.ts";

const KIB = 1024;

const scope = { after };
/** The limits of frames are on, although those of requests are off. */
const limited = await startDev(scope);
const free = await startDev(scope, { SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000" });
const calm = await room(limited.target);
const busy = await room(free.target);

/** Opens a WebSocket connection as the viewer, without a client library. */
async function dial(base: string, { slug, people }: Room): Promise<Wire> {
  const wire = new Wire(base);
  wire.write(handshake(base, `/v1/c/${slug}/realtime`, people.viewer.headers));
  assert.match(await wire.head(), /^HTTP\/1\.1 101 /);
  return wire;
}
const times = (count: number, ...frames: Buffer[]) =>
  Buffer.concat(Array.from({ length: count }, () => frames).flat());

const ping = clientFrame("", { opcode: OPCODE.ping });
const pong = clientFrame("", { opcode: OPCODE.pong });
const publish = clientFrame({ type: "publish", channel: "participants:c" });
const RATE_LIMITED = "RATE_LIMITED";

describe("frames past the rate limit: 1,000 errors, then 1008", () => {
  const floods: [name: string, frame: Buffer, allowed: number, answers: number][] = [
    ["pongs", pong, 600, 0],
    ["invalid frames", clientFrame("?"), 600, 600],
    ["empty frames", clientFrame(""), 600, 600],
    ["binary frames", clientFrame("", { opcode: OPCODE.binary }), 600, 600],
    ["frames that are too large", clientFrame(Buffer.alloc(16 * KIB + 1)), 600, 600],
    ["publishing", publish, 100, 0],
    ["unsubscribing", clientFrame({ type: "unsubscribe", channel: "c" }), 600, 0],
    [
      "empty messages in ten empty fragments",
      Buffer.concat([
        clientFrame("", { fin: false }),
        times(9, clientFrame("", { opcode: OPCODE.more, fin: false })),
        clientFrame("", { opcode: OPCODE.more }),
      ]),
      600,
      600,
    ],
  ];
  for (const [name, frame, allowed, answers] of floods) {
    it(name, async () => {
      const wire = await dial(limited.target.base, calm);
      wire.write(times(allowed + 1_001, frame));
      const { code, texts } = await wire.closing();
      const codes = texts.map((text) => JSON.parse(text).code);
      assert.equal(code, 1008);
      assert.equal(codes.filter((each) => each === RATE_LIMITED).length, 1_000);
      assert.equal(codes.length, answers + 1_000);
      wire.drop();
    });
  }

  it("pings, a few at a time", async () => {
    const wire = await dial(limited.target.base, calm);
    let [pongs, refusals] = [0, 0];
    let code: number | null = null;
    for (let sent = 0; code === null; sent += 40) {
      wire.write(times(40, ping), clientFrame(String(sent), { opcode: OPCODE.ping }));
      let isLast = false;
      while (code === null && !isLast) {
        const frame = await wire.frame();
        assert.ok(frame !== null);
        if (frame.opcode === OPCODE.pong) pongs++;
        if (frame.text.includes(RATE_LIMITED)) refusals++;
        isLast = frame.text === String(sent);
        code = frame.code;
      }
    }
    assert.equal(code, 1008);
    assert.deepEqual([refusals, pongs >= 1_600], [1_000, true]);
    wire.drop();
  });

  it("pongs within the limit do not close the connection", async () => {
    const wire = await dial(limited.target.base, calm);
    wire.write(times(600, pong));
    wire.send({ type: "publish", channel: "participants:c" }, { type: "presence", channel: "c" });
    assert.deepEqual([(await wire.next()).code, wire.socket.readableEnded], [RATE_LIMITED, false]);
    wire.drop();
  });
});

it("1,000 pings in one packet: dropped without a close frame", async () => {
  const wire = await dial(free.target.base, busy);
  wire.write(times(1_000, ping));
  assert.deepEqual(await wire.closing(), { code: null, texts: [] });
  await wire.gone();
});

describe("messages past the limits of the parser", () => {
  const rows: [name: string, bytes: Buffer, code: number][] = [
    ["1 MiB", clientFrame(Buffer.alloc(KIB * KIB)), 1009],
    [
      "1 MiB in fragments of 16 KiB",
      Buffer.concat([
        clientFrame(Buffer.alloc(16 * KIB), { fin: false }),
        times(63, clientFrame(Buffer.alloc(16 * KIB), { opcode: OPCODE.more, fin: false })),
      ]),
      1009,
    ],
    [
      "a length that is not followed by data",
      Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      1009,
    ],
    [
      "1,025 empty fragments",
      Buffer.concat([
        clientFrame("", { fin: false }),
        times(1_024, clientFrame("", { opcode: OPCODE.more, fin: false })),
      ]),
      1008,
    ],
  ];
  for (const [name, bytes, code] of rows) {
    it(`${name}: ${code}`, async () => {
      const wire = await dial(free.target.base, busy);
      wire.write(bytes);
      const closing = await wire.closing();
      assert.equal(closing.code, code);
      assert.deepEqual(
        closing.texts.map((text) => JSON.parse(text).code),
        code === 1009 ? ["MESSAGE_TOO_LARGE"] : [],
      );
      wire.drop();
    });
  }
});

describe("a flood on one canvas, without rate limits: round trips on another canvas complete", () => {
  const { target } = free;
  const dialLine = line(target);

  /** The most frames of the flood that may be answered during one round trip on the other canvas. */
  const MOST = 100_000;
  const floods: [name: string, frame: Buffer][] = [
    ["invalid frames", clientFrame("?".repeat(20))],
    ["presence", clientFrame({ type: "presence", channel: "c" })],
    ["publishing to oneself", publish],
    ["frames of 17 KiB", clientFrame(Buffer.alloc(17 * KIB))],
  ];
  for (const [name, frame] of floods) {
    it(name, async () => {
      const there = await room(target);
      const victim = await dialLine(there, there.people.owner);
      const wire = await dial(target.base, busy);
      assert.equal((await wire.ask({ type: "subscribe", channel: "participants:c" })).type, "subscribed");
      assert.equal((await wire.next()).type, "presence");
      let answered = 0;
      let flooding = true;
      const chunk = times(Math.max(1, Math.floor((256 * KIB) / frame.length)), frame);
      const pour = () => {
        while (flooding && wire.socket.write(chunk));
      };
      wire.socket.on("drain", pour);
      pour();
      const counting = (async () => {
        for (let each = await wire.frame(); each !== null; each = await wire.frame())
          if (each.opcode === OPCODE.text) answered++;
      })();
      await until("the flood is there", () => answered > 100);
      const costs: number[] = [];
      for (let trip = 0; trip < 5; trip++) {
        const before = answered;
        await victim.settled();
        costs.push(answered - before);
      }
      flooding = false;
      wire.drop();
      await counting;
      assert.ok(Math.max(...costs) > 0, `the flood went on: ${costs.join()}`);
      assert.ok(Math.max(...costs) < MOST, costs.join());
    });
  }
});

it("a client that does not read is dropped; another on the same channel gets everything in order", async () => {
  const { target } = free;
  const here = await room(target);
  const { owner, editor } = here.people;
  const open = line(target, after);
  const [says, hears] = [await open(here, owner), await open(here, editor)];
  const channel = "c";
  await enter(hears, channel);
  const wire = await dial(target.base, here);
  assert.equal((await wire.ask({ type: "subscribe", channel })).type, "subscribed");
  wire.socket.pause();
  assert.equal((await hears.next()).type, "join");
  const data = "x".repeat(15 * KIB);
  let last = -1;
  for (let sent = 0; last < 0; sent++) {
    assert.ok(sent < 10_000, "it is never dropped");
    says.send({ type: "publish", channel, event: String(sent), data });
    const frame = await hears.next();
    if (frame.type === "leave") last = sent;
    else assert.equal(frame.event, String(sent));
  }
  assert.equal((await hears.next()).event, String(last));
  assert.deepEqual((await hears.ask({ type: "presence", channel })).users, [here.users.editor]);
  await wire.gone();
});

it("the socket is paused while frames cannot be handled; afterwards all are handled", async () => {
  const slow = new SlowDb(free.env.db);
  const { target } = await startNode(scope, free.env, { db: slow.db });
  const wire = await dial(target.base, busy);
  const other = await line(target, after)(busy, busy.people.owner);
  assert.equal((await wire.ask({ type: "presence", channel: "c" })).type, "presence");
  const held = slow.hold(entryOf(busy.people.viewer.email));
  const frame = clientFrame({ type: "unsubscribe", channel: "c", more: "x".repeat(8 * KIB) });
  wire.write(times(4_096, frame), clientFrame({ type: "presence", channel: "last" }));
  await held.reached;
  // The socket is paused when the service reads nothing more from it during 50 round trips on another connection.
  for (let [trips, waiting] = [0, 0]; trips < 50; trips++) {
    await other.settled();
    if (wire.socket.writableLength !== waiting) trips = 0;
    waiting = wire.socket.writableLength;
    assert.notEqual(waiting, 0, "all of it is read");
  }
  held.pass();
  assert.equal((await wire.next()).channel, "last");
  wire.drop();
});
