import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, beforeEach, describe, it } from "node:test";
import { exportSPKI, importJWK } from "jose";
import { signIn, startFake, startWithFake, wayBack } from "./oidc-fake.ts";
import { BROKEN, turnedDown, Visitor } from "./oidc-visitor.ts";

const { fake, base } = await startWithFake({ after });
beforeEach(() => fake.reset());

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const seconds = () => Math.floor(Date.now() / 1000);

it("a valid response signs in", async () => {
  assert.equal((await signIn(base, new Visitor(), "/c/tea/")).headers.location, "/c/tea/");
});

describe("an invalid ID token", () => {
  const claims: [name: string, claims: () => Record<string, unknown>][] = [
    ["another nonce", () => ({ nonce: "another" })],
    ["no nonce", () => ({ nonce: undefined })],
    ["another audience", () => ({ aud: "another" })],
    ["two audiences and no authorized party", () => ({ aud: ["another", "easel"] })],
    ["another authorized party", () => ({ aud: ["another", "easel"], azp: "another" })],
    ["no audience", () => ({ aud: undefined })],
    ["another issuer", () => ({ iss: "https://accounts.example.com" })],
    ["an issuer like ours", () => ({ iss: `${fake.issuer}/` })],
    ["an end that has passed", () => ({ exp: seconds() - 120 })],
    ["no end", () => ({ exp: undefined })],
    ["an end that is no number", () => ({ exp: "tomorrow" })],
    ["a beginning in the future", () => ({ nbf: seconds() + 3600 })],
    ["no subject", () => ({ sub: undefined })],
    ["a subject that is no text", () => ({ sub: 1 })],
  ];
  for (const [name, given] of claims) {
    it(`${name}: 503`, async () => {
      fake.claims = given();
      turnedDown(await signIn(base), 503, BROKEN);
    });
  }

  const signatures: [name: string, sign: typeof fake.sign][] = [
    ["alg none", (claims) => `${base64({ alg: "none" })}.${base64(claims)}.`],
    [
      "alg none, with the signature of another token",
      (claims) => `${base64({ alg: "none" })}.${base64(claims)}.AA`,
    ],
    [
      "HS256 with the public key for a secret",
      async (claims) => {
        const { publicKey } = fake.key();
        const pem = await exportSPKI(
          (await importJWK(publicKey, "ES256", { extractable: true })) as CryptoKey,
        );
        const text = `${base64({ alg: "HS256", kid: publicKey.kid })}.${base64(claims)}`;
        return `${text}.${createHmac("sha256", pem).update(text).digest("base64url")}`;
      },
    ],
    [
      "HS256 with the client's name for a secret",
      (claims) => {
        const text = `${base64({ alg: "HS256" })}.${base64(claims)}`;
        return `${text}.${createHmac("sha256", "easel").update(text).digest("base64url")}`;
      },
    ],
    [
      "another claim than the one that was signed",
      async (claims) => {
        const [header, , signature] = (await honestly(claims)).split(".");
        return `${header}.${base64({ ...claims, email: "root@example.com" })}.${signature}`;
      },
    ],
    ["no signature", async (claims) => (await honestly(claims)).replace(/\.[^.]*$/, ".")],
    ["two parts", async (claims) => (await honestly(claims)).replace(/\.[^.]*$/, "")],
    ["no JWT", () => "token"],
    ["nothing", () => ""],
  ];
  const honestly = fake.sign;
  for (const [name, sign] of signatures) {
    it(`${name}: 503`, async () => {
      fake.sign = sign;
      turnedDown(await signIn(base), 503, BROKEN);
    });
  }

  it("another key with the key id of the provider's: 503", async (t) => {
    const other = await startFake(t);
    Object.assign(other.key().publicKey, { kid: fake.key().publicKey.kid });
    fake.sign = other.sign;
    turnedDown(await signIn(base), 503, BROKEN);
  });
});

describe("other responses of a provider", () => {
  const tokens = { access_token: "the access token", token_type: "Bearer" };
  const rows: [
    name: string,
    path: string,
    told: { status: number; body: unknown },
    status: number,
    says: RegExp,
  ][] = [
    ["no ID token", "/token", { status: 200, body: tokens }, 503, BROKEN],
    ["no access token", "/token", { status: 200, body: { token_type: "Bearer" } }, 503, BROKEN],
    ["no JSON", "/token", { status: 200, body: "eyJ secret" }, 503, BROKEN],
    ["a list", "/token", { status: 200, body: [] }, 503, BROKEN],
    [
      "that the code is no good",
      "/token",
      { status: 400, body: { error: "invalid_grant" } },
      400,
      /has run out/,
    ],
    ["that it does not know us", "/token", { status: 401, body: { error: "invalid_client" } }, 503, BROKEN],
    [
      "an error of its own",
      "/token",
      { status: 500, body: { error: "server_error" } },
      503,
      /does not answer/,
    ],
    ["no keys", "/keys", { status: 200, body: { keys: [] } }, 503, BROKEN],
    ["keys that are none", "/keys", { status: 200, body: { keys: [{ kty: "oct", k: "AA" }] } }, 503, BROKEN],
  ];
  for (const [name, path, told, status, says] of rows) {
    it(`${name}: ${status}`, async (t) => {
      // A new service, because a service caches the keys.
      const fresh = await startWithFake(t);
      fresh.fake.answers[path] = told;
      turnedDown(await signIn(fresh.base), status, says);
    });
  }

  const errors: [error: string, status: number, says: RegExp][] = [
    ["access_denied", 403, /You are not signed in/],
    ["server_error", 503, /does not answer/],
    ["temporarily_unavailable", 503, /does not answer/],
    ["invalid_scope", 503, BROKEN],
    ["<script>", 503, BROKEN],
  ];
  for (const [error, status, says] of errors) {
    it(`error=${error}: ${status}`, async () => {
      const visitor = new Visitor();
      const back = await wayBack(base, visitor, "/c/tea/");
      back.searchParams.delete("code");
      back.searchParams.set("error", error);
      back.searchParams.set("error_description", "<script>alert(1)</script>");
      const answer = await visitor.get(back.href);
      turnedDown(answer, status, says);
      assert.doesNotMatch(answer.text, /<script/);
      assert.match(answer.text, /returnTo=%2Fc%2Ftea%2F/);
    });
  }
});
