import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { share, turn } from "@easel/conformance/fixture";
import { enter } from "@easel/conformance/realtime/frame";
import { room } from "@easel/conformance/realtime/room";
import { connect } from "@easel/conformance/realtime/socket";
import { memory } from "../src/drivers/bus/memory.ts";
import { startDev } from "./engines.ts";
import { CountingBus, until } from "./realtime-bus.ts";
import { type Node, startNode } from "./realtime-node.ts";
import { clientFrame, GOODBYE, handshake, Wire } from "./realtime-wire.ts";

const scope = { after };
const { env } = await startDev(scope, { SERVICE_LOG_LEVEL: "fatal" });
const counting = new CountingBus(memory());
const { target } = await startNode(scope, env, { bus: counting.bus });
const here = await room(target);
const usual = [...counting.held];
const { owner, viewer } = here.people;
const PATH = `/v1/c/${here.slug}/realtime`;

/** The owner's connection, byte by byte. */
async function dial(person = owner, base = target.base): Promise<Wire> {
  const wire = new Wire(base);
  wire.write(handshake(base, PATH, person.headers));
  assert.match(await wire.head(), /^HTTP\/1\.1 101 /);
  return wire;
}

/** Has it be on channels and watch something. */
async function settle(wire: Wire): Promise<void> {
  wire.send(
    { type: "subscribe", channel: "a" },
    { type: "subscribe", channel: "b" },
    { type: "watch", resource: "kv" },
    { type: "watch", resource: "kv.user", prefix: "p" },
  );
  for (let frame = await wire.next(); frame.resource !== "kv.user"; frame = await wire.next());
}

/** Nothing is held any more. */
const nothing = () => until("everything is given back", () => counting.held.size === usual.length);

afterEach(() => {
  counting.before = async () => {};
});

/** How a connection ends. */
const ENDS: [name: string, end: (wire: Wire) => unknown][] = [
  ["it is closed", (wire) => wire.write(GOODBYE)],
  ["the line breaks", (wire) => wire.drop()],
  ["it is reset", (wire) => wire.socket.resetAndDestroy()],
  ["the peer ends its half", (wire) => wire.socket.end()],
  [
    "in the middle of a frame",
    (wire) => wire.write(clientFrame({ type: "x" }).subarray(0, 9)) ?? wire.socket.end(),
  ],
  ["a frame that is not masked", (wire) => wire.write(Buffer.from([0x81, 1, 0x61]))],
  ["a frame of more than 128 KiB", (wire) => wire.write(clientFrame(Buffer.alloc(128 * 1024 + 1)))],
  ["bytes that are no text", (wire) => wire.write(clientFrame(Buffer.from([0xff])))],
  [
    "more than 1,024 fragments",
    (wire) =>
      wire.write(
        ...Array.from({ length: 1_100 }, (_, index) =>
          clientFrame("", { opcode: index === 0 ? 1 : 0, fin: false }),
        ),
      ),
  ],
];

describe("what a connection held is given back when it ends", () => {
  for (const [name, end] of ENDS) {
    it(name, async () => {
      const wires = await Promise.all([dial(), dial(), dial(viewer)]);
      await Promise.all(wires.map(settle));
      assert.deepEqual(
        [counting.count("place"), counting.count("present"), counting.count("topic")],
        [3, 6, usual.length + 3],
      );
      for (const wire of wires) {
        end(wire);
        void wire.rest().then(() => wire.socket.end());
      }
      await nothing();
      for (const wire of wires) await wire.gone();
    });
  }

  it("it says goodbye, and leaves its half open", async () => {
    const wire = await dial();
    await settle(wire);
    wire.write(GOODBYE);
    assert.equal((await wire.goodbye()).code, 1000);
    await nothing();
    await wire.gone();
  });

  it("access is lost", async () => {
    const wire = await dial(viewer);
    await settle(wire);
    await share(target, here, "private", {});
    assert.equal((await wire.goodbye()).code, 4401);
    await nothing();
    await share(target, here, "whole_org", {});
    wire.drop();
  });

  it("realtime is switched off", async () => {
    const wire = await dial();
    await settle(wire);
    await turn(target, here, { realtime: false });
    assert.equal((await wire.goodbye()).code, 4403);
    const late = await dial();
    assert.equal((await late.goodbye()).code, 4403);
    await nothing();
    await turn(target, here, { realtime: true });
    for (const each of [wire, late]) each.drop();
  });

  it("the canvas is full: the 31st takes nothing, and each place can be taken again", async () => {
    for (let round = 0; round < 2; round++) {
      const wires = await Promise.all(Array.from({ length: 30 }, () => dial()));
      await Promise.all(wires.map((wire) => wire.ask({ type: "presence", channel: "a" })));
      const late = await dial();
      assert.equal((await late.goodbye()).code, 4429);
      assert.equal(counting.count("place"), 30);
      for (const wire of [...wires, late]) wire.drop();
      await nothing();
    }
  });

  it("a thousand who come and go", async () => {
    for (let round = 0; round < 40; round++) {
      const wires = await Promise.all(Array.from({ length: 25 }, () => dial()));
      for (const wire of wires)
        wire.send({ type: "subscribe", channel: "a" }, { type: "watch", resource: "kv" });
      for (const [index, wire] of wires.entries()) {
        if (index % 2 === 0) await wire.next();
        wire.drop();
      }
      await nothing();
    }
  });
});

