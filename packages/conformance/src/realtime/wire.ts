import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterEach, before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import type { Target } from "../target.ts";
import { FIN, framed, MASKED, OPCODES, Wire } from "./bytes.ts";
import { shake, UPGRADE } from "./handshake.ts";

const { text: TEXT, binary: BINARY, close: CLOSE, ping: PING, pong: PONG } = OPCODES;
const PRESENCE = '{"type":"presence","channel":"c"}';
const ANSWER = '{"type":"presence","channel":"c","users":[]}';

/** Bytes that violate the WebSocket protocol, each with the code with which the service closes the connection. */
const BROKEN: [name: string, code: number, bytes: Buffer][] = [
  ["a frame without a mask", 1002, framed(FIN | TEXT, PRESENCE, 0)],
  ["the bit of an extension", 1002, framed(FIN | 0x40 | TEXT, PRESENCE)],
  ["a reserved bit", 1002, framed(FIN | 0x20 | TEXT, PRESENCE)],
  ["a kind of frame that there is not", 1002, framed(FIN | 0x3, PRESENCE)],
  ["the end of what has not begun", 1002, framed(FIN, PRESENCE)],
  ["a text within a text", 1002, Buffer.concat([framed(TEXT, "{"), framed(FIN | TEXT, PRESENCE)])],
  ["a ping in fragments", 1002, framed(PING, "p")],
  ["a close of one byte", 1002, framed(FIN | CLOSE, "x")],
  ["a close with a code that there is not", 1002, framed(FIN | CLOSE, Buffer.from([0x03, 0xec]))],
  ["text that is not UTF-8", 1007, framed(FIN | TEXT, Buffer.from([0x22, 0xc3, 0x28, 0x22]))],
  ["a surrogate in UTF-8", 1007, framed(FIN | TEXT, Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))],
  [
    "a gigabyte announced",
    1009,
    Buffer.from([FIN | TEXT, MASKED | 127, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0]),
  ],
];

/** Tests the WebSocket protocol that carries the JSON frames: handshake, fragments, masks, pings, closing and invalid bytes. */
export function wire(target: Target): void {
  describe("the protocol below the frames", () => {
    const opened: Wire[] = [];
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });
    afterEach(() => {
      for (const each of opened.splice(0)) each.end();
    });
    const dial = async () => {
      const { answer, wire: duplex, head } = await shake(target, canvas.slug, canvas.people.owner);
      assert.ok(duplex, `${answer.status} ${answer.text}`);
      const made = new Wire(duplex, head);
      opened.push(made);
      return made;
    };
    const says = async (wire: Wire, opcode: number, payload: string) => {
      const next = await wire.next();
      assert.deepEqual([next.opcode, next.payload.toString()], [opcode, payload]);
    };

    it("the response to a handshake has the right key, and chooses nothing that was not offered", async () => {
      const { answer, wire: duplex } = await shake(target, canvas.slug, canvas.people.owner);
      duplex?.destroy();
      const key = new Map(UPGRADE).get("Sec-WebSocket-Key");
      const proof = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      assert.equal(answer.status, 101);
      assert.equal(answer.headers["sec-websocket-accept"], proof);
      assert.equal(answer.headers["sec-websocket-protocol"], undefined);
      assert.equal(answer.headers["sec-websocket-extensions"], undefined);
    });

    it("frames may come byte by byte, in fragments, and many at once", async () => {
      const wire = await dial();
      for (const byte of framed(FIN | TEXT, PRESENCE)) await wire.write(Buffer.from([byte]));
      await says(wire, TEXT, ANSWER);
      const [half, rest] = [PRESENCE.slice(0, 10), PRESENCE.slice(10)];
      await wire.write(Buffer.concat([framed(TEXT, half), framed(0, ""), framed(FIN, rest)]));
      await says(wire, TEXT, ANSWER);
      await wire.write(Buffer.concat(new Array(3).fill(framed(FIN | TEXT, PRESENCE))));
      for (let turn = 0; turn < 3; turn++) await says(wire, TEXT, ANSWER);
    });

    it("a frame may have any masking key", async () => {
      const wire = await dial();
      const mask = Buffer.from([0x11, 0xff, 0x00, 0x9c]);
      const masked = Buffer.from(PRESENCE).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
      await wire.write(Buffer.concat([Buffer.from([FIN | TEXT, MASKED | masked.length]), mask, masked]));
      await says(wire, TEXT, ANSWER);
    });

    it("a ping is answered, within a message, too; a pong is not", async () => {
      const wire = await dial();
      const [half, rest] = [PRESENCE.slice(0, 10), PRESENCE.slice(10)];
      await wire.write(framed(FIN | PONG, "unasked"));
      await wire.write(Buffer.concat([framed(TEXT, half), framed(FIN | PING, "within"), framed(FIN, rest)]));
      await says(wire, PONG, "within");
      await says(wire, TEXT, ANSWER);
    });

    it("an empty binary message is INVALID_FRAME, and the connection stays open", async () => {
      const wire = await dial();
      await wire.write(Buffer.concat([framed(FIN | BINARY, ""), framed(FIN | TEXT, PRESENCE)]));
      assert.equal(JSON.parse((await wire.next()).payload.toString()).code, "INVALID_FRAME");
      await says(wire, TEXT, ANSWER);
    });

    it("a close is answered with its code", async () => {
      for (const code of [1000, 1001, 1009, 3000, 4401]) {
        const wire = await dial();
        const bytes = Buffer.alloc(2);
        bytes.writeUInt16BE(code);
        await wire.write(framed(FIN | CLOSE, bytes));
        assert.equal(await wire.closed(), code);
      }
    });

    for (const [name, code, bytes] of BROKEN) {
      it(`${name}: ${code}`, async () => {
        const wire = await dial();
        await wire.write(bytes);
        if (code === 1009) {
          const { opcode, payload } = await wire.next();
          assert.deepEqual([opcode, JSON.parse(payload.toString()).code], [TEXT, "MESSAGE_TOO_LARGE"]);
        }
        assert.equal(await wire.closed(), code);
      });
    }

    it("a connection lost amid a message does not affect others", async () => {
      const [broken, whole] = [await dial(), await dial()];
      await broken.write(framed(FIN | TEXT, PRESENCE).subarray(0, 9));
      broken.end();
      await whole.write(framed(FIN | TEXT, PRESENCE));
      await says(whole, TEXT, ANSWER);
    });
  });
}
