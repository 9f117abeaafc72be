import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { describe, it, test } from "node:test";
import fc from "fast-check";
import { cpuTime, longestTurn } from "../../test/support/longest-turn.ts";
import { RequestBody } from "../operations/request-input.ts";
import { partsOf } from "./multipart.ts";
import { Refusal } from "./refusal.ts";

const TYPE = "multipart/form-data; boundary=b";
const CRLF = "\r\n";
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.txt"';

/** A part that was read to its end: its name, file name, media type and text. */
type Read = [name: string, filename: string | undefined, type: string | undefined, text: string];

type Outcome = Read[] | { status: number; code: string | undefined };

/** Returns a request whose body is still open: the test adds bytes with `request.push`. */
const open = (type: string | undefined = TYPE) =>
  Object.assign(new Readable({ read() {} }), { headers: { "content-type": type } }) as unknown as Readable &
    IncomingMessage;

/** Returns a request whose body arrives in chunks of `size` bytes. */
function sent(body: string | Buffer, size = Number.POSITIVE_INFINITY, type: string | undefined = TYPE) {
  const bytes = Buffer.from(body as string);
  const chunks = [];
  for (let start = 0; start < bytes.length; start += size)
    chunks.push(bytes.subarray(start, Math.min(bytes.length, start + size)));
  return Object.assign(Readable.from(chunks, { objectMode: false }), {
    headers: type === undefined ? {} : { "content-type": type },
  }) as unknown as Readable & IncomingMessage;
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Reads a form to its end. Returns its parts, or the status and code of a Refusal. Fails if another error is thrown or a listener stays on
 * the request.
 */
async function read(request: IncomingMessage): Promise<Outcome> {
  const parts: Read[] = [];
  try {
    for await (const { name, filename, contentType, body } of partsOf(new RequestBody(request)))
      parts.push([name, filename, contentType, await textOf(body)]);
    return parts;
  } catch (error) {
    assert.ok(error instanceof Refusal, `${(error as Error).stack}`);
    return { status: error.status, code: error.code };
  } finally {
    for (const event of ["readable", "data"]) assert.equal(request.listenerCount(event), 0, event);
  }
}

const REFUSED = { status: 400, code: "INVALID_BODY" };
const part = (header: string, body: string) => `--b\r\n${header}\r\n\r\n${body}\r\n`;
const END = "--b--\r\n";
const disposition = (value: string) => part(`Content-Disposition: ${value}`, "x") + END;
const repeated = (line: (index: number) => string, count: number) =>
  Array.from({ length: count }, (_, index) => line(index)).join(CRLF);
const file = (text: string): Read => ["file", "a.txt", undefined, text];

const SIZES = [1, 2, 3, 7, 64, Number.POSITIVE_INFINITY];

describe("forms", () => {
  const accepted: [what: string, body: string, parts: Read[]][] = [
    ["no part", END, []],
    [
      "a field and a file",
      part('Content-Disposition: form-data; name="scope"', "shared") + part(FILE, "text") + END,
      [["scope", undefined, undefined, "shared"], file("text")],
    ],
    ["an empty part", part(FILE, "") + END, [file("")]],
    ["two files", part(FILE, "1") + part(FILE, "2") + END, [file("1"), file("2")]],
    ["a preamble and an epilogue", `preamble\r\n${part(FILE, "x")}${END}epilogue\r\n--b\r\n`, [file("x")]],
    ["no line break at the end", `${part(FILE, "x")}--b--`, [file("x")]],
    ["white space after boundaries", `--b \t\r\n${FILE}\r\n\r\nx\r\n--b--`, [file("x")]],
    [
      "the boundary in the content, not after CR LF",
      part(FILE, "1--b--2\n--b\r--b\r\n-b\r\n--a") + END,
      [file("1--b--2\n--b\r--b\r\n-b\r\n--a")],
    ],
    ["line breaks around the content", part(FILE, "\r\n\r\nx\r\n\r\n") + END, [file("\r\n\r\nx\r\n\r\n")]],
    ["content that ends in CR", part(FILE, "x\r") + END, [file("x\r")]],
    [
      "a folded header",
      part('Content-Disposition: form-data;\r\n name="file";\r\n\tfilename="a.txt"', "x") + END,
      [file("x")],
    ],
    [
      "header and parameter names in any case",
      part('CONTENT-DISPOSITION:Form-Data; NAME="file"; FileName="a.txt"', "x") + END,
      [file("x")],
    ],
    [
      "a media type",
      part(`${FILE}\r\nContent-Type: text/plain; charset=utf-8`, "x") + END,
      [["file", "a.txt", "text/plain; charset=utf-8", "x"]],
    ],
    [
      "a repeated header: the first",
      part(`${FILE}\r\nContent-Disposition: form-data; name="other"`, "x") + END,
      [file("x")],
    ],
    ["500 other headers", part(`${repeated((n) => `X-${n}: ${n}`, 500)}\r\n${FILE}`, "x") + END, [file("x")]],
    [
      "names in UTF-8",
      disposition('form-data; name="é"; filename="日本🦊.png"'),
      [["é", "日本🦊.png", undefined, "x"]],
    ],
    [
      "filename*",
      disposition("form-data; name=file; filename*=UTF-8''%e2%82%ac.txt"),
      [["file", "€.txt", undefined, "x"]],
    ],
    [
      "filename and filename*: the latter",
      disposition("form-data; name=file; filename=e.txt; filename*=UTF-8''%e2%82%ac.txt"),
      [["file", "€.txt", undefined, "x"]],
    ],
    [
      "filename* and filename: the former",
      disposition("form-data; name=file; filename*=UTF-8''%e2%82%ac.txt; filename=e.txt"),
      [["file", "€.txt", undefined, "x"]],
    ],
    [
      "a malformed filename*",
      disposition("form-data; name=file; filename=e.txt; filename*=UTF-8''%e2%82"),
      [["file", "e.txt", undefined, "x"]],
    ],
    [
      "quotes and line breaks as browsers escape them",
      disposition('form-data; name="file"; filename="a%22%0D%0Ab\\c"'),
      [["file", 'a"\r\nb\\c', undefined, "x"]],
    ],
    ["an empty name", disposition('form-data; name=""; filename=""'), [["", "", undefined, "x"]]],
    [
      "`__proto__` as a name",
      disposition('form-data; name="__proto__"'),
      [["__proto__", undefined, undefined, "x"]],
    ],
  ];
  for (const [what, body, parts] of accepted) {
    it(`${what}, in chunks of every size`, async () => {
      for (const size of SIZES) assert.deepEqual(await read(sent(body, size)), parts, `${size}`);
    });
  }

  it("a file name of 2,000 characters, each of four bytes", async () => {
    const filename = "🦊".repeat(2_000);
    assert.deepEqual(await read(sent(disposition(`form-data; name="file"; filename="${filename}"`))), [
      ["file", filename, undefined, "x"],
    ]);
  });

  it("bytes that are no UTF-8 in a file name become replacement characters", async () => {
    const body = Buffer.from(disposition('form-data; name="file"; filename="\xff"'), "latin1");
    assert.deepEqual(await read(sent(body)), [["file", "\ufffd", undefined, "x"]]);
  });
});

describe("400 INVALID_BODY", () => {
  const types: [what: string, type: string | undefined][] = [
    ["no media type", undefined],
    ["an empty media type", ""],
    ["JSON", "application/json"],
    ["another kind of multipart", "multipart/mixed; boundary=b"],
    ["a malformed media type", "multipart/form-data/x; boundary=b"],
    ["no boundary", "multipart/form-data"],
    ["an empty boundary", "multipart/form-data; boundary="],
    ["an empty quoted boundary", 'multipart/form-data; boundary=""'],
    ["a boundary of 71 characters", `multipart/form-data; boundary=${"b".repeat(71)}`],
    ["a boundary of 1,000 characters", `multipart/form-data; boundary=${"b".repeat(1000)}`],
  ];
  for (const [what, type] of types) {
    it(what, async () => {
      const [, boundary = "b"] = /boundary=(b+)/.exec(type ?? "") ?? [];
      // Set here, because the parameter of `sent` would replace `undefined` by its default.
      const request = sent((part(FILE, "x") + END).replaceAll("--b", `--${boundary}`));
      request.headers = type === undefined ? {} : { "content-type": type };
      assert.deepEqual(await read(request), REFUSED);
    });
  }

  const whole = part(FILE, "x") + END;
  const bodies: [what: string, body: string][] = [
    ["no body", ""],
    ["no boundary in the body", "x".repeat(100)],
    ["another boundary", whole.replaceAll("--b", "--c")],
    ["a preamble that is too long", "x".repeat(65 * 1024) + CRLF + whole],
    ["an epilogue that is too long", whole + "x".repeat(65 * 1024)],
    ["a boundary with a tail", whole.replace("--b", "--bx")],
    ["one dash after the last boundary", `${part(FILE, "x")}--b-\r\n`],
    ["a boundary after CR LF in the content", part(FILE, "1\r\n--b2") + END],
    ["a part without a header", `--b\r\n\r\nx\r\n${END}`],
    ["a header without an end", `--b\r\n${FILE}\r\n${END}`],
    ["a header without an end after a part", `${part(FILE, "x")}--b\r\n${FILE}\r\n${END}`],
    ["a part without a disposition", part("Content-Type: text/plain", "x") + END],
    ["a disposition other than form-data", disposition('attachment; name="file"')],
    ["no name", disposition('form-data; filename="a.txt"')],
    ["an empty disposition", disposition("")],
    ["a name without its closing quote", disposition('form-data; name="file')],
    ["a line without a colon", part(`${FILE}\r\nnothing`, "x") + END],
    ["white space before a colon", part(`${FILE}\r\nX : y`, "x") + END],
    ["a header without a name", part(`${FILE}\r\n: y`, "x") + END],
    ["a bare LF in a header", part(FILE.replace("a.txt", "a\nX: y"), "x") + END],
    ["a bare CR in a header", part(FILE.replace("a.txt", "a\rX: y"), "x") + END],
    ["NUL in a header", part(FILE.replace("a.txt", "a\0"), "x") + END],
    ["a header of more than 8 KiB", part(`X: ${"x".repeat(8 * 1024 - FILE.length)}\r\n${FILE}`, "x") + END],
    ["a header of 1 MiB", part(`X: ${"x".repeat(1024 * 1024)}\r\n${FILE}`, "x") + END],
    ["20,000 headers", part(`${repeated((n) => `X-${n}: ${n}`, 20_000)}\r\n${FILE}`, "x") + END],
  ];
  for (const [what, body] of bodies) {
    it(what, async () => {
      for (const size of [3, 1000, Number.POSITIVE_INFINITY])
        assert.deepEqual(await read(sent(body, size)), REFUSED, `${size}`);
    });
  }

  it("a form that is cut off anywhere before the end of its last boundary", async () => {
    const body = part('Content-Disposition: form-data; name="scope"', "shared") + part(FILE, "text") + END;
    for (let length = 0; length < body.length - CRLF.length; length++)
      assert.deepEqual(await read(sent(body.slice(0, length), 5)), REFUSED, `${length}`);
  });

  it("a client that disconnects in the middle of a file: the reader of the file gets the error", async () => {
    const request = open();
    request.push(`--b\r\n${FILE}\r\n\r\nhello`);
    const parts = partsOf(new RequestBody(request));
    const { value } = await parts.next();
    const body = (value as { body: AsyncIterable<Buffer> }).body[Symbol.asyncIterator]();
    assert.equal(String((await body.next()).value), "hello");
    const next = body.next();
    request.destroy();
    await assert.rejects(next, (error) => error instanceof Refusal && error.status === 400);
    assert.equal(request.listenerCount("readable"), 0);
  });

  it("a connection that fails with an error for which the reader does not listen", async () => {
    const request = open();
    request.once("error", () => {});
    request.push(`--b\r\n${FILE}\r\n\r\nhello`);
    const outcome = read(request);
    await new Promise(setImmediate);
    request.destroy(new Error("reset"));
    assert.deepEqual(await outcome, REFUSED);
  });
});

/** Returns 8 KiB that begin with `start` and end with `end`. */
const spaced = (start: string, end = "") => `${start}${" ".repeat(8_000)}${end}`;

const slowHeaders: [what: string, header: string, outcome: Outcome][] = [
  ["spaces before NUL", spaced(`${FILE}\r\nX:`, "\0"), REFUSED],
  ["spaces before a value", spaced(`${FILE}\r\nX:`, "x"), [file("x")]],
  [
    "spaces in a disposition",
    spaced("Content-Disposition: form-data; name=file;", "x"),
    [["file", undefined, undefined, "x"]],
  ],
  [
    "spaces in a media type",
    spaced(`${FILE}\r\nContent-Type: text/plain; a=`, "x"),
    [["file", "a.txt", spaced("text/plain; a=", "x"), "x"]],
  ],
  ["folded lines", `${FILE}\r\nX:${"\r\n ".repeat(2_500)}\0`, REFUSED],
  ["colons", `${FILE}\r\n${":".repeat(8_000)}`, REFUSED],
  ["parameters", `${FILE};${repeated((n) => `a${n}=b;`, 700).replaceAll(CRLF, "")}`, [file("x")]],
];

for (const [what, header, outcome] of slowHeaders) {
  test(`${what} in 50 forms with 8 KiB of headers take little time`, async () => {
    const form = part(header, "x") + END;
    const time = await cpuTime(async () => {
      for (let round = 0; round < 50; round++) assert.deepEqual(await read(sent(form)), outcome);
    });
    assert.ok(time < 1_000, `${time} ms`);
  });
}

test("a Content-Type of the largest request head takes no long turn", async () => {
  const types = [
    spaced(TYPE, "x"),
    `${TYPE}; a=${" ".repeat(40_000)}x`,
    `multipart/form-data; boundary=${" ".repeat(40_000)}x`,
  ];
  for (const type of types) {
    const turn = await longestTurn(async () => assert.deepEqual(await read(sent(END, 10, type)), REFUSED));
    assert.ok(turn < 250, `${turn} ms`);
  }
});

test("a quoted boundary with spaces and one of 70 characters", async () => {
  for (const boundary of ["a b:(c)", "b".repeat(70)]) {
    const body = (part(FILE, "x") + END).replaceAll("--b", `--${boundary}`);
    const request = sent(body, 9, `multipart/form-data; charset=utf-8; boundary="${boundary}"`);
    assert.deepEqual(await read(request), [file("x")]);
  }
});

test("a last boundary that arrives in pieces while the reader is slow", async () => {
  const request = open();
  request.push(`--b\r\n${FILE}\r\n\r\n`);
  const parts = partsOf(new RequestBody(request));
  const { value } = await parts.next();
  for (const bytes of [`${"x".repeat(65_534)}\r\n-`, "\r\n--b", "--\r\n", null]) {
    request.push(bytes);
    await new Promise(setImmediate);
  }
  assert.equal((await textOf((value as { body: AsyncIterable<Buffer> }).body)).length, 65_537);
  assert.equal((await parts.next()).done, true);
});

test("the unread rest of a part is skipped", async () => {
  const large = "x".repeat(300_000);
  const form = part('Content-Disposition: form-data; name="first"', large) + part(FILE, large) + END;
  const names: string[] = [];
  for await (const { name, body } of partsOf(new RequestBody(sent(form, 50_000)))) {
    names.push(name);
    if (name === "file") for await (const _ of body) break;
  }
  assert.deepEqual(names, ["first", "file"]);
});

test("the body of a part ends when the next part is read, and contains no bytes of the next part", async () => {
  const parts = partsOf(new RequestBody(sent(part(FILE, "1") + part(FILE, "2") + END)));
  const first = await parts.next();
  const second = await parts.next();
  assert.ok(!first.done && !second.done);
  assert.equal(await textOf(first.value.body), "");
  assert.equal(await textOf(second.value.body), "2");
});

test("when the reader throws, no listener stays on the request, and later bytes are not read", async () => {
  const request = open();
  request.push(`--b\r\n${FILE}\r\n\r\nhello`);
  const before = request.eventNames().map((name) => [name, request.listenerCount(name)]);
  await assert.rejects(async () => {
    for await (const { body } of partsOf(new RequestBody(request)))
      for await (const _ of body) throw new Error("enough");
  }, /enough/);
  assert.deepEqual(
    request.eventNames().map((name) => [name, request.listenerCount(name)]),
    before,
  );
  request.push("more");
  request.destroy();
  await new Promise(setImmediate);
});

test("the request is read only as fast as the bodies of its parts", async () => {
  let taken = 0;
  const chunk = Buffer.alloc(64 * 1024, "x");
  async function* endless() {
    yield Buffer.from(`--b\r\n${FILE}\r\n\r\n`);
    for (;;) {
      taken += chunk.length;
      yield chunk;
    }
  }
  const request = Object.assign(Readable.from(endless(), { objectMode: false }), {
    headers: { "content-type": TYPE },
  }) as unknown as IncomingMessage;
  let read = 0;
  for await (const { body } of partsOf(new RequestBody(request))) {
    for await (const { length } of body) {
      read += length;
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      assert.ok(taken - read <= 4 * chunk.length, `${taken - read} bytes ahead`);
      if (read > 100 * chunk.length) break;
    }
    break;
  }
  assert.ok(read > 100 * chunk.length);
});

test("a client that sends nothing for 20 seconds: the reader gets 408", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const settled = () => new Promise(setImmediate);
  const request = open();
  let outcome: Outcome | "waiting" = "waiting";
  const done = read(request).then((value) => {
    outcome = value;
  });
  for (const bytes of ["--", `b\r\n${FILE}`, "\r\n\r\n", "hello"]) {
    request.push(bytes);
    await settled();
    t.mock.timers.tick(19_999);
    await settled();
    assert.equal(outcome, "waiting", bytes);
  }
  t.mock.timers.tick(1);
  await done;
  assert.deepEqual(outcome, { status: 408, code: "INVALID_BODY" });
});

