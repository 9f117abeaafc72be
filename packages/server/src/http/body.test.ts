import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import { LIMITS } from "@easel/protocol/limits";
import fc from "fast-check";
import { hasArrived, parseJson, readBody, ValueCount } from "./body.ts";
import { Refusal, refuse } from "./refusal.ts";

const most = LIMITS.jsonValues.value;
const list = (element: string, length: number) => `[${Array(length).fill(element).join(",")}]`;

/** A text, and whether it has too many values. */
const ROWS: [name: string, text: string, isLarge: boolean][] = [
  ["nothing", "", false],
  ["as many values as allowed", list("0", most - 1), false],
  ["one more", list("0", most), true],
  ["empty lists", list("[]", most / 2), true],
  ["empty objects", list("{}", most / 2), true],
  ["levels", "[".repeat(most), true],
  ["fields", `{${'"a":0,'.repeat(most)}}`, true],
  ["brackets and commas in a text", `"${"[{,".repeat(most)}"`, false],
  ["quotes in a text", `"${'\\",'.repeat(most)}"`, false],
  ["a text that ends with a backslash", `["\\\\",${list("0", most)}]`, true],
  ["a text without an end", `"${",".repeat(most)}`, false],
  ["a text that ends within an escape", '"\\', false],
];

for (const [name, text, isLarge] of ROWS) {
  test(`${name}: ${isLarge ? "400" : "accepted"}`, () => {
    const bytes = Buffer.from(text);
    for (const part of [bytes.length, 1, 1000]) {
      const act = () => {
        const { add } = new ValueCount();
        for (let at = 0; at < bytes.length; at += part) add(bytes.subarray(at, at + part));
      };
      if (isLarge) assert.throws(act, (error) => error instanceof Refusal && error.status === 400);
      else act();
    }
  });
}

/** Parses JSON. Returns the value, or the status and code of a Refusal. Fails if another error is thrown. */
function read(bytes: Buffer): { value: unknown } | [number, string | undefined] {
  try {
    return { value: parseJson(bytes) };
  } catch (error) {
    assert.ok(error instanceof Refusal, `${error}`);
    return [error.status, error.code];
  }
}
const REFUSED: [number, string] = [400, "INVALID_BODY"];

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const mixed = (depth: number) => '{"a":['.repeat(depth / 2) + "]}".repeat(depth / 2);

const good = [
  "null",
  "true",
  "0",
  "-1.5e3",
  "1.7976931348623157e308",
  "5e-324",
  "1e-400",
  '""',
  '"\\u0000\\ud800"',
  ' \t\r\n{"a": [1, "é", "🦊"]} ',
  nested(1000),
  mixed(1000),
  `${"[".repeat(1000)}1${"]".repeat(1000)}`,
];
const bad: [what: string, body: string | Buffer][] = [
  ["nothing", ""],
  ["white space", "  \n"],
  ["undefined", "undefined"],
  ["NaN", "NaN"],
  ["single quotes", "{'a':1}"],
  ["a comma too many", "[1,]"],
  ["two values", "1 2"],
  ["a comment", "1 // one"],
  ["1,001 levels", nested(1001)],
  ["1,002 mixed levels", mixed(1002)],
  ["100,000 levels", nested(100_000)],
  ["100,000 open brackets", "[".repeat(100_000)],
  ["a number past the greatest", "1e400"],
  ["a number past the least", "-1e400"],
  ["such a number within", '{"a":[1,{"b":1e309}]}'],
  ["a byte order mark", Buffer.from("\ufeff{}")],
  ["UTF-16", Buffer.from('"a"', "utf16le")],
  ["Latin-1", Buffer.from('"é"', "latin1")],
  ["a lone continuation byte", Buffer.of(0x22, 0x80, 0x22)],
  ["an overlong slash", Buffer.of(0x22, 0xc0, 0xaf, 0x22)],
  ["a surrogate in UTF-8", Buffer.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
  ["a character cut short", Buffer.of(0x22, 0xf0, 0x9f, 0xa6)],
];

for (const text of good) {
  test(`${text.trim().slice(0, 30)} is parsed`, () =>
    assert.deepEqual(read(Buffer.from(text)), { value: JSON.parse(text) }));
}
for (const [what, body] of bad) {
  test(`${what}: 400`, () => assert.deepEqual(read(Buffer.from(body)), REFUSED));
}

test("`__proto__` is an ordinary name", () => {
  const value = parseJson(Buffer.from('{"__proto__":{"admin":true},"constructor":1}'));
  assert.equal(JSON.stringify(value), '{"__proto__":{"admin":true},"constructor":1}');
  assert.equal((value as { admin?: unknown }).admin, undefined);
  assert.equal(({} as { admin?: unknown }).admin, undefined);
});

test("the depth below `__proto__` counts, too", () => {
  assert.deepEqual(read(Buffer.from(`{"__proto__":${nested(1000)}}`)), REFUSED);
  assert.deepEqual(read(Buffer.from('{"__proto__":1e400}')), REFUSED);
});

test("any JSON is parsed as by JSON.parse", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      assert.deepEqual(read(Buffer.from(text)), { value: JSON.parse(text) });
    }),
  );
});

