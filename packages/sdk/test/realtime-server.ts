import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { type WebSocket as Peer, WebSocketServer } from "ws";
import { createKv } from "../src/kv.ts";
import type { Message } from "../src/realtime/channel.ts";
import { createSocket } from "../src/realtime/socket.ts";
import { createWatch } from "../src/realtime/watch.ts";
import { createRealtime } from "../src/realtime.ts";
import { createApi } from "../src/request.ts";

/** Values that come when they come: whoever asks first gets the first. */
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

/** The service's end of a connection. */
export interface Line {
  path: string;
  /** The next frame that the page sends. */
  next(): Promise<unknown>;
  say(frame: object): void;
  close(code: number): void;
  /** The code with which the page closed it. */
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

/** A service that says what the test says; gone when the test is over. */
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
    page: { href: `http://127.0.0.1:${port}/c/tea/` },
    /** The next connection of the page. */
    connection: lines.next,
    /** Refuses that many handshakes. */
    refuse(handshakes: number) {
      refusals = handshakes;
    },
  };
}

/** One pause between two attempts: how long it would be, and what ends it. */
export interface Paused {
  delay: number;
  end(): void;
  calledOff: boolean;
}

/** The SDK's realtime against such a service, without waiting: the test ends the pauses. */
export async function startPage(t: TestContext) {
  const server = await startServer(t);
  const pauses = createQueue<Paused>();
  const api = createApi(server.page, fetch);
  const socket = createSocket(
    () => api.url("/realtime").replace("http", "ws"),
    WebSocket,
    (delay, end) => {
      const paused = { delay, end, calledOff: false };
      pauses.push(paused);
      return () => {
        paused.calledOff = true;
      };
    },
  );
  return {
    ...server,
    pause: pauses.next,
    realtime: createRealtime(socket),
    kv: createKv(api, createWatch(socket)),
  };
}

/** Gathers what is reported to the page as uncaught. */
export function gatherReports(t: TestContext): unknown[] {
  const reports: unknown[] = [];
  Object.assign(globalThis, { reportError: (error: unknown) => reports.push(error) });
  t.after(() => Reflect.deleteProperty(globalThis, "reportError"));
  return reports;
}

/** Such a page with the channel `pens`, subscribed, the messages on it, and the service's end of the connection. */
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