test("a slow reader does not cause 408", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const request = open();
  request.push(`--b\r\n${FILE}\r\n\r\nhello`);
  const parts = partsOf(new RequestBody(request));
  const { value } = await parts.next();
  t.mock.timers.tick(60_000);
  const body = (value as { body: AsyncIterable<Buffer> }).body[Symbol.asyncIterator]();
  assert.equal(String((await body.next()).value), "hello");
  t.mock.timers.tick(60_000);
  request.push(`\r\n${END}`);
  request.push(null);
  assert.equal((await body.next()).done, true);
  assert.equal((await parts.next()).done, true);
});

describe("any bytes", () => {
  const TOKENS = [
    "--b",
    "--b--",
    "\r\n",
    "\r\n\r\n",
    "\r",
    "\n",
    "-",
    "b",
    ":",
    FILE,
    "x".repeat(70),
    "\r\n--b",
    "\r\n--b\r\n",
    "\0",
    'name="',
  ];
  const bytes = fc
    .array(
      fc.oneof(
        fc.constantFrom(...TOKENS).map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 9 }).map(Buffer.from),
      ),
      { maxLength: 25 },
    )
    .map((pieces) => Buffer.concat(pieces));
  const size = fc.integer({ min: 1, max: 80 });

  it("are parsed into parts or refused with 400, whatever the size of the chunks", async () => {
    await fc.assert(
      fc.asyncProperty(bytes, size, async (body, each) => {
        const outcome = await read(sent(body, each));
        if (!Array.isArray(outcome)) assert.deepEqual(outcome, REFUSED);
        assert.deepEqual(await read(sent(body)), outcome);
      }),
      { numRuns: 500 },
    );
  });

  it("that do not contain the boundary are returned unchanged as the body of a part", async () => {
    const content = bytes.filter(
      (each) =>
        !each.includes("\r\n--b") && !Buffer.concat([Buffer.from("\r\n"), each]).includes("\r\n\r\n--b"),
    );
    await fc.assert(
      fc.asyncProperty(content, size, async (body, each) => {
        const form = Buffer.concat(
          [`--b\r\n${FILE}\r\n\r\n`, body, `\r\n${END}`].map((piece) => Buffer.from(piece as string)),
        );
        for await (const { body: read } of partsOf(new RequestBody(sent(form, each)))) {
          const chunks = [];
          for await (const chunk of read) chunks.push(chunk);
          assert.deepEqual(Buffer.concat(chunks), body);
        }
      }),
      { numRuns: 300 },
    );
  });
});
