import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import type { Socket } from "node:net";
import path from "node:path";
import type { Readable } from "node:stream";
import { after, before, beforeEach, describe, it, mock } from "node:test";
import { upload } from "@easel/conformance/files/form";
import { type Stage, stage } from "@easel/conformance/fixture";
import { pageHeaders } from "@easel/conformance/page";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "../../support/engines.ts";
import { dial } from "../../support/wire.ts";

const VIDEO = randomBytes(25 * 1024 * 1024);

describe("downloads", async () => {
  /** The sockets on the server's side, keyed by the port of the client. */
  const ends = new Map<number | undefined, Socket>();
  subscribe("http.server.request.start", (message) => {
    const { socket } = message as { socket: Socket };
    ends.set(socket.remotePort, socket);
  });
  // A timer checks the connections, so it is mocked before the service starts.
  mock.timers.enable({ apis: ["setInterval"] });
  after(() => mock.timers.reset());
  const { target, env } = await startDev({ after }, { SERVICE_LOG_LEVEL: "silent" });

  /** The streams of the blobs that the service has opened in a test. */
  let opened: Readable[] = [];
  const { get } = env.blobs;
  /** A function of a test that runs after a blob is opened, and before its first byte is sent. */
  let whileOpen = async () => {};
  env.blobs.get = async (key, range) => {
    const blob = await get(key, range);
    if (blob !== null) opened.push(blob);
    await whileOpen();
    return blob;
  };
  beforeEach(() => {
    opened = [];
    whileOpen = async () => {};
  });

  let canvas: Stage;
  let file: string;
  before(async () => {
    canvas = await stage(target, { switches: { files: true } });
    const { json } = await upload(canvas.pages.owner, {}, { bytes: VIDEO });
    file = `/files/${json.id}/content`;
  });

  /** Requests the file, and reads nothing of the response. */
  async function ask(): Promise<Socket> {
    const socket = await dial(target.base);
    socket.on("error", () => {}).pause();
    const headers = [...canvas.people.owner.headers, ...pageHeaders(target, canvas.slug)];
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(
      `GET /v1/c/${canvas.slug}${file} HTTP/1.1\r\nHost: ${new URL(target.base).host}\r\n${lines}\r\n`,
    );
    return socket;
  }
  const allClosed = () =>
    until("the blob is closed", () => opened.length === 1 && opened.every(({ closed }) => closed));

  it("a reader that reads nothing costs no memory, and is cut off after a minute", async () => {
    const socket = await ask();
    await once(socket, "readable");
    const end = ends.get(socket.localPort);
    await until("the connection is full", () => end?.writableNeedDrain === true);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    const waiting = (end?.writableLength ?? 0) + (opened[0]?.readableLength ?? 0);
    assert.ok(waiting <= 512 * 1024, `${waiting} bytes`);
    await until("it is destroyed", async () => {
      mock.timers.tick(5_000);
      return end?.destroyed === true;
    });
    socket.destroy();
    await allClosed();
  });

  it("a client that goes away in the middle leaves no open file", async () => {
    const socket = await ask();
    await once(socket, "readable");
    socket.resetAndDestroy();
    await allClosed();
  });

  it("a client that goes away before the first byte leaves no open file", async () => {
    let socket: Socket | undefined;
    whileOpen = async () => {
      const { localPort } = socket as Socket;
      socket?.resetAndDestroy();
      await until("the service knows", () => ends.get(localPort)?.destroyed === true);
    };
    socket = await ask();
    await allClosed();
  });

  it("a blob that is missing: 500 INTERNAL_ERROR and a line in the log; other files are sent", async (t) => {
    const { json } = await upload(canvas.pages.owner, {}, { bytes: "other" });
    const [row] = await env.db.all<{
      blob_key: string;
    }>`select blob_key from files where id = ${String(json.id)}`;
    const key = String(row?.blob_key);
    await rm(path.join(env.config.dataDir, "blobs", key.slice(0, 2), key));
    const error = t.mock.method(env.log, "error");
    refused(await canvas.pages.owner.get(`/files/${json.id}/content`), 500, "INTERNAL_ERROR");
    const [line] = error.mock.calls.map((each) => each.arguments as unknown as [{ err: Error }]);
    assert.equal(line?.[0].err.message, `Blob ${key} of file ${json.id} is missing`);
    assert.equal((await canvas.pages.owner.send("GET", file, [["Range", "bytes=0-0"]])).status, 206);
  });

  it("a refused range, a conditional whole and HEAD leave no open file", async () => {
    const { owner } = canvas.pages;
    assert.equal((await owner.send("GET", file, [["Range", `bytes=${VIDEO.length}-`]])).status, 416);
    assert.equal((await owner.send("HEAD", file)).status, 200);
    assert.equal(opened.length, 0);
    const whole = await owner.send("GET", file, [
      ["Range", "bytes=0-0"],
      ["If-Range", '"another"'],
    ]);
    assert.equal(whole.headers["content-length"], String(VIDEO.length));
    await allClosed();
  });
});
