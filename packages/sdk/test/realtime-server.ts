import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { type WebSocket as Peer, WebSocketServer } from "ws";
import { createFiles } from "../src/files.ts";
import { createKv } from "../src/kv.ts";
import type { Message } from "../src/realtime/channel.ts";
import { createSocket } from "../src/realtime/socket.ts";
import { createWatch } from "../src/realtime/watch.ts";
import { createRealtime } from "../src/realtime.ts";
import { createApi } from "../src/request.ts";
import { createSendForm } from "../src/send-form.ts";

/** An asynchronous FIFO queue: `next` resolves with the next value pushed. */
export function createQueue<Value>() {
  const values: Value[] = [];
  const takers: ((value: Value) => void)[] = [];
  return {
    push(value: Value) {
      const taker = takers.shift();
      if (taker) taker(value);
      else values.push(value);
    },
    next(): Promise<Value> {
      return values.length > 0
        ? Promise.resolve(values.shift() as Value)
        : new Promise((resolve) => takers.push(resolve));
    },
  };
}

/** A connection of the page, from the side of the service. */
export interface Line {
  path: string;
  /** Resolves with the next frame from the page. */
  next(): Promise<unknown>;
  say(frame: object): void;
  close(code: number): void;
  /** Resolves with the close code from the page. */
  closed: Promise<number>;
}

function createLine(peer: Peer, path: string): Line {
  const frames = createQueue<unknown>();
  peer.on("message", (data) => frames.push(JSON.parse(String(data))));
  return {
    path,
    next: frames.next,
    say: (frame) => peer.send(JSON.stringify(frame)),
    close: (code) => peer.close(code),
    closed: new Promise((resolve) => peer.on("close", resolve)),
  };
}

/** Starts a WebSocket server that the test controls; it stops when the test ends. */
export async function startServer(t: TestContext) {
  const lines = createQueue<Line>();
  let refusals = 0;
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    verifyClient: (_, answer) => answer(refusals === 0 || --refusals < 0, 503),
  });
  server.on("connection", (peer, request) => lines.push(createLine(peer, String(request.url))));
  await once(server, "listening");
  t.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    page: { url: `http://127.0.0.1:${port}/c/tea/` },
    /** Resolves with the next connection of the page. */
    connection: lines.next,
    /** Refuses the next handshakes, as many as the argument says. */
    refuse(handshakes: number) {
      refusals = handshakes;
    },
  };
}

/** A scheduled reconnect: its delay in ms, a function that runs it, and whether the SDK has cancelled it. */
export interface Paused {
  delay: number;
  end(): void;
  cancelled: boolean;
}

/** Starts a server, and the realtime part of the SDK connected to it. The test runs each reconnect, without a timer. */
export async function startPage(t: TestContext) {
  const server = await startServer(t);
  const pauses = createQueue<Paused>();
  const api = createApi(server.page);
  const socket = createSocket(
    () => new WebSocket(api.url("/realtime").replace("http", "ws")),
    (delay, end) => {
      const paused = { delay, end, cancelled: false };
      pauses.push(paused);
      return () => {
        paused.cancelled = true;
      };
    },
  );
  const watch = createWatch(socket);
  return {
    ...server,
    pause: pauses.next,
    realtime: createRealtime(socket),
    kv: createKv(api, watch),
    files: createFiles(api, watch, createSendForm(api)),
  };
}

/** Collects errors that are reported as uncaught. */
export function gatherReports(t: TestContext): unknown[] {
  const reports: unknown[] = [];
  Object.assign(globalThis, { reportError: (error: unknown) => reports.push(error) });
  t.after(() => Reflect.deleteProperty(globalThis, "reportError"));
  return reports;
}

/** Starts a page that is subscribed to the channel `pens`. Returns the messages that it receives, and its connection on the server. */
export async function startSubscribedPage(t: TestContext) {
  const easel = await startPage(t);
  const pens = easel.realtime.channel("pens");
  const messages: Message[] = [];
  const done = pens.subscribe((message) => messages.push(message));
  const line = await easel.connection();
  assert.deepEqual(await line.next(), { type: "subscribe", channel: "pens" });
  line.say({ type: "subscribed", channel: "pens" });
  await done;
  return { ...easel, pens, messages, line };
}