test("any bytes are parsed or refused with 400", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const answer = read(Buffer.from(bytes));
      if (Array.isArray(answer)) assert.deepEqual(answer, REFUSED);
    }),
  );
});

const corpus = samples("json/test_parsing");

test("the corpus: files named y_ are parsed, n_ get 400, i_ get either", {
  skip: corpus === null && ABSENT,
}, () => {
  for (const { name, bytes } of corpus ?? []) {
    const answer = read(bytes);
    if (name.startsWith("y_")) assert.ok("value" in answer, name);
    else if (name.startsWith("n_")) assert.deepEqual(answer, REFUSED, name);
    else assert.ok("value" in answer || answer[0] === 400, name);
  }
  assert.ok((corpus?.length ?? 0) > 300);
});

test("a slow body: 408 after 20 seconds, even if bytes keep arriving", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const request = Object.assign(new PassThrough(), {
    headers: { "transfer-encoding": "chunked" },
    complete: false,
  });
  let outcome: unknown = "waiting";
  const body = readBody(request as unknown as IncomingMessage, 100, () => assert.fail());
  body.catch((error) => {
    outcome = error;
  });
  for (let second = 0; second < 19; second++) {
    request.write("x");
    t.mock.timers.tick(1_000);
  }
  await new Promise(setImmediate);
  assert.equal(outcome, "waiting");
  t.mock.timers.tick(1_000);
  await assert.rejects(
    body,
    (error) => error instanceof Refusal && error.status === 408 && error.code === "INVALID_BODY",
  );
});

/** A request whose chunks are in its buffer. */
function buffered(headers: object, complete: boolean, ...chunks: string[]): IncomingMessage {
  const request = Object.assign(new PassThrough(), { headers, complete });
  for (const chunk of chunks) request.write(chunk);
  return request as unknown as IncomingMessage;
}

test("a body that has arrived: all of its chunks, without an event", async () => {
  for (const request of [
    buffered({ "transfer-encoding": "chunked" }, true, "one", "two"),
    buffered({ "content-length": "6" }, false, "one", "two"),
  ]) {
    assert.equal(hasArrived(request), true);
    const inspected: string[] = [];
    const inspect = (chunk: Buffer) => inspected.push(String(chunk));
    assert.equal(String(await readBody(request, 6, () => assert.fail(), { inspect })), "onetwo");
    assert.deepEqual(inspected, ["onetwo"]);
  }
});

test("a body that has arrived: refused if it is too long", async () => {
  const tooLarge = () => refuse("BODY_TOO_LARGE", { message: "Too long." });
  const request = buffered({ "transfer-encoding": "chunked" }, true, "one", "two");
  await assert.rejects(readBody(request, 5, tooLarge), { status: 413 });
});

test("a body has not arrived before all of its bytes", () => {
  assert.equal(hasArrived(buffered({ "content-length": "7" }, false, "one", "two")), false);
  assert.equal(hasArrived(buffered({ "transfer-encoding": "chunked" }, false, "one", "two")), false);
  assert.equal(hasArrived(buffered({}, false)), true);
});
