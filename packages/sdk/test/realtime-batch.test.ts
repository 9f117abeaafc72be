import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startPacedPage } from "./paced-page.ts";
import { gatherReports } from "./realtime-server.ts";

const PACE_MS = 650;
const closed = { name: "EaselError", code: "CHANNEL_CLOSED" };
const tooLarge = { name: "EaselError", code: "MESSAGE_TOO_LARGE", status: 400 };
const invalid = { name: "EaselError", code: "INVALID_BODY", status: 400 };

/** Creates a page that has just published the value 0 by `stroke`, so that its next value waits for 650 ms. */
function startWaiting(t: TestContext) {
  const easel = startPacedPage(t);
  const stroke = easel.pens.batch("stroke");
  stroke(0);
  easel.open();
  easel.pass(1);
  assert.deepEqual(easel.sent(), [["stroke", [0]]]);
  return { ...easel, stroke };
}

test("`batch` sends the first values at once, and gathers the next ones for 650 ms", (t) => {
  const { pens, open, pass, sent } = startPacedPage(t);
  const stroke = pens.batch("stroke");
  stroke({ x: 1 });
  stroke({ x: 2 });
  open();
  pass(1);
  assert.deepEqual(sent(), [["stroke", [{ x: 1 }, { x: 2 }]]]);
  pass(100);
  stroke(null);
  pens.batch("stroke")([3]);
  pass(PACE_MS - 101);
  assert.deepEqual(sent(), []);
  pass(2);
  assert.deepEqual(sent(), [["stroke", [null, [3]]]]);
  pass(10 * PACE_MS);
  assert.deepEqual(sent(), []);
  stroke(4);
  pass(1);
  assert.deepEqual(sent(), [["stroke", [4]]]);
});

test("a value is published as it was when it was given", (t) => {
  const { stroke, pens, pass, sent } = startWaiting(t);
  const point = { x: 1 };
  stroke(point);
  pens.latest("cursor")(point);
  point.x = 2;
  pass(2 * PACE_MS);
  assert.deepEqual(sent(), [
    ["stroke", [{ x: 1 }]],
    ["cursor", { x: 1 }],
  ]);
});

test("`latest` sends only the newest value of each key, and every key has its turn", (t) => {
  const { realtime, pens, stroke, pass, sent } = startWaiting(t);
  for (const x of [1, 2, 3]) {
    stroke(x);
    pens.latest("cursor", "ada")({ x });
    pens.latest("cursor", "bob")({ x: -x });
    pens.latest("cursor")(x);
    realtime.channel("inks").latest("cursor")(10 * x);
  }
  pass(PACE_MS);
  assert.deepEqual(sent(), [["stroke", [1, 2, 3]]]);
  stroke(4);
  pens.latest("cursor", "bob")({ x: -4 });
  pass(5 * PACE_MS);
  assert.deepEqual(sent(), [
    ["cursor", { x: 3 }],
    ["cursor", { x: -4 }],
    ["cursor", 3],
    ["cursor", 30],
    ["stroke", [4]],
  ]);
});

test("messages that the page publishes itself count", (t) => {
  const { pens, stroke, pass, sent } = startWaiting(t);
  stroke(1);
  pass(PACE_MS - 10);
  pens.publish("direct");
  pass(PACE_MS - 10);
  assert.deepEqual(sent(), [["direct", undefined]]);
  pass(11);
  assert.deepEqual(sent(), [["stroke", [1]]]);
  for (let count = 0; count < 98; count++) pens.publish("direct");
  stroke(2);
  pass(50_000, 10);
  assert.equal(sent().length, 98);
  pass(15_000, 10);
  assert.deepEqual(sent(), [["stroke", [2]]]);
});

test("a batch is cut into frames of at most 16 KiB that have every value once, in order", (t) => {
  const { stroke, pass, texts } = startWaiting(t);
  const values = Array.from({ length: 400 }, (_, index) => ({ index, text: "é".repeat(index % 90) }));
  for (const value of values) stroke(value);
  pass(10 * PACE_MS, 10);
  const frames = texts();
  const sizes = frames.map((text) => new TextEncoder().encode(text).length);
  assert.ok(frames.length > 2 && Math.max(...sizes) <= 16 * 1024 && Math.min(...sizes.slice(0, -1)) > 16_000);
  assert.deepEqual(
    frames.flatMap((text) => JSON.parse(text).data),
    values,
  );
});

