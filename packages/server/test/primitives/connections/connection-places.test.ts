import assert from "node:assert/strict";
import { once } from "node:events";
import type { ClientRequest } from "node:http";
import net from "node:net";
import { afterEach, before, beforeEach, it, type TestContext } from "node:test";
import { start } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import { LIMITS } from "@easel/protocol/limits";
import { Concurrency } from "../../../src/async/concurrency.ts";
import { onSqlite } from "../../support/engines.ts";
import { MINUTE_MS } from "../../support/time.ts";
import { type Connected, connected } from "./connected.ts";
import { ScriptedOutbound, type Sent } from "./scripted-outbound.ts";

const PER_CANVAS = 5;
const MIB = 1024 ** 2;

await onSqlite("places for concurrent calls", (target, env) => {
  let canvas: Connected;
  let upstream: ScriptedOutbound;
  before(async () => {
    canvas = await connected(target);
  });
  // The limit of the process is that of one canvas, so that a place that is not freed is missed on both.
  beforeEach(() => {
    upstream = new ScriptedOutbound();
    env.outbound = upstream;
    env.outboundCalls = new Concurrency(PER_CANVAS);
  });

  const get = () => canvas.pages.viewer.get(`/connections/${canvas.profile}/x`);
  const path = () => `/v1/c/${canvas.slug}/connections/${canvas.profile}/x`;

  /** Waits until the service has sent `count` requests to the upstream, and returns them. */
  async function sent(count: number): Promise<Sent[]> {
    await until(`${count} requests`, () => upstream.sent.length >= count);
    assert.equal(upstream.sent.length, count);
    return upstream.sent;
  }

  /** Sends a request on a connection of its own. */
  function open(): ClientRequest {
    const { headers } = canvas.people.viewer;
    const request = start(target.base, { method: "GET", path: path(), headers }, false);
    request.on("error", () => {});
    request.end();
    return request;
  }

  /** Extends the ten-second limit of calls to ten minutes, so that a call ends only when the test ends it. */
  beforeEach((t) => {
    const { setTimeout } = globalThis;
    (t as TestContext).mock.method(globalThis, "setTimeout", (end: () => void, ms: number) =>
      setTimeout(end, ms === LIMITS.connectionTimeoutMs.value ? 10 * MINUTE_MS : ms),
    );
  });

  // After each test all places are free: as many calls as there are places are sent at once, and one more is refused.
  afterEach(async () => {
    const all = new ScriptedOutbound();
    env.outbound = all;
    const tries = async () => {
      all.sent.splice(0);
      const answers = Array.from({ length: PER_CANVAS }, get);
      let refusals = 0;
      for (const answer of answers) answer.then(({ status }) => status === 429 && refusals++);
      await until("each call is sent or refused", () => all.sent.length + refusals === PER_CANVAS);
      const last = refusals === 0 ? await get() : null;
      for (const each of all.sent) each.respond("x");
      await Promise.all(answers);
      if (last !== null) refused(last, 429, "CONNECTION_LIMIT");
      return refusals === 0;
    };
    // A place is freed only after the client has noticed the end of its response or connection.
    await until("all places are free", tries);
  });

  it("a canvas has five; a call that is refused for them is not sent", async () => {
    const answers = Array.from({ length: PER_CANVAS }, get);
    await sent(PER_CANVAS);
    env.outboundCalls = new Concurrency(PER_CANVAS);
    const answer = await get();
    refused(answer, 429, "CONNECTION_LIMIT");
    assert.equal(answer.headers["retry-after"], "1");
    await sent(PER_CANVAS);
    for (const each of upstream.sent) each.respond("x");
    for (const each of await Promise.all(answers)) assert.equal(each.status, 200);
  });

  it("the process has its own number, over all canvases", async () => {
    env.outboundCalls = new Concurrency(2);
    const other = await connected(target);
    const answers = [get(), other.pages.owner.get(`/connections/${other.profile}`)];
    await sent(2);
    for (const each of [canvas, other])
      refused(await each.pages.owner.get(`/connections/${each.profile}`), 429, "CONNECTION_LIMIT");
    await sent(2);
    for (const each of upstream.sent) each.respond("x");
    for (const each of await Promise.all(answers)) assert.equal(each.status, 200);
    env.outboundCalls = new Concurrency(PER_CANVAS);
  });

  it("the refusal for the canvas gives the place of the process back", async () => {
    const answers = Array.from({ length: PER_CANVAS }, get);
    await sent(PER_CANVAS);
    env.outboundCalls = new Concurrency(1);
    for (let each = 0; each < 3; each++) refused(await get(), 429, "CONNECTION_LIMIT");
    const other = await connected(target);
    const answer = other.pages.owner.get(`/connections/${other.profile}`);
    for (const each of await sent(PER_CANVAS + 1)) each.respond("x");
    assert.equal((await answer).status, 200);
    await Promise.all(answers);
    env.outboundCalls = new Concurrency(PER_CANVAS);
  });

  it("freed when clients disconnect before the upstream responds; its requests are aborted", async () => {
    const clients = Array.from({ length: PER_CANVAS }, open);
    await sent(PER_CANVAS);
    for (const client of clients) client.destroy();
    await until("the requests are aborted", () => upstream.sent.every(({ signal }) => signal.aborted));
  });

  it("freed when clients disconnect while they receive the response", async () => {
    upstream.onSend = ({ respond }) => respond(Buffer.alloc(2 * MIB));
    await Promise.all(
      Array.from({ length: PER_CANVAS }, async () => {
        const client = open();
        const [response] = await once(client, "response");
        response.on("error", () => {});
        client.destroy();
      }),
    );
  });

  it("taken until an earlier response on the connection is sent, and freed when the client disconnects before", async () => {
    const { hostname, port } = new URL(target.base);
    const socket = net.connect(Number(port), hostname === "localhost" ? "127.0.0.1" : hostname);
    const cookie = canvas.people.viewer.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const request = `GET ${path()} HTTP/1.1\r\nHost: ${new URL(target.base).host}\r\n${cookie}\r\n`;
    socket.write(request.repeat(PER_CANVAS));
    const [, ...later] = await sent(PER_CANVAS);
    for (const each of later) each.respond("x");
    refused(await get(), 429, "CONNECTION_LIMIT");
    socket.destroy();
    await until("the first one is aborted", () => upstream.sent[0]?.signal.aborted === true);
  });

  const FAILURES: [what: string, end: (sent: Sent) => void, status: number][] = [
    ["the upstream fails", ({ fail }) => fail(new Error("cut off")), 502],
    ["the response is too large", ({ respond }) => respond(Buffer.alloc(2 * MIB + 1)), 502],
    [
      "the response is compressed",
      ({ respond }) => respond("x", { headers: { "content-encoding": "gzip" } }),
      403,
    ],
    [
      "the upstream redirects elsewhere",
      ({ respond }) => respond("", { status: 302, headers: { location: "//evil.test/" } }),
      403,
    ],
    [
      "the upstream redirects for ever",
      ({ respond }) => respond("", { status: 302, headers: { location: "/" } }),
      403,
    ],
    ["the upstream responds with an error", ({ respond }) => respond("x", { status: 500 }), 500],
  ];
  for (const [what, end, status] of FAILURES)
    it(`freed when ${what}: ${status}`, async () => {
      upstream.onSend = end;
      const answers = await Promise.all(Array.from({ length: PER_CANVAS }, get));
      for (const answer of answers) assert.equal(answer.status, status, answer.text);
    });

  it("a call that is refused before the limits takes none", async () => {
    for (let each = 0; each <= PER_CANVAS; each++)
      refused(await canvas.pages.viewer.get("/connections/unknown"), 404, "CONNECTION_NOT_GRANTED");
    await sent(0);
  });
});
