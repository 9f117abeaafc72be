import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { stage } from "@easel/conformance/fixture";
import type { Header } from "@easel/conformance/http";
import { pageOrigin } from "@easel/conformance/page";
import { startDev } from "../../support/engines.ts";
import { DAY_MS, later } from "../../support/time.ts";
import { clientFrame, handshake, statusIn, valueIn, Wire } from "./realtime-wire.ts";

const { target, env } = await startDev({ after }, { SERVICE_RATELIMIT_ENABLED: "on" });
const canvas = await stage(target);
const { owner } = canvas.people;
const PATH = `/v1/c/${canvas.slug}/realtime`;

const wires: Wire[] = [];
afterEach(() => {
  for (const wire of wires.splice(0)) wire.drop();
});

/** A handshake of the owner, in which these fields replace the usual ones. `behind` is sent after it in the same packet. */
interface Handshake {
  base?: string;
  path?: string;
  headers?: Header[];
  behind?: Buffer;
}

/** Sends a handshake. */
function knock({ base = target.base, path = PATH, headers = owner.headers, behind }: Handshake = {}): Wire {
  const wire = new Wire(base);
  wires.push(wire);
  wire.write(handshake(base, path, headers), behind ?? "");
  return wire;
}

for (const path of [`${PATH}?a=b`, PATH.replace("realtime", "%72ealtim%65")]) {
  it(`${path.replace(canvas.slug, "{slug}")}: 101`, async () => {
    const wire = knock({ path });
    assert.equal(statusIn(await wire.head()), 101);
    assert.equal((await wire.ask({ type: "presence", channel: "c" })).type, "presence");
  });
}

describe("frames sent with the handshake are handled", () => {
  const subscribe = clientFrame({ type: "subscribe", channel: "c" });
  const publish = clientFrame({ type: "publish", channel: "c", event: "e", data: 1 });
  const frames = Buffer.concat([subscribe, publish]);
  const heard = async (wire: Wire) => {
    for (const type of ["subscribed", "presence", "message"]) assert.equal((await wire.next()).type, type);
  };

  for (const size of [1, 5, 6, 7, subscribe.length, frames.length - 1, frames.length]) {
    it(`${size} bytes of frames in the same packet, and the rest after the response`, async () => {
      const wire = knock({ behind: frames.subarray(0, size) });
      assert.equal(statusIn(await wire.head()), 101);
      wire.write(frames.subarray(size));
      await heard(wire);
    });
  }

  it("frames before the response, in packets of their own", async () => {
    const wire = knock();
    for (const frame of [subscribe, publish]) wire.write(frame);
    assert.equal(statusIn(await wire.head()), 101);
    await heard(wire);
  });
});

describe("the headers of 101", () => {
  it("have the rate limit; no cookie, protocol or extension", async () => {
    const offers: Header[] = [
      ["Sec-WebSocket-Protocol", "chat, superchat"],
      ["Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits"],
    ];
    const head = await knock({ headers: [...owner.headers, ...offers] }).head();
    assert.equal(statusIn(head), 101);
    assert.equal(valueIn(head, "x-ratelimit-limit"), "120");
    for (const name of ["x-ratelimit-remaining", "x-ratelimit-reset"])
      assert.match(valueIn(head, name) ?? "", /^\d+$/);
    for (const name of ["set-cookie", "sec-websocket-protocol", "sec-websocket-extensions", "content-type"])
      assert.equal(valueIn(head, name), undefined, name);
    for (const line of head.trimEnd().split("\r\n").slice(1)) assert.match(line, /^[a-z-]+: \S.*$/i);
  });

  it("a session used after a day: the response renews its cookie", async () => {
    await later(env, 2 * DAY_MS, async () => {
      const wire = knock();
      assert.match(valueIn(await wire.head(), "set-cookie") ?? "", /^easel_session=.*; Max-Age=1209600/);
      assert.equal((await wire.ask({ type: "presence", channel: "c" })).type, "presence");
    });
  });
});

describe("in subdomain mode", async () => {
  const { target } = await startDev({ after }, { SERVICE_URL_MODE: "subdomain" });
  const { slug, people } = await stage(target, { switches: { realtime: false } });
  const from = async (origin: string, headers: Header[]) => {
    const request = { base: target.base, path: `/v1/c/${slug}/realtime` };
    const wire = knock({ ...request, headers: [...headers, ["Origin", origin]] });
    return { wire, head: await wire.head() };
  };
  const told = (head: string) => [
    statusIn(head),
    valueIn(head, "access-control-allow-origin"),
    valueIn(head, "access-control-allow-credentials"),
    valueIn(head, "vary"),
  ];

  it("the page of the canvas may read a refusal; pages of other origins may not", async () => {
    const own = pageOrigin(target, slug);
    assert.deepEqual(told((await from(own, [])).head), [401, own, "true", "Origin"]);
    assert.deepEqual(told((await from(own, people.stranger.headers)).head), [404, own, "true", "Origin"]);
    for (const origin of [pageOrigin(target, "other"), target.base, "null", "https://example.com"]) {
      const { head, wire } = await from(origin, people.owner.headers);
      assert.deepEqual(told(head), [403, undefined, undefined, "Origin"], origin);
      await wire.gone();
    }
  });

  it("the page opens the socket at the base host, and gets an error frame when realtime is off", async () => {
    const { head, wire } = await from(pageOrigin(target, slug), people.owner.headers);
    assert.equal(statusIn(head), 101);
    const { code, texts } = await wire.closing();
    assert.deepEqual([code, texts.length], [4403, 1]);
    assert.match(texts[0] ?? "", /^\{"type":"error","code":"CAPABILITY_DISABLED"/);
  });
});