test("a value that fits no message, or is not JSON, throws at the call and is not sent", (t) => {
  const { pens, stroke, pass, sent } = startWaiting(t);
  const frame = JSON.stringify({ type: "publish", channel: "pens", event: "stroke", data: [""] });
  const largest = "x".repeat(16 * 1024 - frame.length);
  assert.throws(() => stroke(`${largest}x`), tooLarge);
  assert.throws(() => pens.latest("stroke")(`${largest}xxx`), tooLarge);
  assert.throws(() => stroke(undefined as unknown as string), invalid);
  assert.throws(() => stroke(Number.NaN), invalid);
  assert.throws(() => pens.batch(1 as unknown as string), invalid);
  pass(PACE_MS);
  assert.deepEqual(sent(), []);
  stroke(largest);
  pass(1);
  assert.deepEqual(sent(), [["stroke", [largest]]]);
  stroke(largest.slice(2));
  stroke(1);
  pass(PACE_MS);
  assert.deepEqual(sent(), [["stroke", [largest.slice(2), 1]]]);
  stroke(largest.slice(1));
  stroke(1);
  pass(PACE_MS);
  assert.deepEqual(sent(), [["stroke", [largest.slice(1)]]]);
});

test("while the connection is down, values wait beside the queue, and each is sent once", (t) => {
  const { pens, stroke, lose, reconnect, tell, pass, sent } = startWaiting(t);
  stroke(1);
  pens.latest("cursor")(1);
  lose();
  for (let count = 0; count < 256; count++) pens.publish("direct");
  stroke(2);
  pens.latest("cursor")(2);
  tell("pagehide");
  pass(60_000, 10);
  reconnect();
  const direct = sent();
  assert.deepEqual([direct.length, direct[255]], [256, ["direct", undefined]]);
  pass(60_000, 10);
  assert.deepEqual(sent(), []);
  pass(6_000, 10);
  assert.deepEqual(sent(), [
    ["stroke", [1, 2]],
    ["cursor", 2],
  ]);
});

test("a batch holds 256 full messages; a further value is dropped and goes to `onError`", (t) => {
  const { pens, stroke, lose, reconnect, pass, sent } = startWaiting(t);
  const codes: string[] = [];
  pens.onError(({ code }) => codes.push(code));
  lose();
  for (let index = 0; index < 257; index++) stroke("x".repeat(9_000));
  assert.deepEqual(codes, ["DISCONNECTED"]);
  stroke(1);
  reconnect();
  pass(300 * PACE_MS, 50);
  const messages = sent() as [string, unknown[]][];
  assert.deepEqual([messages.length, messages.at(-1)?.[1].length], [256, 2]);
});

test("`close` sends what is gathered, while the connection is open", (t) => {
  const { realtime, pens, stroke, lose, reconnect, pass, sent } = startWaiting(t);
  const inks = realtime.channel("inks");
  stroke(1);
  inks.batch("ink")(2);
  pens.latest("cursor")(3);
  pens.close();
  assert.deepEqual(sent(), [
    ["stroke", [1]],
    ["cursor", 3],
  ]);
  assert.throws(() => stroke(4), closed);
  lose();
  inks.batch("ink")(5);
  const other = realtime.channel("other");
  other.publish("open");
  inks.close();
  reconnect();
  pass(10 * PACE_MS, 10);
  assert.deepEqual(sent(), [["open", undefined]]);
});

for (const event of ["pagehide", "visibilitychange"])
  test(`on ${event} everything is sent at once, inside the limit`, (t) => {
    const { pens, stroke, tell, pass, sent } = startWaiting(t);
    stroke(1);
    for (let key = 0; key < 150; key++) pens.latest("cursor", String(key))(key);
    tell(event);
    const first = sent();
    assert.deepEqual([first.length, first[0], first[1]], [99, ["stroke", [1]], ["cursor", 0]]);
    pass(65_000 + 53 * PACE_MS, 10);
    assert.equal(sent().length, 52);
  });

test("after the connection has ended for good, a value throws, and nothing old is sent later", (t) => {
  gatherReports(t);
  const { pens, stroke, lose, open, pass, sent } = startWaiting(t);
  stroke(1);
  lose(4429);
  assert.throws(() => stroke(2), { code: "CONNECTION_LIMIT" });
  void pens.subscribe(() => {});
  open();
  stroke(3);
  pass(2 * PACE_MS);
  assert.deepEqual(sent(), [["stroke", [3]]]);
});