/** How a connection ends while the bus is at work for it. */
const GOES: [name: string, end: (wire: Wire, node: Node) => Promise<unknown>][] = [
  [
    "the line breaks",
    async (wire) => {
      wire.drop();
      const other = await dial(viewer);
      await other.ask({ type: "presence", channel: "x" });
      other.drop();
    },
  ],
  [
    "the service stops",
    async (wire, { stop }) => {
      void stop();
      assert.equal((await wire.goodbye()).code, 1001);
      wire.drop();
    },
  ],
];

describe("a bus that takes its time", () => {
  for (const [name, end] of GOES) {
    for (const what of ["hold", "subscribe", "join"] as const) {
      it(`${name} while \`${what}\` is on its way: nothing stays, and nobody is told last that they came`, async () => {
        const node = await startNode(scope, env, { bus: counting.bus });
        const witness = await connect(target, here.slug, viewer);
        await enter(witness, "a");
        const said = counting.said.length;
        const passed = Promise.withResolvers<void>();
        const reached = Promise.withResolvers<void>();
        counting.before = (asked) => {
          if (asked !== what) return Promise.resolve();
          counting.before = async () => {};
          reached.resolve();
          return passed.promise;
        };
        const channel = what === "subscribe" ? "c" : "a";
        const wire = await dial(owner, node.target.base);
        wire.send({ type: "subscribe", channel });
        await reached.promise;
        await end(wire, node);
        passed.resolve();
        await node.stop();
        await until("everything is given back", () => counting.held.size === usual.length + 3);
        const told = counting.said.slice(said).filter((each) => each.includes(` ${channel}: P`));
        const types = told.map((each) => /"type":"(\w+)"/.exec(each)?.[1]);
        assert.ok(types.length === 0 || types.at(-1) === "leave", types.join());
        await witness.settled();
        const { users } = await witness.ask({ type: "presence", channel });
        assert.equal((users as unknown[]).length, what === "subscribe" ? 0 : 1);
        await witness.close();
        await nothing();
      });
    }
  }
});

describe("a bus that fails", () => {
  const fails = (what: string) => {
    counting.before = async (asked) => {
      if (asked === what) throw new Error("the bus is away");
    };
  };

  for (const what of ["hold", "subscribe", "join"] as const) {
    it(`\`${what}\`: 1011, and nothing stays`, async () => {
      fails(what);
      const wire = await dial();
      wire.send({ type: "subscribe", channel: "a" });
      const { code } = await wire.goodbye();
      assert.equal(code, 1011);
      wire.drop();
      await nothing();
    });
  }

  it("`publish`: 1011 to who publishes, nothing to who listens", async () => {
    const [says, hears] = [await dial(), await connect(target, here.slug, viewer)];
    await enter(hears, "a");
    fails("publish");
    says.send({ type: "publish", channel: "a" });
    assert.deepEqual(await says.goodbye(), { code: 1011, texts: [] });
    says.drop();
    assert.deepEqual(await hears.settled(), []);
    counting.before = async () => {};
    await hears.close();
    await nothing();
  });

  it("`publish` at the end of a connection: all that it held is given back nevertheless", async () => {
    const wire = await dial();
    await settle(wire);
    fails("publish");
    wire.drop();
    await nothing();
  });
});
