import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { stage } from "@easel/conformance/fixture";
import type { Header } from "@easel/conformance/http";
import { startDev } from "../../support/engines.ts";
import { clientFrame, handshake, statusIn, UPGRADE, valueIn, Wire } from "./realtime-wire.ts";

const { target } = await startDev({ after });
const { base } = target;
const canvas = await stage(target);
const { owner, stranger } = canvas.people;
const PATH = `/v1/c/${canvas.slug}/realtime`;

const wires: Wire[] = [];
afterEach(() => {
  for (const wire of wires.splice(0)) wire.drop();
});
const dial = () => {
  const wire = new Wire(base);
  wires.push(wire);
  return wire;
};

/** Returns a handshake of the owner with changed headers; null removes a header. */
const like = (changed: Record<string, string | null>, headers = owner.headers, path = PATH) => {
  const upgrade = UPGRADE()
    .map(([name, value]): [string, string | null] => [
      name,
      changed[name] === undefined ? value : changed[name],
    ])
    .filter((line): line is Header => line[1] !== null);
  return handshake(base, path, headers, () => upgrade);
};
const plain = (path: string, headers: Header[] = [], method = "GET", body = "") =>
  `${handshake(base, path, headers, () => []).replace("GET", method)}${body}`;

/** Reads one HTTP response. Returns its status. */
async function readStatus(wire: Wire): Promise<number> {
  const head = await wire.head();
  await wire.bytes(Number(valueIn(head, "content-length") ?? 0));
  return statusIn(head);
}

/** Requires that the service still responds. */
async function requireAlive(): Promise<void> {
  assert.equal((await fetch(`${base}/healthz`)).status, 200);
}

const OTHERWISE: [name: string, handshake: () => string, status: number][] = [
  ["nobody", () => like({}, []), 401],
  ["someone who may not enter", () => like({}, stranger.headers), 404],
  ["an unknown slug", () => like({}, owner.headers, "/v1/c/nowhere-at-all/realtime"), 404],
  ["a page of another canvas", () => like({}, [...owner.headers, ["Referer", `${base}/c/other/`]]), 403],
  ["a page of another site", () => like({}, [...owner.headers, ["Sec-Fetch-Site", "cross-site"]]), 403],
  ["no version", () => like({ "Sec-WebSocket-Version": null }), 426],
  ["version 8", () => like({ "Sec-WebSocket-Version": "8" }), 426],
  ["version 14", () => like({ "Sec-WebSocket-Version": "14" }), 426],
  ["two versions", () => like({ "Sec-WebSocket-Version": "13, 8" }), 426],
  ["no key", () => like({ "Sec-WebSocket-Key": null }), 400],
  ["an empty key", () => like({ "Sec-WebSocket-Key": "" }), 400],
  ["a short key", () => like({ "Sec-WebSocket-Key": "AAAA" }), 400],
  ["two keys", () => like({}, [...owner.headers, ["Sec-WebSocket-Key", "A".repeat(22)]]), 400],
  ["a protocol that is none", () => like({}, [...owner.headers, ["Sec-WebSocket-Protocol", "a,,b"]]), 400],
];

describe("a refused handshake: a response, and the connection is closed", () => {
  for (const [name, bytes, status] of OTHERWISE) {
    it(`${name}: ${status}`, async () => {
      const wire = dial();
      wire.write(bytes(), clientFrame({ type: "presence", channel: "c" }));
      const head = await wire.head();
      assert.equal(statusIn(head), status);
      assert.equal(valueIn(head, "connection"), "close");
      const body = await wire.rest();
      assert.equal(Buffer.byteLength(body, "latin1"), Number(valueIn(head, "content-length")));
      assert.equal(typeof JSON.parse(body), "object");
      if (status === 426) {
        assert.equal(valueIn(head, "upgrade"), "websocket");
        assert.equal(valueIn(head, "sec-websocket-version"), "13");
      }
      await wire.gone();
    });
  }
});

const H2C: Header[] = [
  ["Connection", "Upgrade, HTTP2-Settings"],
  ["Upgrade", "h2c"],
  ["HTTP2-Settings", "AAMAAABkAAQAAP__"],
];
const BODY = JSON.stringify({ email: "ada@example.com" });
const LENGTH: Header = ["Content-Length", String(BODY.length)];
const TYPE: Header = ["Content-Type", "application/json"];

const ORDINARY: [name: string, request: () => string, status: number][] = [
  ["h2c, here", () => plain(PATH, [...owner.headers, ...H2C]), 426],
  ["h2c, elsewhere", () => plain("/healthz", H2C), 200],
  ["h2c, with a body", () => plain("/auth/dev/session", [...H2C, TYPE, LENGTH], "POST", BODY), 204],
  ["a list", () => like({ Upgrade: "h2c, websocket" }), 426],
  ["no `Connection: Upgrade`", () => like({ Connection: "keep-alive" }), 426],
  ["no `Upgrade`", () => like({ Upgrade: null }), 426],
  ["WebSocket, elsewhere", () => like({}, [], "/healthz"), 200],
  [
    "WebSocket, at another route of the canvas",
    () => like({}, owner.headers, `/v1/c/${canvas.slug}/kv`),
    200,
  ],
  ["WebSocket, in other letters", () => like({}, owner.headers, PATH.replace("realtime", "Realtime")), 404],
  ["WebSocket, below", () => like({}, owner.headers, `${PATH}/x`), 404],
  ["POST", () => like({}, [...owner.headers, ["Content-Length", "0"]]).replace("GET", "POST"), 405],
  ["DELETE", () => like({}).replace("GET", "DELETE"), 405],
  ["a body", () => like({}, [...owner.headers, LENGTH]) + BODY, 426],
  ["a body of nobody", () => like({}, [LENGTH]) + BODY, 401],
  [
    "a body in chunks",
    () => `${like({}, [...owner.headers, ["Transfer-Encoding", "chunked"]])}2\r\nab\r\n0\r\n\r\n`,
    426,
  ],
];

describe("a request that is no handshake is handled as usual, and the connection stays open", () => {
  for (const [name, bytes, status] of ORDINARY) {
    it(`${name}: ${status}`, async () => {
      const wire = dial();
      wire.write(bytes());
      assert.equal(await readStatus(wire), status);
      wire.write(plain("/healthz"));
      assert.equal(await readStatus(wire), 200);
    });
  }
});

describe("a broken handshake does not stop the service", () => {
  for (const [who, headers] of [
    ["nobody", []],
    ["the owner", owner.headers],
  ] as const) {
    it(`of ${who}, behind a pending request`, async () => {
      const wire = dial();
      wire.write(plain(`/v1/c/${canvas.slug}/kv`, headers.slice()), like({}, headers.slice()));
      await wire.rest();
      await wire.gone();
      await requireAlive();
    });

    it(`of ${who}, twice in one packet`, async () => {
      const wire = dial();
      wire.write(like({}, headers.slice()), like({}, headers.slice()));
      await wire.rest();
      await wire.gone();
      await requireAlive();
    });

    it(`of ${who}, with a body that is not sent`, async () => {
      const wire = dial();
      wire.write(like({}, [...headers, LENGTH]), BODY.slice(1));
      assert.notEqual(await readStatus(wire), 101);
      wire.drop();
      await requireAlive();
    });

    it(`of ${who}, dropped at once`, async () => {
      const wire = dial();
      wire.write(like({}, headers.slice()));
      wire.socket.resetAndDestroy();
      await wire.gone();
      await requireAlive();
    });
  }
});
