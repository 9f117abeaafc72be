import assert from "node:assert/strict";
import { once } from "node:events";
import { after, afterEach, before, describe, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";
import { answersIn, dial, wire } from "../support/wire.ts";

const { target } = await startDev({ after });
const { base } = target;
const HOST = `Host: ${new URL(base).host}\r\n`;
const CLOSE = "Connection: close\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";
const LONG = "a".repeat(15 * 1024);

const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\n${HOST}${CLOSE}${headers}\r\n`;

/** Bytes that are sent on a connection, and the statuses of the responses. An empty list: the connection is closed without a response. */
const ROWS: [name: string, bytes: string | Buffer, statuses: number[]][] = [
  ["words", "hello\r\n\r\n", [400]],
  ["a TLS handshake", Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), [400]],
  ["an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]],
  ["an unknown version", `GET / HTTP/9.9\r\n${HOST}\r\n`, [400]],
  ["an unknown method", `BREW / HTTP/1.1\r\n${HOST}\r\n`, [400]],
  ["a method in small letters", `get / HTTP/1.1\r\n${HOST}\r\n`, [400]],
  ["a method that nothing has", `PROPFIND / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, [404]],
  ["TRACE", `TRACE / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, [404]],
  ["CONNECT", `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, []],
  ["HTTP/1.0", `GET /healthz HTTP/1.0\r\n${HOST}\r\n`, [200]],
  ["HTTP/1.0 without a host", "GET /healthz HTTP/1.0\r\n\r\n", [421]],
  ["an empty host", `GET /healthz HTTP/1.1\r\nHost:\r\n${CLOSE}\r\n`, [421]],
  ["no host", `GET /healthz HTTP/1.1\r\n${CLOSE}\r\n`, [421]],
  [
    "an expectation that nobody knows",
    `POST /none HTTP/1.1\r\n${HOST}${CLOSE}Expect: tea\r\nContent-Length: 0\r\n\r\n`,
    [404],
  ],

  ["a header of 45 KiB", `GET /healthz HTTP/1.1\r\n${HOST}X: ${LONG}${LONG}${LONG}\r\n\r\n`, [431]],
  ["6,000 headers", `GET /healthz HTTP/1.1\r\n${HOST}${"X: aaaa\r\n".repeat(6000)}\r\n`, [431]],
  ["a path of 45 KiB", `GET /${LONG}${LONG}${LONG} HTTP/1.1\r\n${HOST}\r\n`, [431]],
  ["a path of 15 KiB", get(`/${LONG}`), [404]],
  ["a slug of 15 KiB", get(`/c/${LONG}/`), [401]],
  ["a query of 15 KiB", get(`/healthz?${LONG}`), [200]],
  ["a header with a NUL", get("/healthz", "X: a\0b\r\n"), [400]],
  ["a header with a bare return", get("/healthz", "X: a\rb\r\n"), [400]],
  ["a header in two lines", get("/healthz", "X: a\r\n b\r\n"), [400]],
  ["a header with a space in its name", get("/healthz", "X Y: a\r\n"), [400]],
  ["a header without a colon", get("/healthz", "nothing\r\n"), [400]],
  ["line feeds alone", `GET /healthz HTTP/1.1\n${HOST}\n\n`, [400]],

  ["a path with %ff", get("/%ff"), [400]],
  ["a path with half a code", get("/%"), [400]],
  ["a path with a raw byte", get("/\xff"), [400]],
  ["a path with a NUL", get("/a\0b"), [400]],
  ["a path with a tab", get("/a\tb"), [400]],
  ["a path without a slash", get("healthz"), [400]],
  ["two slashes", get("//healthz"), [404]],
  ["two slashes and a host", get("//example.com/"), [404]],
  ["dots", get("/../healthz"), [404]],
  ["a query that is not UTF-8", get("/healthz?a=%ff&%ff=%zz"), [200]],
  ["the absolute form", get(`${base}/healthz`), [200]],
  ["the absolute form, another scheme", get("ftp://localhost/healthz"), [404]],
  [
    "the absolute form, another host",
    `GET ${base}/healthz HTTP/1.1\r\nHost: example.com\r\n${CLOSE}\r\n`,
    [421],
  ],
  ["OPTIONS *", `OPTIONS * HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, [404]],
];

const SMUGGLED = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`;
const post = (headers: string, body = "") =>
  `POST /api/canvases HTTP/1.1\r\n${HOST}${JSON_TYPE}${headers}\r\n${body}`;

/** Requests whose body length is ambiguous: they get 400, and the bytes after them are not parsed as a request. */
const SMUGGLING: [name: string, bytes: string][] = [
  [
    "a length and chunks",
    post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${SMUGGLED}`),
  ],
  [
    "chunks and a length",
    post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", `0\r\n\r\n${SMUGGLED}`),
  ],
  ["two lengths", post("Content-Length: 0\r\nContent-Length: 40\r\n", SMUGGLED)],
  ["two equal lengths", post("Content-Length: 0\r\nContent-Length: 0\r\n", SMUGGLED)],
  ["a list of lengths", post("Content-Length: 0, 0\r\n", SMUGGLED)],
  ["a length below zero", post("Content-Length: -1\r\n", SMUGGLED)],
  ["a length with a sign", post("Content-Length: +0\r\n", SMUGGLED)],
  ["a length in hexadecimal", post("Content-Length: 0x0\r\n", SMUGGLED)],
  ["a length past all numbers", post("Content-Length: 99999999999999999999999\r\n", SMUGGLED)],
  [
    "an encoding that is not the last",
    post("Transfer-Encoding: chunked, identity\r\n", `0\r\n\r\n${SMUGGLED}`),
  ],
  ["an encoding almost chunked", post("Transfer-Encoding: xchunked\r\n", `0\r\n\r\n${SMUGGLED}`)],
  ["a space before the colon", post("Transfer-Encoding : chunked\r\n", `0\r\n\r\n${SMUGGLED}`)],
  ["a chunk that is no number", post("Transfer-Encoding: chunked\r\n", `zz\r\n${SMUGGLED}`)],
  ["a chunk past all numbers", post("Transfer-Encoding: chunked\r\n", `ffffffffffffffffff\r\n${SMUGGLED}`)],
  ["a chunk longer than it says", post("Transfer-Encoding: chunked\r\n", `2\r\n{}X\r\n${SMUGGLED}`)],
];

/** Malformed requests that do not ask for the connection to be closed. The service closes it nevertheless. */
const CLOSING: [name: string, bytes: string][] = [
  ["two hosts", `GET /healthz HTTP/1.1\r\n${HOST}${HOST}\r\n`],
  ["two hosts and a body", `POST /healthz HTTP/1.1\r\n${HOST}${HOST}Content-Length: 2\r\n\r\n{}`],
  ["two hosts, one of them empty", `GET /healthz HTTP/1.1\r\n${HOST}Host:\r\n\r\n`],
  ["a path with %ff", `GET /%ff HTTP/1.1\r\n${HOST}\r\n`],
  ["a path of a canvas with %ff", `GET /c/tea/%ff HTTP/1.1\r\n${HOST}\r\n`],
  ["a path without a slash", `GET healthz HTTP/1.1\r\n${HOST}\r\n`],
  ["words", "hello\r\n\r\n"],
  ["a header without a colon", `GET /healthz HTTP/1.1\r\n${HOST}nothing\r\n\r\n`],
];

describe("malformed and unusual HTTP", () => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
    await publish(target, site, { "index.html": "home" });
  });
  const cookie = () => site.people.owner.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const signedIn = (bytes: string) => bytes.replace("\r\n\r\n", `\r\n${cookie()}\r\n`);

  afterEach(async () => {
    assert.equal((await send(base, { method: "GET", path: "/healthz" })).text, '{"ok":true}');
  });

  /** Asserts that a body has the format of the service's errors. */
  function described(body: string): void {
    const { code, message, requestId, error } = JSON.parse(body) as Record<string, unknown>;
    if (error !== undefined) return;
    for (const each of [code, message, requestId]) assert.ok(typeof each === "string" && each !== "", body);
  }

  for (const [name, bytes, statuses] of ROWS) {
    it(`${name}: ${statuses.join() || "closed"}`, async () => {
      const answers = answersIn(await wire(base, bytes));
      assert.deepEqual(
        answers.map(({ status }) => status),
        statuses,
      );
      for (const { status, head, body } of answers) {
        if (status < 400) continue;
        described(body);
        assert.match(head, /^cache-control: private, no-store$/im);
        assert.match(head, /^x-content-type-options: nosniff$/im);
      }
    });
  }

  for (const [name, bytes] of CLOSING) {
    it(`${name}: 400, and the connection is closed`, async () => {
      const answers = answersIn(await wire(base, bytes + SMUGGLED));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [400],
      );
      assert.match(answers[0]?.head ?? "", /^connection: close$/im);
    });
  }

  for (const [name, bytes] of SMUGGLING) {
    it(`${name}: one 400, and no second response`, async () => {
      const answers = answersIn(await wire(base, signedIn(bytes)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [400],
      );
      described(answers[0]?.body ?? "");
    });
  }

  it("a path of 15 KiB inside a canvas: 404", async () => {
    const answers = answersIn(await wire(base, get(`/c/${site.slug}/${LONG}`, cookie())));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404],
    );
  });

  it("pipelined requests: responses in their order", async () => {
    const paths = ["/healthz", "/none", `/c/${site.slug}/`, "/readyz", "/api/me"];
    const keep = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}${cookie()}\r\n`;
    const bytes = paths.map((path, index) => (index < 4 ? keep(path) : get(path, cookie()))).join("");
    const answers = answersIn(await wire(base, bytes));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 404, 200, 200, 200],
    );
    assert.match(answers[2]?.body ?? "", /home/);
  });

  it("the body of a GET is not parsed as the next request", async () => {
    const body = SMUGGLED;
    const bytes = `GET /none HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}${get("/readyz")}`;
    const statuses = answersIn(await wire(base, bytes)).map(({ status }) => status);
    assert.ok(statuses.length <= 2 && statuses[0] === 404, statuses.join());
    assert.ok(statuses.slice(1).every((status) => status === 200));
  });

  it("a rejected body is not waited for, and the connection is closed", async () => {
    const half = post("Content-Length: 100000\r\n", "{");
    const large = signedIn(post("Content-Length: 9007199254740993\r\n", "{"));
    const answers = await Promise.all([wire(base, half), wire(base, large)]);
    assert.deepEqual(
      answers.map((text) => answersIn(text).map(({ status }) => status)),
      [[401], [413]],
    );
  });

  for (const connection of ["close", "keep-alive"]) {
    it(`a client that goes on sending a rejected body can read the response, Connection: ${connection}`, async () => {
      const socket = await dial(base);
      const framing = `Connection: ${connection}\r\nContent-Length: 9007199254740993\r\n`;
      socket.write(signedIn(post(framing, "{")));
      await once(socket, "readable");
      for (let each = 0; each < 3; each++) socket.write(Buffer.alloc(64 * 1024));
      await new Promise<void>((resolve, reject) => {
        socket.write("{", (error) => (error ? reject(error) : resolve()));
      });
      assert.match(String(socket.read()), /^HTTP\/1\.1 413 /);
      socket.destroy();
    });
  }

  it("100-continue is sent; trailers are ignored", async () => {
    const asked = signedIn(post(`${CLOSE}Expect: 100-continue\r\nContent-Length: 2\r\n`, "{}"));
    assert.deepEqual(
      answersIn(await wire(base, asked)).map(({ status }) => status),
      [100, 400],
    );
    const chunks = "2\r\n{}\r\n0\r\nCookie: easel_session=other\r\nContent-Type: text/plain\r\n\r\n";
    const trailed = answersIn(
      await wire(base, signedIn(post(`${CLOSE}Transfer-Encoding: chunked\r\n`, chunks))),
    );
    assert.equal(trailed[0]?.status, 400);
    assert.match(trailed[0]?.body ?? "", /title/);
  });
});
