import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { symbols } from "pino";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { answersIn, dial, wire } from "../support/wire.ts";
import { zip } from "../support/zip.ts";

const { target, env } = await startDev({ after }, { SERVICE_LOG_LEVEL: "fatal" });
const { base } = target;
const { host } = new URL(base);
const BIG = randomBytes(8 * 1024 * 1024);

describe("aborted connections", () => {
  let site: Stage;
  let bundle: Buffer;
  let heads: [name: string, head: string, body: Buffer][];
  before(async () => {
    site = await stage(target);
    await publish(target, site, { "index.html": "home", "big.bin": BIG });
    bundle = await zip({ "index.html": "never" });
    const cookie = site.people.owner.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const put = (method: string, where: string, type: string, length: number | null) =>
      `${method} ${where} HTTP/1.1\r\nHost: ${host}\r\n${cookie}Content-Type: ${type}\r\n` +
      `${length === null ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`}\r\n\r\n`;
    const json = Buffer.from('{"access":"whole_org"}');
    const sharing = `/api/canvases/${site.id}/sharing`;
    const to = `/api/canvases/${site.id}/bundle`;
    heads = [
      ["a JSON body", put("PUT", sharing, "application/json", json.length), json],
      [
        "a JSON body in chunks",
        put("PUT", sharing, "application/json", null),
        Buffer.concat([Buffer.from("16\r\n"), json]),
      ],
      ["a value", put("PUT", `/v1/c/${site.slug}/kv/gone`, "application/json", 9), Buffer.from('"1234567"')],
      ["a bundle", put("PUT", to, "application/zip", bundle.length), bundle],
      ["a sign-in", put("POST", "/auth/dev/session", "application/json", 30), Buffer.alloc(30, " ")],
    ];
  });

  /** Returns the data that an incomplete request must not change. */
  const state = async () => ({
    canvas: (await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`)).json,
    page: (await visit(target, site.slug, site.people.owner)).text,
    value: (
      await send(base, {
        method: "GET",
        path: `/v1/c/${site.slug}/kv/gone`,
        headers: site.people.owner.headers,
      })
    ).status,
  });
  const uploads = () => readdir(path.join(env.config.dataDir, "uploads"));

  const ways: [
    name: string,
    leave: (socket: Awaited<ReturnType<typeof dial>>, part: Buffer) => Promise<unknown>,
  ][] = [
    ["in the middle of it", async (socket, part) => socket.write(part.subarray(0, 5))],
    ["before it", async () => {}],
    [
      "after sending it slowly",
      async (socket, part) => {
        for (const byte of part.subarray(0, 5)) {
          socket.write(Buffer.of(byte));
          await sleep(30);
        }
      },
    ],
  ];
  for (const [way, leave] of ways) {
    it(`${way}: no data changes, no file is left, and the service responds`, async () => {
      const asItWas = await state();
      for (const [name, head, body] of heads) {
        for (const end of ["destroy", "reset", "end"] as const) {
          const socket = await dial(base);
          socket.on("error", () => {});
          socket.resume();
          socket.write(head);
          await leave(socket, body);
          await sleep(5);
          if (end === "destroy") socket.destroy();
          else if (end === "reset") socket.resetAndDestroy();
          else socket.end();
          if (!socket.closed) await once(socket, "close");
          assert.deepEqual(await state(), asItWas, `${name}, ${end}`);
        }
      }
      await until("nothing is left", async () => (await uploads()).length === 0);
    });
  }

  it("in the middle of a response: the service goes on", async () => {
    const cookie = site.people.owner.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    for (let turn = 0; turn < 20; turn++) {
      const socket = await dial(base);
      socket.on("error", () => {});
      socket.write(`GET /c/${site.slug}/big.bin HTTP/1.1\r\nHost: ${host}\r\n${cookie}\r\n`);
      await once(socket, "data");
      socket.resetAndDestroy();
    }
    const { status, headers } = await visit(target, site.slug, site.people.owner, "big.bin");
    assert.deepEqual([status, headers["content-length"]], [200, String(BIG.length)]);
  });

  it("half-closed after a complete request: the response is sent", async () => {
    const socket = await dial(base);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.end(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    await once(socket, "close");
    assert.deepEqual(
      answersIn(Buffer.concat(chunks).toString()).map(({ status }) => status),
      [200],
    );
  });

  it("two hundred silent connections do not block others", async (t) => {
    const idle = await Promise.all(Array.from({ length: 200 }, () => dial(base)));
    t.after(() => {
      for (const socket of idle) socket.destroy();
    });
    for (const socket of idle) socket.on("error", () => {}).write("GET /healthz HTTP/1.1\r\nX: ");
    const text = await wire(base, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.deepEqual(
      answersIn(text).map(({ status }) => status),
      [200],
    );
  });

  it("an abort by the client is not logged as an error", async (t) => {
    const own = await startDev(t, { SERVICE_LOG_LEVEL: "error" });
    const log = own.env.log as unknown as Record<symbol, { write(line: string): void }>;
    const lines = t.mock.method(log[symbols.streamSym] as { write(line: string): void }, "write", () => {});
    const { host: ownHost } = new URL(own.target.base);
    for (const head of ["Content-Length: 30", "Transfer-Encoding: chunked"]) {
      const socket = await dial(own.target.base);
      socket.write(
        `POST /auth/dev/session HTTP/1.1\r\nHost: ${ownHost}\r\nContent-Type: application/json\r\n${head}\r\n\r\n1\r\n`,
      );
      await sleep(30);
      socket.resetAndDestroy();
    }
    await sleep(100);
    assert.deepEqual(
      lines.mock.calls.map((call) => call.arguments[0]),
      [],
    );
  });
});
