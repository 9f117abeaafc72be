import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttps } from "node:https";
import net, { type AddressInfo, BlockList, type Server, type Socket } from "node:net";
import { after, suite, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import tls from "node:tls";
import { type Certified, createAuthority } from "@easel/conformance/connections/authority";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { DestinationBlocked, UpstreamFailure } from "./outbound.ts";
import { UndiciOutbound } from "./undici-outbound.ts";

const authority = await createAuthority();
tls.setDefaultCACertificates([...tls.getCACertificates("default"), authority.ca]);
const good = await authority.issue(["api.test"]);

const approved = new BlockList();
approved.addSubnet("127.0.0.0", 8, "ipv4");

const servers = new Map<Server, Set<Socket>>();
const outbounds: UndiciOutbound[] = [];
after(async () => {
  for (const outbound of outbounds) await outbound.close();
  for (const [server, sockets] of servers) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

/** Starts a server on a free loopback port. Returns the origin that names it, and its open sockets. */
async function listen(server: Server): Promise<{ origin: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  servers.set(server, sockets);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)));
    socket.on("error", () => {});
  });
  server.on("secureConnection", (socket: Socket) => socket.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { origin: `https://api.test:${(server.address() as AddressInfo).port}`, sockets };
}

const upstream = (certified: Certified) =>
  listen(createHttps(certified, (_, response) => response.end("ok")));

/** Creates a client whose resolver returns one answer after the other, and counts the lookups. */
function client(...answers: string[][]) {
  const counted = { lookups: 0 };
  const resolve = async () => {
    const addresses = answers[Math.min(counted.lookups++, answers.length - 1)] ?? [];
    return addresses.map((address) => ({ address, family: 4 }));
  };
  const outbound = new UndiciOutbound(resolve, { approved, servicePort: 1 });
  outbounds.push(outbound);
  const get = async (origin: string, signal = new AbortController().signal) => {
    const request = { origin, path: "/", method: "GET", headers: [], body: null };
    const { status, body } = await outbound.send(request, signal);
    let text = "";
    for await (const chunk of body) text += chunk;
    return `${status} ${text}`;
  };
  return { outbound, counted, get };
}

const LOCAL = ["127.0.0.1"];

suite("certificates of upstreams", () => {
  test("one for the name, of a trusted authority: accepted", async () => {
    const { origin } = await upstream(good);
    assert.equal(await client(LOCAL).get(origin), "200 ok");
  });

  const bad: Record<string, () => Promise<Certified>> = {
    "for another name": () => authority.issue(["other.test"]),
    "for a subdomain": () => authority.issue(["sub.api.test"]),
    expired: () => authority.issue(["api.test"], { notAfter: new Date(Date.now() - 60_000) }),
    "of an unknown authority": async () => (await createAuthority("Unknown")).issue(["api.test"]),
  };
  for (const [name, issue] of Object.entries(bad))
    test(`one ${name}: refused, also with NODE_TLS_REJECT_UNAUTHORIZED=0`, async () => {
      const { origin } = await upstream(await issue());
      await assert.rejects(client(LOCAL).get(origin), UpstreamFailure);
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
      try {
        await assert.rejects(client(LOCAL).get(origin), UpstreamFailure);
      } finally {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      }
    });
});

suite("sockets to upstreams", () => {
  test("a kept connection needs no lookup; after 30 seconds, a new one is checked again", async (t) => {
    const { origin } = await upstream(good);
    const { get, counted } = client(LOCAL, ["10.0.0.1"]);
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
    assert.equal(await get(origin), "200 ok");
    // The connection becomes free after the end of the response has been read.
    await setImmediate();
    t.mock.timers.tick(29_000);
    assert.equal(await get(origin), "200 ok");
    assert.equal(counted.lookups, 1);
    await setImmediate();
    t.mock.timers.tick(2000);
    await assert.rejects(get(origin), DestinationBlocked);
    assert.equal(counted.lookups, 2);
  });

  test("each new socket is preceded by one lookup and connects to its answer", async () => {
    const server = createHttps(good, (_, response) => response.setHeader("connection", "close").end("ok"));
    const { origin } = await listen(server);
    const { get, counted } = client(LOCAL, LOCAL, ["10.0.0.1"]);
    for (const lookups of [1, 2]) {
      assert.equal(await get(origin), "200 ok");
      assert.equal(counted.lookups, lookups);
    }
    await assert.rejects(get(origin), DestinationBlocked);
    assert.equal(counted.lookups, 3);
  });

  test("if one address of a name is closed, the other is used", async () => {
    const { origin } = await upstream(good);
    assert.equal(await client(["127.0.0.2", "127.0.0.1"]).get(origin), "200 ok");
  });

  for (const origin of [
    "https://127.0.0.1:1",
    "https://[::1]:1",
    "https://2130706433:1",
    "http://api.test:1",
  ])
    test(`${origin}: blocked without a lookup`, async () => {
      const { get, outbound, counted } = client(LOCAL);
      await assert.rejects(get(origin), DestinationBlocked);
      await assert.rejects(outbound.check(origin, new AbortController().signal), DestinationBlocked);
      assert.equal(counted.lookups, 0);
    });

  test("an abort closes the socket while the upstream is silent", { timeout: PATIENCE_MS }, async () => {
    const server = createHttps(good, () => {});
    const { origin, sockets } = await listen(server);
    const requested = once(server, "request");
    const abort = new AbortController();
    const failed = assert.rejects(client(LOCAL).get(origin, abort.signal), UpstreamFailure);
    await requested;
    const [socket] = sockets;
    assert.ok(socket);
    const closed = once(socket, "close");
    abort.abort();
    await failed;
    await closed;
  });
});

suite("upstreams that do not speak HTTP/1.1 over TLS", () => {
  const raw = (answer: string) =>
    tls.createServer(good, (socket) => void socket.once("data", () => socket.end(answer)));
  const strange: Record<string, () => Server> = {
    "HTTP without TLS": () =>
      net.createServer((socket) => void socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\n"))),
    garbage: () => raw("\0garbage\r\n\r\n"),
    "headers of 64 KiB": () => raw(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(65536)}\r\n\r\n`),
    "another protocol": () =>
      raw("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
    "no response": () => raw(""),
  };
  for (const [name, start] of Object.entries(strange))
    test(`${name}: a failure`, async () => {
      const { origin } = await listen(start());
      await assert.rejects(client(LOCAL).get(origin), UpstreamFailure);
    });
});
