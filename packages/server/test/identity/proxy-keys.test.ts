import assert from "node:assert/strict";
import { createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { until } from "@easel/conformance/patience";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { exportJWK } from "jose";
import { whoAmI } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import type { Scope } from "../support/service.ts";
import {
  type Key,
  type KeyServer,
  newKey,
  sign,
  signedBy,
  startKeyServer,
  TOKEN_HEADER,
} from "./proxy-tokens.ts";

const MINUTE_MS = 60_000;
const OLD = await newKey("ES256", "old");
const NEW = await newKey("ES256", "new");
const RSA = await newKey("RS", "rsa");

/** Starts a service with a key server and a mock clock. */
async function stage(scope: Scope, ...keys: Key[]) {
  const server = await startKeyServer(scope, ...keys);
  const { target, env } = await startDev(scope, signedBy(server));
  const warnings: object[] = [];
  env.log.warn = (...line: unknown[]) => void warnings.push(line);
  let now = Date.now();
  env.clock = () => now;
  return {
    env,
    server,
    warnings,
    comes: async (token: string) => whoAmI(target.base, [[TOKEN_HEADER, token]]),
    later: (ms: number) => {
      now += ms;
    },
  };
}

const never = (server: KeyServer) => {
  server.instead = (request) => request.socket.destroy();
};

describe("keys of signed tokens", () => {
  it("are fetched at the first request, once for concurrent ones", async (t) => {
    const { server, comes } = await stage(t, OLD);
    unauthenticated(await comes("token"));
    assert.equal(server.fetches, 0);
    const token = await sign(OLD, "ES256");
    const answers = await Promise.all(Array.from({ length: 50 }, () => comes(token)));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(server.fetches, 1);
  });

  it("rotate: a new key is valid once the key server has it, a removed one is not any more", async (t) => {
    const { server, comes, later, warnings } = await stage(t, OLD);
    const [old, next] = [await sign(OLD, "ES256"), await sign(NEW, "ES256")];
    assert.equal((await comes(old)).status, 200);
    assert.equal((await comes(old)).status, 200);
    server.keys = [NEW.jwk];
    unauthenticated(await comes(next));
    assert.equal(server.fetches, 1);
    later(10_000);
    assert.equal((await comes(next)).status, 200);
    unauthenticated(await comes(old));
    assert.equal((await comes(next)).status, 200);
    assert.equal(server.fetches, 2);
    assert.deepEqual(warnings, []);
  });

  it("are fetched again after ten minutes, also when every token has a known key", async (t) => {
    const { server, comes, later } = await stage(t, OLD, NEW);
    const old = await sign(OLD, "ES256", { exp: 1e10 });
    assert.equal((await comes(old)).status, 200);
    server.keys = [NEW.jwk];
    later(9 * MINUTE_MS);
    assert.equal((await comes(old)).status, 200);
    assert.equal(server.fetches, 1);
    later(MINUTE_MS);
    unauthenticated(await comes(old));
    assert.equal(server.fetches, 2);
  });

  it("cached tokens of a removed key are invalid", async (t) => {
    const { server, comes, later } = await stage(t, OLD);
    const old = await sign(OLD, "ES256", { exp: 1e10 });
    for (let minutes = 0; minutes < 10; minutes++) {
      assert.equal((await comes(old)).status, 200);
      later(MINUTE_MS - 1_000);
    }
    server.keys = [];
    later(MINUTE_MS + 10_000);
    unauthenticated(await comes(old));
  });

  it("tokens with unknown keys cause few requests to the key server", async (t) => {
    const { server, comes, later } = await stage(t, OLD);
    const known = await sign(OLD, "ES256", { exp: 1e10 });
    const made = () => sign(OLD, "ES256", {}, { kid: randomBytes(8).toString("hex") });
    const tokens = await Promise.all(Array.from({ length: 200 }, made));
    for (const answer of await Promise.all(tokens.map(comes))) unauthenticated(answer);
    for (const token of tokens) unauthenticated(await comes(token));
    assert.equal(server.fetches, 1);
    for (const token of tokens) {
      later(300);
      await comes(token);
      assert.equal((await comes(known)).status, 200);
    }
    assert.ok(server.fetches <= 7, `${server.fetches} in a minute`);
  });

  it("a cached token is invalid after its expiry", async (t) => {
    const { env, comes, later } = await stage(t, OLD);
    const token = await sign(OLD, "ES256", { exp: Math.floor(env.clock() / 1000) + 15 });
    assert.equal((await comes(token)).status, 200);
    later(40_000);
    assert.equal((await comes(token)).status, 200);
    later(10_000);
    unauthenticated(await comes(token));
  });
});

describe("the token cache", () => {
  it("has a maximum size", async (t) => {
    const { env, comes } = await stage(t, OLD);
    assert.equal((await comes(await sign(OLD, "ES256"))).status, 200);
    const { verified } = env.proxyKeys ?? {};
    assert.ok(verified);
    for (let each = 0; verified.size < 5_000; each++) verified.set(String(each), { claims: {}, until: 0 });
    assert.equal((await comes(await sign(OLD, "ES256", { jti: "another" }))).status, 200);
    assert.deepEqual([verified.size, verified.has("0")], [5_000, false]);
    assert.ok(Math.max(...verified.values().map(({ until }) => until)) <= env.clock() + MINUTE_MS);
  });
});

describe("a key server that cannot be reached", () => {
  it("at the start: 503 UNAVAILABLE and one warning per request to it, until it is back", async (t) => {
    const { server, comes, later, warnings } = await stage(t, OLD);
    never(server);
    const token = await sign(OLD, "ES256");
    for (let tries = 0; tries < 20; tries++) refused(await comes(token), 503, "UNAVAILABLE");
    unauthenticated(await comes("token"));
    assert.deepEqual([server.fetches, warnings.length], [1, 1]);
    assert.doesNotMatch(JSON.stringify(warnings), new RegExp(token.slice(0, 20)));
    later(10_000);
    refused(await comes(token), 503, "UNAVAILABLE");
    assert.deepEqual([server.fetches, warnings.length], [2, 2]);
    server.instead = undefined;
    later(10_000);
    assert.equal((await comes(token)).status, 200);
    unauthenticated(await comes(await sign(NEW, "ES256")));
  });

  it("later: known keys stay valid for an hour; tokens with unknown keys are 503", async (t) => {
    const { server, comes, later } = await stage(t, OLD);
    const [old, next] = await Promise.all([OLD, NEW].map((key) => sign(key, "ES256", { exp: 1e10 })));
    const forged = `${old?.slice(0, -6)}AAAAAA`;
    assert.equal((await comes(old ?? "")).status, 200);
    never(server);
    for (let minutes = 0; minutes < 59; minutes++) {
      later(MINUTE_MS);
      assert.equal((await comes(old ?? "")).status, 200);
      unauthenticated(await comes(forged));
      refused(await comes(next ?? ""), 503, "UNAVAILABLE");
    }
    later(MINUTE_MS);
    refused(await comes(old ?? ""), 503, "UNAVAILABLE");
    refused(await comes(forged), 503, "UNAVAILABLE");
    server.instead = undefined;
    later(MINUTE_MS);
    assert.equal((await comes(old ?? "")).status, 200);
    unauthenticated(await comes(forged));
  });

  it("connection refused: 503", async (t) => {
    const { target } = await startDev(t, signedBy({ url: "http://127.0.0.1:9/keys" }));
    const token = await sign(OLD, "ES256");
    refused(await whoAmI(target.base, [[TOKEN_HEADER, token]]), 503, "UNAVAILABLE");
  });

  const keys = JSON.stringify({ keys: [OLD.jwk] });
  const answers: [name: string, answer: NonNullable<KeyServer["instead"]>][] = [
    ["a page", (_, response) => response.setHeader("content-type", "text/html").end("<h1>Sign in</h1>")],
    ["nothing", (_, response) => response.end()],
    ["204", (_, response) => response.writeHead(204).end()],
    ["404 with keys", (_, response) => response.writeHead(404).end(keys)],
    ["500 with keys", (_, response) => response.writeHead(500).end(keys)],
    ["a redirect", (_, response) => response.writeHead(302, { location: "/elsewhere" }).end(keys)],
    ["half of it", (_, response) => response.end(keys.slice(0, -9))],
    [
      "half of what it promised",
      (request, response) => {
        response.writeHead(200, { "content-length": keys.length * 2 }).write(keys);
        setTimeout(() => request.socket.destroy(), 50);
      },
    ],
    ["too much", (_, response) => response.end(keys + " ".repeat(300 * 1024))],
    [
      "too much, packed",
      (_, response) =>
        response.setHeader("content-encoding", "gzip").end(gzipSync(keys + " ".repeat(50 << 20))),
    ],
    ...[
      "[]",
      "{}",
      "null",
      '"keys"',
      '{"keys":{}}',
      '{"keys":null}',
      '{"keys":[null]}',
      '{"keys":["k"]}',
    ].map((body): [string, NonNullable<KeyServer["instead"]>] => [body, (_, response) => response.end(body)]),
  ];
  for (const [name, answer] of answers) {
    it(`it answers ${name}: 503, and keys that are known stay`, async (t) => {
      const { server, comes, later } = await stage(t, NEW);
      const [old, known] = [await sign(OLD, "ES256"), await sign(NEW, "ES256")];
      server.instead = answer;
      refused(await comes(old), 503, "UNAVAILABLE");
      assert.equal(server.fetches, 1);
      server.instead = undefined;
      later(10_000);
      assert.equal((await comes(known)).status, 200);
      server.instead = answer;
      later(10_000);
      refused(await comes(old), 503, "UNAVAILABLE");
      assert.equal((await comes(known)).status, 200);
      assert.equal(server.fetches, 3);
    });
  }

  const slow: typeof answers = [
    ["never", () => {}],
    [
      "letter by letter",
      (_, response) => {
        const timer = setInterval(() => response.write(" "), 5);
        response.on("close", () => clearInterval(timer));
      },
    ],
  ];
  for (const [name, answer] of slow) {
    it(`it answers ${name}: 503 after five seconds, and then at once`, async (t) => {
      const { server, comes } = await stage(t);
      const token = await sign(OLD, "ES256");
      server.instead = answer;
      const patience = new AbortController();
      const timeout = t.mock.method(AbortSignal, "timeout", () => patience.signal);
      let answered = 0;
      const all = Array.from({ length: 20 }, () => comes(token).finally(() => answered++));
      await until("the key server is asked", () => server.fetches > 0);
      await sleep(50);
      assert.equal(answered, 0);
      patience.abort(new DOMException("The operation timed out", "TimeoutError"));
      for (const each of all) refused(await each, 503, "UNAVAILABLE");
      refused(await comes(token), 503, "UNAVAILABLE");
      assert.deepEqual(
        timeout.mock.calls.map((call) => call.arguments),
        [[5_000]],
      );
      assert.equal(server.fetches, 1);
    });
  }
});

describe("key sets with other entries beside the key", () => {
  const small = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const entries: [name: string, entry: () => Promise<object> | object][] = [
    ["a shared secret", () => ({ kty: "oct", k: "c2VjcmV0", kid: "other" })],
    ["a shared secret of the same kid", () => ({ kty: "oct", k: "c2VjcmV0", kid: "rsa" })],
    ["a key for encryption of the same kid", () => ({ ...NEW.jwk, kid: "rsa" })],
    ["a kind that nobody knows", () => ({ kty: "XX", kid: "rsa" })],
    ["an empty entry", () => ({})],
    ["half a key", () => ({ kty: "RSA", n: "AQAB", kid: "other" })],
    ["a private key", async () => ({ ...(await exportJWK(NEW.privateKey)), kid: "other" })],
  ];
  for (const [name, entry] of entries) {
    it(`${name}: the valid key beside it is used`, async (t) => {
      const { server, comes } = await stage(t, RSA);
      server.keys.push(await entry());
      assert.equal((await comes(await sign(RSA, "RS256"))).status, 200);
    });
  }

  const useless: [name: string, entries: () => Promise<object[]> | object[], token?: Promise<string>][] = [
    ["two keys of one kid", () => [RSA.jwk, { ...RSA.jwk }]],
    ["a key of another kind under its kid", () => [{ ...OLD.jwk, kid: "rsa" }]],
    ["a key for encryption", () => [{ ...RSA.jwk, use: "enc" }]],
    ["a key for signing only", () => [{ ...RSA.jwk, key_ops: ["sign"] }]],
    ["a key for another algorithm", () => [{ ...RSA.jwk, alg: "RS512" }]],
    ["the private key", async () => [{ ...(await exportJWK(RSA.privateKey)), kid: "rsa" }]],
    ["a kid that is a number", () => [{ ...RSA.jwk, kid: 7 }]],
    ["no keys", () => []],
  ];
  for (const [name, entries] of useless) {
    it(`${name}: 401`, async (t) => {
      const { server, comes } = await stage(t);
      server.keys = await entries();
      unauthenticated(await comes(await sign(RSA, "RS256")));
    });
  }

  it("a token without a kid where two keys fit: 401", async (t) => {
    const { comes } = await stage(t, OLD, NEW);
    unauthenticated(await comes(await sign(OLD, "ES256", {}, { kid: undefined })));
  });

  it("an RSA key of 1,024 bits: 401", async (t) => {
    const { server, comes } = await stage(t);
    server.keys = [{ ...(await exportJWK(small.publicKey)), kid: "rsa" }];
    const [head, body] = (await sign(RSA, "RS256")).split(".");
    const signature = createSign("sha256").update(`${head}.${body}`).sign(small.privateKey, "base64url");
    unauthenticated(await comes(`${head}.${body}.${signature}`));
  });
});
