import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { queryObjects } from "node:v8";
import { share, turn } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { Connection } from "../../../src/primitives/realtime/connection.ts";
import { CountedNode } from "./counted-node.ts";
import { CLOSE_FRAME, clientFrame, OPCODE, type Wire } from "./realtime-wire.ts";

const scope = { after };
const node = await CountedNode.start(scope);
const { target, counting, here, usual } = node;
const { viewer } = here.people;
const dial: CountedNode["dial"] = (...to) => node.dial(...to);

/** Ways in which a connection ends. */
const ENDS: [name: string, end: (wire: Wire) => unknown][] = [
  ["it is closed", (wire) => wire.write(CLOSE_FRAME)],
  ["the socket is dropped", (wire) => wire.drop()],
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
          clientFrame("", { opcode: index === 0 ? OPCODE.text : OPCODE.more, fin: false }),
        ),
      ),
  ],
];

describe("a connection releases what it holds on the bus when it ends", () => {
  for (const [name, end] of ENDS) {
    it(name, async () => {
      const wires = await Promise.all([dial(), dial(), dial(viewer)]);
      await Promise.all(wires.map((wire) => node.settle(wire)));
      assert.deepEqual(
        [counting.count("place"), counting.count("present"), counting.count("topic")],
        [3, 6, usual + 3],
      );
      for (const wire of wires) {
        end(wire);
        void wire.rest().then(() => wire.socket.end());
      }
      await node.emptied();
      for (const wire of wires) await wire.gone();
    });
  }

  it("a close frame, with the client's half left open", async () => {
    const wire = await dial();
    await node.settle(wire);
    wire.write(CLOSE_FRAME);
    assert.equal((await wire.closing()).code, 1000);
    await node.emptied();
    await wire.gone();
  });

  it("access is lost", async () => {
    const wire = await dial(viewer);
    await node.settle(wire);
    await share(target, here, "private", {});
    assert.equal((await wire.closing()).code, 4401);
    await node.emptied();
    await share(target, here, "whole_org", {});
    wire.drop();
  });

  it("realtime is switched off", async () => {
    const wire = await dial();
    await node.settle(wire);
    await turn(target, here, { realtime: false });
    assert.equal((await wire.closing()).code, 4403);
    const late = await dial();
    assert.equal((await late.closing()).code, 4403);
    await node.emptied();
    await turn(target, here, { realtime: true });
    for (const each of [wire, late]) each.drop();
  });

  it("a full canvas: the 31st connection holds nothing, and places can be taken again", async () => {
    for (let round = 0; round < 2; round++) {
      const wires = await Promise.all(Array.from({ length: 30 }, () => dial()));
      await Promise.all(wires.map((wire) => wire.ask({ type: "presence", channel: "a" })));
      const late = await dial();
      assert.equal((await late.closing()).code, 4429);
      assert.equal(counting.count("place"), 30);
      for (const wire of [...wires, late]) wire.drop();
      await node.emptied();
    }
  });

  it("a thousand connections that are opened and dropped", async () => {
    for (let round = 0; round < 40; round++) {
      const wires = await Promise.all(Array.from({ length: 25 }, () => dial()));
      for (const wire of wires)
        wire.send({ type: "subscribe", channel: "a" }, { type: "watch", resource: "kv" });
      for (const [index, wire] of wires.entries()) {
        if (index % 2 === 0) await wire.next();
        wire.drop();
      }
      await node.emptied();
    }
  });
});

it("no connection stays in memory after all of that", async () => {
  await until("all of them are gone", () => queryObjects(Connection, { format: "count" }) === 0);
});
