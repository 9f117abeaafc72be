import assert from "node:assert/strict";
import { once } from "node:events";
import type { ClientRequest } from "node:http";
import net from "node:net";
import { afterEach, before, beforeEach, it, type TestContext } from "node:test";
import { cast, type Stage } from "@easel/conformance/fixture";
import { start } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { userOf } from "@easel/conformance/realtime/room";
import { refused } from "@easel/conformance/refusal";
import { LIMITS } from "@easel/protocol/limits";
import { OutboundCalls } from "../../../src/async/outbound-calls.ts";
import { onSqlite } from "../../support/engines.ts";
import { MINUTE_MS } from "../../support/time.ts";
import { type Connected, connected, FIVE_CALLERS } from "./connected.ts";
import { ScriptedOutbound, type Sent } from "./scripted-outbound.ts";

const PER_CANVAS = 5;
const PER_CALLER = 2;
const WAITING = 3;
const MIB = 1024 ** 2;

await onSqlite("places for concurrent calls", (target, env) => {
  let people: Stage["people"];
  let canvas: Connected;
  let upstream: ScriptedOutbound;
  before(async () => {
    people = await cast(target);
  });
  // Each test has its own profile, because a caller may send 60 calls a minute through one.
  beforeEach(async () => {
    canvas = await connected(target, { people });
  });
  // The limit of the process is that of one canvas, so that a place that is not freed is missed on both.
  beforeEach(() => {
    upstream = new ScriptedOutbound();
    env.outbound = upstream;
    env.outboundCalls = new OutboundCalls(PER_CANVAS);
  });

  const get = (who: (typeof FIVE_CALLERS)[number] = "owner") =>
    canvas.pages[who].get(`/connections/${canvas.profile}/x`);
  const path = () => `/v1/c/${canvas.slug}/connections/${canvas.profile}/x`;

  /** Waits until the service has sent `count` requests to the upstream, and returns them. */
  async function sent(count: number): Promise<Sent[]> {
    await until(`${count} requests`, () => upstream.sent.length >= count);
    assert.equal(upstream.sent.length, count);
    return upstream.sent;
  }

  /** Waits until the viewer has so many calls that the next one is refused, or until it is not. */
  async function full(expected: boolean): Promise<void> {
    const { id: userId } = await userOf(target, canvas.people.viewer);
    await until(`another call is ${expected ? "refused" : "accepted"}`, () => {
      const end = env.outboundCalls.open({ userId, canvasId: canvas.id });
      end?.();
      return (end === null) === expected;
    });
  }

  /** Opens a connection of the viewer. The function that it returns sends a request on it, without waiting for earlier responses. */
  function pipeline(): { request(): void; socket: net.Socket } {
    const { hostname, port } = new URL(target.base);
    const socket = net.connect(Number(port), hostname === "localhost" ? "127.0.0.1" : hostname);
    const cookie = canvas.people.viewer.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const text = `GET ${path()} HTTP/1.1\r\nHost: ${new URL(target.base).host}\r\n${cookie}\r\n`;
    return { request: () => socket.write(text), socket };
  }

  /** Sends a request on a connection of its own. */
  function open(who: (typeof FIVE_CALLERS)[number]): ClientRequest {
    const { headers } = canvas.people[who];
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

  // After each test all places are free: as many calls as there are places are sent at once.
  afterEach(async () => {
    const all = new ScriptedOutbound();
    env.outbound = all;
    const tries = async () => {
      all.sent.splice(0);
      const answers = FIVE_CALLERS.map(get);
      let refusals = 0;
      for (const answer of answers) answer.then(({ status }) => status === 429 && refusals++);
      await until("each call is sent or refused", () => all.sent.length + refusals === PER_CANVAS);
      for (const each of all.sent) each.respond("x");
      await Promise.all(answers);
      assert.deepEqual(await env.bus.holders(`connections ${canvas.id}`), []);
      return refusals === 0;
    };
    // A place is freed only after the client has noticed the end of its response or connection.
    await until("all places are free", tries);
  });

  it("a canvas has five; a call that is refused for them is not sent", async () => {
    const answers = FIVE_CALLERS.map(get);
    await sent(PER_CANVAS);
    env.outboundCalls = new OutboundCalls(PER_CANVAS);
    const answer = await get();
    refused(answer, 429, "CONNECTION_LIMIT");
    assert.equal(answer.headers["retry-after"], "1");
    await sent(PER_CANVAS);
    for (const each of upstream.sent) each.respond("x");
    for (const each of await Promise.all(answers)) assert.equal(each.status, 200);
  });

  it("the process has its own number, over all canvases: further calls wait", async () => {
    env.outboundCalls = new OutboundCalls(2);
    const other = await connected(target);
    const answers = [get(), other.pages.owner.get(`/connections/${other.profile}`)];
    await sent(2);
    answers.push(get("viewer"));
    await sent(2);
    upstream.sent[0]?.respond("x");
    await sent(3);
    for (const each of upstream.sent) each.respond("x");
    for (const each of await Promise.all(answers)) assert.equal(each.status, 200);
    env.outboundCalls = new OutboundCalls(PER_CANVAS);
  });

  it("a page that sends five calls at once gets five responses; a sixth is refused", async () => {
    const answers = Array.from({ length: PER_CALLER + WAITING }, () => get("viewer"));
    await sent(PER_CALLER);
    await full(true);
    refused(await get("viewer"), 429, "CONNECTION_LIMIT");
    upstream.onSend = ({ respond }) => respond("x");
    for (const each of upstream.sent) each.respond("x");
    for (const each of await Promise.all(answers)) assert.equal(each.status, 200);
  });

  it("a caller with slow upstreams and full queues does not delay or refuse the calls of another", async () => {
    const hostile = Array.from({ length: 9 }, () => open("viewer"));
    await sent(PER_CALLER);
    upstream.onSend = ({ respond }) => respond("x");
    for (let each = 0; each < 40; each++) assert.equal((await get("editor")).status, 200);
    for (const client of hostile) client.destroy();
    await until("the requests are aborted", () =>
      upstream.sent.slice(0, PER_CALLER).every(({ signal }) => signal.aborted),
    );
  });

  it("responses that are read and not sent hold no places, but count for their caller", async () => {
    const { request, socket } = pipeline();
    const most = LIMITS.connectionCallsOpen.value;
    request();
    await sent(1);
    upstream.onSend = ({ respond }) => respond("x");
    for (let each = 2; each <= most; each++) {
      request();
      await sent(each);
    }
    await full(true);
    refused(await get("viewer"), 429, "CONNECTION_LIMIT");
    for (let each = 0; each < 20; each++) assert.equal((await get("editor")).status, 200);
    socket.destroy();
    await full(false);
    assert.equal((await get("viewer")).status, 200);
  });

  it("a call that waits is not sent when its client disconnects", async () => {
    const answers = [get("viewer"), get("viewer")];
    await sent(PER_CALLER);
    const waiting = Array.from({ length: WAITING }, () => open("viewer"));
    await full(true);
    for (const client of waiting) client.destroy();
    await full(false);
    for (const each of upstream.sent) each.respond("x");
    for (const each of await Promise.all(answers)) assert.equal(each.status, 200);
    await sent(PER_CALLER);
  });

  it("freed when clients disconnect before the upstream responds; its requests are aborted", async () => {
    const clients = FIVE_CALLERS.map(open);
    await sent(PER_CANVAS);
    for (const client of clients) client.destroy();
    await until("the requests are aborted", () => upstream.sent.every(({ signal }) => signal.aborted));
  });

  it("freed when clients disconnect while they receive the response", async () => {
    upstream.onSend = ({ respond }) => respond(Buffer.alloc(2 * MIB));
    await Promise.all(
      FIVE_CALLERS.map(async (who) => {
        const client = open(who);
        const [response] = await once(client, "response");
        response.on("error", () => {});
        client.destroy();
      }),
    );
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
      const answers = await Promise.all(FIVE_CALLERS.map(get));
      for (const answer of answers) assert.equal(answer.status, status, answer.text);
    });

  it("a call that has failed does not count for its caller any more", async () => {
    upstream.onSend = ({ fail }) => fail(new Error("cut off"));
    for (let each = 0; each <= LIMITS.connectionCallsOpen.value; each++)
      assert.equal((await get("viewer")).status, 502);
  });

  it("a call that is refused before the limits takes none", async () => {
    for (let each = 0; each <= PER_CANVAS; each++)
      refused(await canvas.pages.viewer.get("/connections/unknown"), 404, "CONNECTION_NOT_GRANTED");
    await sent(0);
  });
});
