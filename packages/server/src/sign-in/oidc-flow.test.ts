import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { baseOf } from "../config/addresses.ts";
import { readConfig } from "../config/config.ts";
import { Signer } from "../crypto/secrets.ts";
import type { Env } from "../env.ts";
import { bindingOf, findProof, readFlow, startFlow } from "./oidc-flow.ts";

const OLD = "an old secret that is long enough for us";
const NEW = "a new secret that is long enough for us";

const node = (baseUrl: string, ...secrets: [string, ...string[]]) =>
  ({
    base: baseOf(readConfig({ SERVICE_BASE_URL: baseUrl }), 3000),
    signer: new Signer(secrets),
    clock: () => 1_700_000_000_000,
  }) as unknown as Env;

const plain = node("http://localhost:3000", OLD);
const from = (cookie?: string) => ({ headers: { cookie } }) as IncomingMessage;
const begin = (cookie: string | undefined, env: Env, returnTo = "/") =>
  startFlow(from(cookie), { returnTo, restarted: false }, env);
const pair = (cookie: string) => cookie.split(";")[0] ?? "";

describe("a pending sign-in", () => {
  it("can be finished on any node with the secret, also after a rotation", () => {
    const { proof, cookie } = begin(undefined, plain, "/c/tea/");
    for (const other of [node("http://localhost:3000", OLD), node("http://localhost:3000", NEW, OLD)]) {
      const flow = readFlow(proof.state, other);
      assert.ok(flow !== null);
      assert.deepEqual([flow.returnTo, flow.restarted], ["/c/tea/", false]);
      assert.equal(flow.expires, plain.clock() + 600_000);
      assert.deepEqual(findProof(from(pair(cookie)), flow, proof.state, other), proof);
    }
    assert.equal(readFlow(proof.state, node("http://localhost:3000", NEW)), null);
  });

  it("has its own nonce and verifier, and reveals neither verifier nor binding", () => {
    const first = begin(undefined, plain);
    const second = begin(pair(first.cookie), plain);
    assert.equal(second.cookie, first.cookie);
    const binding = bindingOf(from(pair(first.cookie)), plain) ?? "";
    const texts = [first, second].flatMap(({ proof }) => [proof.state, proof.nonce, proof.pkceVerifier]);
    assert.equal(new Set(texts).size, 6);
    for (const { proof } of [first, second]) {
      assert.match(proof.pkceVerifier, /^[\w-]{43}$/);
      const seen =
        Buffer.from(proof.state.split(".")[0] ?? "", "base64url").toString() + proof.state + proof.nonce;
      assert.ok(!seen.includes(binding) && !seen.includes(proof.pkceVerifier));
    }
  });

  it("is bound to the browser: another binding gives no proof", () => {
    const { proof } = begin(undefined, plain);
    const flow = readFlow(proof.state, plain);
    assert.ok(flow !== null);
    const { cookie } = begin(undefined, plain);
    for (const other of [undefined, "", pair(cookie), `easel_login=${flow.browser}`])
      assert.equal(findProof(from(other), flow, proof.state, plain), null);
  });

  it("a signature for another purpose is invalid", () => {
    const text = Buffer.from(JSON.stringify({ returnTo: "/" })).toString("base64url");
    assert.equal(readFlow(`${text}.${plain.signer.sign("gate", text)}`, plain), null);
    assert.notEqual(readFlow(`${text}.${plain.signer.sign("login", text)}`, plain), null);
  });
});

describe("the binding", () => {
  it("has the prefix __Host- on https", () => {
    const secure = { ...plain, base: { ...plain.base, secure: true } };
    const { cookie } = begin("easel_login=A", secure);
    assert.match(
      cookie,
      /^__Host-easel_login=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    assert.equal(bindingOf(from(`easel_login=${"A".repeat(43)}`), secure), undefined);
    assert.equal(bindingOf(from(`__Host-easel_login=${"A".repeat(43)}`), secure), "A".repeat(43));
  });

  it("is replaced when it is malformed", () => {
    for (const value of ["", "A", "A".repeat(44), `"${"A".repeat(43)}"`, "é".repeat(43)])
      assert.notEqual(pair(begin(`easel_login=${value}`, plain).cookie), `easel_login=${value}`);
  });
});
