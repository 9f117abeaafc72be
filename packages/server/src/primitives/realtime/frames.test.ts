import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CLOSE_CODES, FRAME_ERRORS } from "@easel/protocol/realtime";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import { errorFrame, isNameTooLong, parseFrame, subjectOf } from "./frames.ts";

const KIB = 1024;
const read = (frame: string | Json, isBinary = false) =>
  parseFrame(Buffer.from(typeof frame === "string" ? frame : JSON.stringify(frame)), isBinary);
const longest = "é".repeat(64);
const tooLong = `${longest}x`;
const refused = (code: string, channel?: string) => ({
  code,
  subject: channel === undefined ? {} : { channel },
});
const keys = (resource: string, prefix = "") => ({ resource, prefix });
const records = (name: string) => ({ resource: "collection", name });

/** Valid frames, each with the expected result of the parser. */
const GOOD: [frame: Json, means: object][] = [
  [
    { type: "subscribe", channel: "c" },
    { type: "subscribe", channel: "c" },
  ],
  [
    { type: "unsubscribe", channel: longest },
    { type: "unsubscribe", channel: longest },
  ],
  [
    { type: "presence", channel: "\0" },
    { type: "presence", channel: "\0" },
  ],
  [
    { type: "presence", channel: "__proto__", event: 1, resource: "kv" },
    { type: "presence", channel: "__proto__" },
  ],
  [
    { type: "publish", channel: "c" },
    { type: "publish", channel: "c", event: "", data: null },
  ],
  [
    { type: "publish", channel: "c", event: "", data: null },
    { type: "publish", channel: "c", event: "", data: null },
  ],
  [
    { data: [{ a: "\ud800" }], event: "e", channel: "c", type: "publish", from: { id: "me" } },
    { type: "publish", channel: "c", event: "e", data: [{ a: "\ud800" }] },
  ],
  [
    { type: "watch", resource: "kv" },
    { type: "watch", target: keys("kv"), resume: false },
  ],
  [
    { type: "watch", resource: "kv", name: "n" },
    { type: "watch", target: keys("kv"), resume: false },
  ],
  [
    { type: "watch", resource: "kv.user", prefix: "p", resume: true },
    { type: "watch", target: keys("kv.user", "p"), resume: true },
  ],
  [
    { type: "watch", resource: "collection", name: "n", prefix: 1 },
    { type: "watch", target: records("n"), resume: false },
  ],
  [
    { type: "unwatch", resource: "kv", prefix: "" },
    { type: "unwatch", target: keys("kv") },
  ],
  [
    { type: "unwatch", resource: "collection", name: "n", resume: "yes" },
    { type: "unwatch", target: records("n") },
  ],
];

const BAD: [frame: Json, refused: object][] = [
  [{}, refused("UNKNOWN_FRAME")],
  [{ channel: "c" }, refused("UNKNOWN_FRAME", "c")],
  [{ type: null, channel: longest }, refused("UNKNOWN_FRAME", longest)],
  [{ type: 1, channel: tooLong }, refused("UNKNOWN_FRAME")],
  [{ type: ["subscribe"], channel: "" }, refused("UNKNOWN_FRAME")],
  [{ type: "Subscribe", channel: ["c"] }, refused("UNKNOWN_FRAME")],
  [{ type: "toString", channel: "c" }, refused("UNKNOWN_FRAME", "c")],
  [{ type: "__proto__", channel: "c" }, refused("UNKNOWN_FRAME", "c")],
  [{ type: "constructor" }, refused("UNKNOWN_FRAME")],
  [{ type: "subscribe" }, refused("INVALID_FRAME")],
  [{ type: "subscribe", channel: "" }, refused("INVALID_FRAME")],
  [{ type: "unsubscribe", channel: null }, refused("INVALID_FRAME")],
  [{ type: "presence", channel: ["c"] }, refused("INVALID_FRAME")],
  [{ type: "publish", event: "e", data: 1 }, refused("INVALID_FRAME")],
  [{ type: "publish", channel: "c", event: null }, refused("INVALID_FRAME", "c")],
  [{ type: "publish", channel: "c", event: 1 }, refused("INVALID_FRAME", "c")],
  [{ type: "publish", channel: tooLong, event: [] }, refused("INVALID_FRAME")],
  [{ type: "watch" }, refused("INVALID_FRAME")],
  [{ type: "watch", resource: "KV" }, refused("INVALID_FRAME")],
  [{ type: "watch", resource: "submission", channel: "c" }, refused("INVALID_FRAME", "c")],
  [{ type: "watch", resource: "collection" }, refused("INVALID_FRAME")],
  [{ type: "watch", resource: "collection", name: "" }, refused("INVALID_FRAME")],
  [{ type: "watch", resource: "collection", prefix: "n" }, refused("INVALID_FRAME")],
  [{ type: "watch", resource: "kv", prefix: null }, refused("INVALID_FRAME")],
  [{ type: "watch", resource: "kv", prefix: 1 }, refused("INVALID_FRAME")],
  [{ type: "watch", resource: "kv", resume: 1 }, refused("INVALID_FRAME")],
  [{ type: "watch", resource: "kv", resume: null }, refused("INVALID_FRAME")],
  [{ type: "unwatch", resource: "kv", prefix: {} }, refused("INVALID_FRAME")],
];

