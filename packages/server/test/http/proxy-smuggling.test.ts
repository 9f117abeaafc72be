import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startDev } from "../support/engines.ts";
import { PROXY } from "../support/service.ts";
import { answersIn, wire } from "../support/wire.ts";

const { target, env } = await startDev({ after }, PROXY);
const { base } = target;
const HOST = `Host: ${new URL(base).host}\r\n`;
const CLOSE = "Connection: close\r\n";
const ADA = "X-Auth-Request-Email: ada@example.com\r\n";
const EVE = "X-Auth-Request-Email: eve@example.com\r\n";

const get = (headers: string) => `GET /api/me HTTP/1.1\r\n${HOST}${headers}${CLOSE}\r\n`;
const chunks = (trailers: string) => `Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n${trailers}\r\n`;

/** Sends bytes. Returns for each response the user's e-mail address if its status is 200, otherwise the status. */
async function seen(bytes: string): Promise<(number | string)[]> {
  return answersIn(await wire(base, bytes)).map(({ status, body }) =>
    status === 200 ? (JSON.parse(body) as { email: string }).email : status,
  );
}

/** Header lines of a request, and the user to whom it is attributed, or the status of the refusal. */
const ROWS: [name: string, headers: string, whose: number | string][] = [
  ["once", ADA, "ada@example.com"],
  ["a name beside it", `${ADA}X-Auth-Request-Preferred-Username: Eve\r\n`, "ada@example.com"],
  ["no space after the colon", ADA.replace(": ", ":"), "ada@example.com"],
  ["spaces and tabs around it", ADA.replace(": ", ": \t ").replace("\r\n", " \t\r\n"), "ada@example.com"],
  ["twice", ADA + EVE, 401],
  ["twice the same", ADA + ADA, 401],
  ["twice, once in other letters", ADA + EVE.toLowerCase(), 401],
  ["twice, once empty", `X-Auth-Request-Email:\r\n${EVE}`, 401],
  ["twice, far apart", `${ADA}${"X: a\r\n".repeat(200)}${EVE}`, 401],
  ["folded", "X-Auth-Request-Email: ada@example.com\r\n ,eve@example.com\r\n", 400],
  ["folded after nothing", "X-Auth-Request-Email:\r\n ada@example.com\r\n", 400],
  ["folded with a tab", `X: a\r\n\t${EVE}`, 400],
  ["a line that starts with a space", `X: a\r\n ${EVE}`, 400],
  ["the first line starts with a space", ` ${EVE}`, 400],
  ["a space before the colon", EVE.replace(":", " :"), 400],
  ["a tab before the colon", EVE.replace(":", "\t:"), 400],
  ["a space before the colon of another", ADA + EVE.replace(":", " :"), 400],
  ["a NUL in the value", ADA.replace("ada", "ada\0"), 400],
  ["a NUL in the name", EVE.replace("Email", "Email\0"), 400],
  ["a bare return in the value", ADA.replace("\r\n", "\rX: a\r\n"), 400],
  ["a bare return before it", `X: a\r${EVE}`, 400],
  ["a bare line feed before it", `X: a\n${EVE}`, 400],
  ["a byte below a space in the value", ADA.replace("ada", "ada\x01"), 400],
  ["a delete in the value", ADA.replace("ada", "ada\x7f"), 400],
  ["bytes that are not UTF-8", ADA.replace("ada", "ada\x85"), 401],
  ["a next-line control in the value", ADA.replace("ada", "ada\xc2\x85"), 401],
  ["underscores", EVE.replaceAll("-", "_"), 401],
  ["one underscore", EVE.replace("Auth-Request", "Auth_Request"), 401],
  ["underscores beside dashes", EVE.replaceAll("-", "_") + ADA, "ada@example.com"],
  ["a dot for a dash", EVE.replace("X-", "X."), 401],
  ["no colon", "X-Auth-Request-Email eve@example.com\r\n", 400],
  ["a letter that is no ASCII", EVE.replace("Email", "Ema\xedl"), 400],
  ["dropped by `Connection`", `${ADA}Connection: X-Auth-Request-Email\r\n`, "ada@example.com"],
  ["in the name of another", EVE.replace("Request", "Request-User"), 401],
  ["two hosts", `${ADA}Host: eve.example\r\n`, 400],
  ["two hosts, the same", ADA + HOST, 400],
  ["two hosts, once in other letters", ADA + HOST.replace("Host", "hOST"), 400],
  ["two hosts, once empty", `${ADA}Host:\r\n`, 400],
  ["two hosts, folded", `${ADA}Host: \r\n eve.example\r\n`, 400],
];