describe("valid frames", () => {
  for (const [frame, means] of GOOD) test(JSON.stringify(frame), () => assert.deepEqual(read(frame), means));
});

describe("invalid frames, with the subject of the error", () => {
  for (const [frame, means] of BAD) test(JSON.stringify(frame), () => assert.deepEqual(read(frame), means));

  test("anything but a JSON object is INVALID_FRAME", () => {
    for (const text of [
      "",
      " ",
      "null",
      "[]",
      '"subscribe"',
      "1",
      "{",
      "{}{}",
      '\ufeff{"type":"x"}',
      "{'a':1}",
    ])
      assert.deepEqual(read(text), refused("INVALID_FRAME"), text);
    assert.deepEqual(read('{"type":"publish","channel":"c","data":1e400}'), refused("INVALID_FRAME"));
    const deep = `{"type":"publish","channel":"c","data":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    assert.deepEqual(read(deep), refused("INVALID_FRAME"));
    assert.deepEqual(parseFrame(Buffer.from([0x7b, 0xff, 0x7d]), false), refused("INVALID_FRAME"));
  });

  test("a binary frame is INVALID_FRAME", () => {
    assert.deepEqual(read({ type: "subscribe", channel: "c" }, true), refused("INVALID_FRAME"));
    assert.deepEqual(read("", true), refused("INVALID_FRAME"));
  });

  test("a frame above 16 KiB is MESSAGE_TOO_LARGE, whatever else is wrong with it", () => {
    const frame = { type: "publish", channel: "c", data: "" };
    const room = 16 * KIB - JSON.stringify(frame).length;
    assert.ok("type" in read({ ...frame, data: "a".repeat(room) }));
    assert.ok("type" in read({ ...frame, data: `${"é".repeat(room / 2 - 1)}${"a".repeat(2 - (room % 2))}` }));
    const large = refused("MESSAGE_TOO_LARGE");
    assert.deepEqual(read({ ...frame, data: "a".repeat(room + 1) }), large);
    assert.deepEqual(read({ ...frame, data: "é".repeat(room / 2 + 1) }), large);
    assert.deepEqual(read("a".repeat(16 * KIB + 1)), large);
    assert.deepEqual(read("a".repeat(16 * KIB + 1), true), large);
    assert.deepEqual(read("a".repeat(16 * KIB)), refused("INVALID_FRAME"));
  });

  test("any bytes are parsed to a frame or an error, without an exception", () => {
    const json = fc.json().map((text) => Buffer.from(text));
    const bytes = fc.oneof(json, fc.uint8Array({ maxLength: 64 }).map(Buffer.from));
    fc.assert(
      fc.property(bytes, fc.boolean(), (each, isBinary) => {
        const means = parseFrame(each, isBinary);
        assert.ok("code" in means || "type" in means);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("names of channels", () => {
  const frame = (channel: string) => {
    const means = read({ type: "publish", channel });
    assert.ok("type" in means);
    return means;
  };

  test("a name may have 128 bytes; a longer one is left out of the error", () => {
    for (const channel of ["c", "c".repeat(128), longest, "\ud800".repeat(42)]) {
      assert.equal(isNameTooLong(frame(channel)), false);
      assert.deepEqual(subjectOf(frame(channel)), { channel });
    }
    for (const channel of ["c".repeat(129), tooLong, "\ud800".repeat(43), "😀".repeat(33)]) {
      assert.equal(isNameTooLong(frame(channel)), true);
      assert.deepEqual(subjectOf(frame(channel)), {});
    }
  });

  test("the limit does not apply to the names of watches", () => {
    const means = read({ type: "watch", resource: "collection", name: tooLong });
    assert.ok("type" in means);
    assert.equal(isNameTooLong(means), false);
    assert.deepEqual(subjectOf(means), records(tooLong));
  });
});

test("an error frame consists of type, code, message and subject, in this order", () => {
  const { PERMISSION_DENIED: message } = FRAME_ERRORS;
  assert.equal(
    errorFrame("PERMISSION_DENIED", { channel: "c" }),
    JSON.stringify({ type: "error", code: "PERMISSION_DENIED", message, channel: "c" }),
  );
  assert.equal(
    errorFrame("PERMISSION_DENIED", { resource: "collection", name: "n" }),
    JSON.stringify({ type: "error", code: "PERMISSION_DENIED", message, resource: "collection", name: "n" }),
  );
});

test("close codes are those of the specification, and their reasons fit into a close frame", () => {
  const codes = Object.fromEntries(Object.entries(CLOSE_CODES).map(([cause, { code }]) => [cause, code]));
  const own = { flood: 1008, tooLarge: 1009, unchecked: 1011, personFull: 4429 };
  assert.deepEqual(codes, { shutdown: 1001, accessLost: 4401, disabled: 4403, full: 4429, ...own });
  for (const { reason } of Object.values(CLOSE_CODES)) assert.ok(Buffer.byteLength(reason) <= 123);
});