describe("identity headers on the wire", () => {
  for (const [name, headers, whose] of ROWS) {
    it(`${name}: ${whose}`, async () => assert.deepEqual(await seen(get(headers)), [whose]));
  }

  it("two `Host` headers: 400 on every path, with the reason", async () => {
    for (const path of ["/", "/healthz", "/none", "/v1/c/guestbook/me", "/c/guestbook/", "/sdk/v1.js"]) {
      const bytes = `GET ${path} HTTP/1.1\r\n${HOST}${HOST}${CLOSE}\r\n`;
      const [answer] = answersIn(await wire(base, bytes));
      assert.equal(answer?.status, 400, path);
      assert.equal((JSON.parse(answer?.body ?? "") as { code: string }).code, "INVALID_BODY");
    }
  });

  it("a trailer is no identity header", async () => {
    const post = (headers: string, rest: string) =>
      `POST /api/canvases HTTP/1.1\r\n${HOST}${headers}${CLOSE}${rest}`;
    assert.deepEqual(await seen(post("Content-Type: application/json\r\n", chunks(EVE))), [401]);
    assert.deepEqual(await seen(post(`${ADA}Content-Type: application/json\r\n`, chunks(EVE))), [400]);
  });

  it("identity does not carry over to the next request of a connection", async () => {
    const keep = (headers: string) => `GET /api/me HTTP/1.1\r\n${HOST}${headers}\r\n`;
    assert.deepEqual(await seen(keep(ADA) + keep("") + keep(EVE) + get("")), [
      "ada@example.com",
      401,
      "eve@example.com",
      401,
    ]);
  });

  /** A request that is sent in the body of another one. The service must not parse it as a request of its own. */
  const inner = get("X-Auth-Request-Email: smuggled@example.com\r\n");
  const outer = (method: string, headers: string, body = inner) =>
    `${method} /api/me HTTP/1.1\r\n${HOST}${ADA}${headers}\r\n${body}`;
  const smuggled: [name: string, bytes: string, answers: (number | string)[]][] = [
    [
      "a body with its length",
      outer("GET", `Content-Length: ${inner.length}\r\n`) + get(""),
      ["ada@example.com", 401],
    ],
    [
      "a chunk",
      outer(
        "GET",
        "Transfer-Encoding: chunked\r\n",
        `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
      ) + get(""),
      ["ada@example.com", 401],
    ],
    [
      "a length and chunks",
      outer("GET", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${inner}`),
      [400],
    ],
    [
      "chunks and a length",
      outer("GET", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${inner}`),
      [400],
    ],
    [
      "chunks and a length, on a POST",
      outer("POST", `Transfer-Encoding: chunked\r\nContent-Length: ${inner.length}\r\n`),
      [400],
    ],
    ["two lengths", outer("GET", `Content-Length: 0\r\nContent-Length: ${inner.length}\r\n`), [400]],
    [
      "two encodings",
      outer("GET", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", `0\r\n\r\n${inner}`),
      [400],
    ],
    [
      "an encoding with a control",
      outer("GET", "Transfer-Encoding: \x0bchunked\r\n", `0\r\n\r\n${inner}`),
      [400],
    ],
    [
      "an encoding with a space before its colon",
      outer("GET", "Transfer-Encoding : chunked\r\n", `0\r\n\r\n${inner}`),
      [400],
    ],
    ["a length with a space before its colon", outer("GET", `Content-Length : ${inner.length}\r\n`), [400]],
    ["chunks that end in line feeds", outer("GET", "Transfer-Encoding: chunked\r\n", `0\n\n${inner}`), [400]],
    [
      "a chunk extension with a line feed",
      outer("GET", "Transfer-Encoding: chunked\r\n", `0;a\nb\r\n\r\n${inner}`),
      [400],
    ],
  ];
  for (const [name, bytes, answers] of smuggled) {
    it(`a request smuggled by ${name}: ${answers.join()}`, async () => {
      assert.deepEqual((await seen(bytes)).slice(0, answers.length), answers);
      const made = await env.db.all`select id from users where email like ${"smuggled%"}`;
      assert.deepEqual(made, []);
    });
  }
});
