import assert from "node:assert/strict";
import { createHmac, createSign } from "node:crypto";
import { after, describe, it } from "node:test";
import { type Header, send } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { JSON_TYPE, whoAmI } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import {
  AUDIENCE,
  claims,
  ISSUER,
  type Key,
  newKey,
  part,
  sign,
  signedBy,
  startKeyServer,
  TOKEN_HEADER,
} from "./proxy-tokens.ts";

const RSA = await newKey("RS", "rsa");
const EC = await newKey("ES256", "ec");
const OTHERS = await Promise.all([newKey("ES384", "ec-384"), newKey("ES512", "ec-512"), newKey("Ed", "ed")]);
/** A key pair that the key server does not have. */
const EVE = await newKey("RS", "rsa");
const keyServer = await startKeyServer({ after }, RSA, EC, ...OTHERS);
const { target, env } = await startDev({ after }, signedBy(keyServer));
const { base } = target;
/** The time of the service's clock, in seconds. */
const NOW = Math.floor(Date.now() / 1000);
env.clock = () => NOW * 1000;

const token = (value: string): Header => [TOKEN_HEADER, value];
const me = (...headers: Header[]) => whoAmI(base, headers);
const good = await sign(RSA, "RS256");
const [HEAD = "", BODY = "", SIGNATURE = ""] = good.split(".");

/** Returns a token that is signed by an HMAC with this secret. */
function macked(hash: string, secret: string | Buffer): string {
  const signed = `${part({ alg: `HS${hash}`, kid: RSA.kid })}.${part(claims())}`;
  return `${signed}.${createHmac(`sha${hash}`, secret).update(signed).digest("base64url")}`;
}

describe("valid signed tokens", () => {
  const keyOf: Record<string, Key | undefined> = { ES256: EC, ES384: OTHERS[0], ES512: OTHERS[1] };
  for (const alg of ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]) keyOf[alg] = RSA;
  for (const alg of ["EdDSA", "Ed25519"]) keyOf[alg] = OTHERS[2];

  for (const [alg, key] of Object.entries(keyOf)) {
    it(`${alg}: 200, and creates the user`, async () => {
      assert.ok(key);
      const email = `${alg.toLowerCase()}@example.com`;
      const { status, json } = await me(token(await sign(key, alg, { email: email.toUpperCase() })));
      assert.equal(status, 200);
      assert.deepEqual([json.email, json.authMode], [email, "proxy"]);
    });
  }

  const fine: [name: string, own: Record<string, unknown>, header?: object][] = [
    ["an audience in a list", { aud: ["other", AUDIENCE] }],
    ["no `sub`, `iat` or `nbf`", { iat: undefined }],
    ["an end 20 seconds ago, since clocks differ", { exp: NOW - 20 }],
    ["a beginning in 20 seconds, since clocks differ", { nbf: NOW + 20 }],
    ["an address that is verified", { email_verified: true }],
    ["an address that is verified, in words", { email_verified: "true" }],
    ["claims of its own", { groups: ["a"], roles: { admin: true } }],
    ["no `kid`, where only one key fits", {}, { kid: undefined }],
    ["a type", {}, { typ: "JWT" }],
    ["an address of a key set elsewhere, which nobody asks", {}, { jku: "http://127.0.0.1:9/keys" }],
    ["a key of its own, which counts for nothing", {}, { jwk: EVE.jwk }],
  ];
  for (const [name, own, header] of fine) {
    it(`${name}: 200`, async () => {
      const { status, json } = await me(token(await sign(RSA, "RS256", own, header)));
      assert.deepEqual([status, json.email], [200, "ada@example.com"]);
    });
  }

  it("the header name in another case, or spaces around the token: 200", async () => {
    assert.equal((await me(["CF-ACCESS-JWT-ASSERTION", good])).status, 200);
    assert.equal((await me(token(`  ${good}\t`))).status, 200);
  });

  const names: [sent: unknown, shown: string][] = [
    ["Ada Lovelace", "Ada Lovelace"],
    ["  Žofia 日本 ", "Žofia 日本"],
    ["Gra\u0000ce\r\nHop\u007fper", "GraceHopper"],
    [`${"n".repeat(199)}😀`, `${"n".repeat(199)}\ufffd`],
    ["\ud800", "\ufffd"],
    ["n".repeat(300), "n".repeat(200)],
    ["\n", "Named"],
    [undefined, "Named"],
    [["Ada"], "Named"],
    [7, "Named"],
    [null, "Named"],
  ];
  for (const [sent, shown] of names) {
    it(`the name ${JSON.stringify(sent)?.slice(0, 20)} is shown as ${shown.slice(-20)}`, async () => {
      const email = "named@example.com";
      await env.db.run`update users set name = ${"Named"} where email = ${email}`;
      const { json } = await me(token(await sign(EC, "ES256", { email, name: sent, jti: "1" })));
      assert.equal(json.name, shown);
    });
  }
});

describe("a name that is sanitized before it is stored", () => {
  it("is written once, not on every request", async (t) => {
    const email = "broken@example.com";
    const broken = token(await sign(EC, "ES256", { email, name: "Ada \ud800" }));
    assert.equal((await me(broken)).status, 200);
    const run = t.mock.method(env.db, "run");
    assert.deepEqual((await me(broken)).json.name, "Ada \ufffd");
    assert.equal(run.mock.callCount(), 0);
  });
});

describe("OAuth beside signed tokens", () => {
  for (const path of [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/mcp",
    "/oauth/authorize",
    "/oauth/device",
    "/oauth/token",
    "/oauth/device_authorization",
    "/oauth/revoke",
    "/oauth/register",
  ]) {
    it(`${path}: 404, because the service accepts no access tokens`, async () => {
      for (const method of ["GET", "POST"]) {
        const answer = await send(base, { method, path, headers: [token(good)] });
        refused(answer, 404, "NOT_FOUND");
        assert.match(String(answer.json.message), /accepts no access tokens/);
      }
    });
  }
});

describe("invalid signed tokens", () => {
  /** Returns a token with any payload, even one that is not JSON, and a correct signature. */
  const signed = (payload: string, header: object = {}) => {
    const input = `${part({ alg: "RS256", kid: "rsa", ...header })}.${payload}`;
    return `${input}.${createSign("sha256").update(input).sign(RSA.privateKey, "base64url")}`;
  };
  const swap = (header: object) => `${part(header)}.${BODY}.${SIGNATURE}`;
  const pem = RSA.publicKey.export({ type: "spki", format: "pem" });
  const der = RSA.publicKey.export({ type: "spki", format: "der" });
  const eve = (header: object) => sign(EVE, "RS256", {}, header);

  const forged: [name: string, token: string | Promise<string>][] = [
    ["empty", ""],
    ["a word", "token"],
    ...["none", "None", "NONE", "nOnE", "", "rs256", "RS256 ", "RS1", "ES256K", "A256GCM", "dir"].flatMap(
      (alg): [string, string][] => [
        [`algorithm \`${alg}\``, swap({ alg, kid: "rsa" })],
        [`algorithm \`${alg}\`, no signature`, `${part({ alg })}.${BODY}.`],
      ],
    ),
    ["no signature and no dot", `${part({ alg: "none" })}.${BODY}`],
    ["no algorithm", swap({ kid: "rsa" })],
    ["two algorithms", swap({ alg: ["RS256", "none"] })],
    ["an algorithm by inheritance", `${part('{"__proto__":{"alg":"RS256"}}')}.${BODY}.${SIGNATURE}`],
    ["the algorithm twice", `${part('{"alg":"RS256","alg":"none","kid":"rsa"}')}.${BODY}.${SIGNATURE}`],
    ...["256", "384", "512"].flatMap((hash): [string, string][] => [
      [`HS${hash} with the public key in PEM`, macked(hash, pem)],
      [`HS${hash} with the public key in DER`, macked(hash, der)],
      [`HS${hash} with the public key as JWK`, macked(hash, JSON.stringify(RSA.jwk))],
      [`HS${hash} with the modulus`, macked(hash, Buffer.from(RSA.jwk.n ?? "", "base64url"))],
      [`HS${hash} with nothing`, macked(hash, "")],
    ]),
    ...["RS384", "PS256", "ES256", "EdDSA", "HS256"].map((alg): [string, string] => [
      `RS256 that is called ${alg}`,
      swap({ alg, kid: "rsa" }),
    ]),
    ["the kid of a key of another kind", sign(EC, "ES256", {}, { kid: "rsa" })],

    ["another's key with our kid", sign(EVE, "RS256")],
    ["another's key with its own kid", eve({ kid: "eve" })],
    ["another's key without a kid", eve({ kid: undefined })],
    ["another's key, embedded", eve({ jwk: EVE.jwk })],
    ["another's key, embedded, without a kid", eve({ jwk: EVE.jwk, kid: undefined })],
    ["another's key, named by address", eve({ jku: "https://eve.example/keys", kid: "eve" })],
    ["another's certificate, named by address", eve({ x5u: "https://eve.example/cert" })],
    ["another's certificate, embedded", eve({ x5c: [der.toString("base64")] })],
    ...[
      "../../../../dev/null",
      "/etc/passwd",
      "rsa\u0000",
      " rsa",
      "RSA",
      "",
      "__proto__",
      "' or 1=1 --",
    ].map((kid): [string, Promise<string>] => [
      `the kid ${JSON.stringify(kid)}`,
      sign(RSA, "RS256", {}, { kid }),
    ]),
    ["a kid that is a number", signed(BODY, { kid: 1 })],
    ["a kid that is a list", signed(BODY, { kid: ["rsa"] })],
    ["a critical extension", signed(BODY, { crit: ["exp"], exp: NOW + 60 })],
    ["an empty list of critical extensions", signed(BODY, { crit: [] })],
    ["a critical extension that is missing", signed(BODY, { crit: ["b64"] })],
    ["a payload that is not encoded", signed(BODY, { crit: ["b64"], b64: false })],
    ["a payload in plain JSON", signed(JSON.stringify(claims()), { crit: ["b64"], b64: false })],

    ["cut at the end", good.slice(0, -2)],
    ["cut in the middle", good.slice(0, good.length / 2)],
    ["a signature of another token", `${good.slice(0, good.lastIndexOf("."))}.${part("x".repeat(256))}`],
    ["another payload", `${HEAD}.${part(claims({ email: "eve@example.com" }))}.${SIGNATURE}`],
    ["no payload", `${HEAD}..${SIGNATURE}`],
    ["no header", `.${BODY}.${SIGNATURE}`],
    ["a dot at the end", `${good}.`],
    ["a dot at the start", `.${good}`],
    ["four parts", `${good}.${SIGNATURE}`],
    ["five parts", `${HEAD}.${BODY}.${BODY}.${BODY}.${SIGNATURE}`],
    ["two tokens", `${good}, ${good}`],
    ["two tokens without a space", `${good},${good}`],
    ["JSON, flat", JSON.stringify({ protected: HEAD, payload: BODY, signature: SIGNATURE })],
    [
      "JSON, general",
      JSON.stringify({ payload: BODY, signatures: [{ protected: HEAD, signature: SIGNATURE }] }),
    ],
    ["a space in the header", `${HEAD.slice(0, 9)} ${HEAD.slice(9)}.${BODY}.${SIGNATURE}`],
    ["a space in the payload", `${HEAD}.${BODY.slice(0, 9)} ${BODY.slice(9)}.${SIGNATURE}`],
    ["a space in the signature", `${HEAD}.${BODY}.${SIGNATURE.slice(0, 8)} ${SIGNATURE.slice(8)}`],
    ["a tab in the signature", `${HEAD}.${BODY}.${SIGNATURE.slice(0, 8)}\t${SIGNATURE.slice(8)}`],
    ["spaces around the dots", `${HEAD} . ${BODY} . ${SIGNATURE}`],
    ["padding", `${good}==`],
    ["the other alphabet of base64", good.replaceAll("-", "+").replaceAll("_", "/").replace(".", ".+")],
    ["a scheme before it", `Bearer ${good}`],
    ["quotes around it", `"${good}"`],
    ["bytes that are no letters", `${good}\xff`],
  ];
  const saying: [name: string, own: Record<string, unknown>][] = [
    ["another issuer", { iss: "https://eve.example" }],
    ["the issuer with a slash", { iss: `${ISSUER}/` }],
    ["the issuer in a list", { iss: [ISSUER] }],
    ["no issuer", { iss: undefined }],
    ["another audience", { aud: "other" }],
    ["the audience in other letters", { aud: AUDIENCE.toUpperCase() }],
    ["a longer audience", { aud: `${AUDIENCE}2` }],
    ["a list without the audience", { aud: ["other", "another"] }],
    ["an empty list of audiences", { aud: [] }],
    ["the audience as an object", { aud: { easel: true } }],
    ["no audience", { aud: undefined }],
    ["an end that is past", { exp: NOW - 31 }],
    ["an end that is text", { exp: String(NOW + 60) }],
    ["an end that is null", { exp: null }],
    ["no end", { exp: undefined }],
    ["a beginning to come", { nbf: NOW + 60 }],
    ["a beginning that is text", { nbf: "0" }],
    ["no address", { email: undefined }],
    ["an address elsewhere", { email: undefined, upn: "ada@example.com", sub: "ada@example.com" }],
    ["an empty address", { email: "" }],
    ["half an address", { email: "ada" }],
    ["an address with two @", { email: "ada@example.com@eve.example" }],
    ["two addresses", { email: "ada@example.com,eve@example.com" }],
    ["a list of addresses", { email: ["ada@example.com"] }],
    ["an address that is an object", { email: { value: "ada@example.com" } }],
    ["a number for an address", { email: 7 }],
    ["an address of two lines", { email: "ada@example.com\neve@example.com" }],
    ["an address with a NUL", { email: "ada\u0000@example.com" }],
    ["an address that is not verified", { email_verified: false }],
    ["an address that is not verified, in words", { email_verified: "false" }],
    ["an address verified by null", { email_verified: null }],
  ];
  const payloads: [name: string, payload: string][] = [
    ["that is no JSON", "{"],
    ["that is a list", JSON.stringify([claims()])],
    ["that is text", JSON.stringify("ada@example.com")],
    ["that is null", "null"],
    ["that claims by inheritance", `{"__proto__":${JSON.stringify(claims())}}`],
    ["that is not UTF-8", "\xff"],
  ];

  for (const [name, value] of forged) {
    it(`${name}: 401`, async () => unauthenticated(await me(token(await value))));
  }
  it("tokens signed this way are otherwise valid", async () => {
    assert.equal((await me(token(signed(BODY)))).status, 200);
  });
  for (const [name, own] of saying) {
    it(`${name}: 401`, async () => unauthenticated(await me(token(await sign(RSA, "RS256", own)))));
  }
  for (const [name, payload] of payloads) {
    it(`a payload ${name}: 401`, async () => {
      unauthenticated(await me(token(signed(Buffer.from(payload, "latin1").toString("base64url")))));
    });
  }

  const elsewhere: [name: string, headers: Header[]][] = [
    ["no header", []],
    ["the header twice", [token(good), token(good)]],
    ["the header twice, in other letters", [token(good), [TOKEN_HEADER.toLowerCase(), good]]],
    ["the header twice, once empty", [token(""), token(good)]],
    ["underscores", [["Cf_Access_Jwt_Assertion", good]]],
    ["a bearer token", [["Authorization", `Bearer ${good}`]]],
    ["a cookie", [["Cookie", `CF_Authorization=${good}`]]],
    ["identity headers of a trusted peer", [["X-Auth-Request-Email", "ada@example.com"]]],
  ];
  for (const [name, headers] of elsewhere) {
    it(`${name}: 401`, async () => unauthenticated(await me(...headers)));
  }

  it("none of them created a user", async () => {
    const rows = await env.db.all<{ email: string }>`select email from users where email like ${"%eve%"}`;
    assert.deepEqual(rows, []);
  });
});

describe("with keys configured, only the signed token is accepted", () => {
  it("identity headers beside it are ignored", async () => {
    const { json } = await me(
      token(good),
      ["X-Auth-Request-Email", "eve@example.com"],
      ["X-Auth-Request-Preferred-Username", "Eve"],
    );
    assert.deepEqual([json.email, json.name], ["ada@example.com", "Ada"]);
  });

  it("a session cookie is ignored, even a valid one", async (t) => {
    const { databaseUrl, blobsUrl } = env.config;
    const dev = await startDev(t, { SERVICE_DATABASE_URL: databaseUrl, SERVICE_BLOBS_URL: blobsUrl });
    const person = await dev.target.signIn("cookie@example.com");
    assert.equal((await whoAmI(dev.target.base, person.headers)).status, 200);
    unauthenticated(await me(...person.headers));
  });

  it("a deactivated user: 401 from the next request on, until reactivated", async () => {
    const signed = token(await sign(EC, "ES256", { email: "gone@example.com" }));
    const turn = (at: number | null) =>
      env.db.run`update users set deactivated_at = ${at} where email = ${"gone@example.com"}`;
    assert.equal((await me(signed)).status, 200);
    await turn(Date.now());
    unauthenticated(await me(signed));
    await turn(null);
    assert.equal((await me(signed)).status, 200);
  });

  it("SERVICE_ALLOWED_EMAIL_DOMAINS: other domains are refused, and no user is created", async (t) => {
    const closed = await startDev(t, {
      ...signedBy(keyServer),
      SERVICE_ALLOWED_EMAIL_DOMAINS: "example.com",
    });
    const from = async (email: string) =>
      whoAmI(closed.target.base, [token(await sign(EC, "ES256", { email }))]);
    assert.equal((await from("ada@EXAMPLE.com")).status, 200);
    for (const email of ["ada@example.org", "ada@sub.example.com", "ada@example.com.org"]) {
      unauthenticated(await from(email));
    }
    const rows = await closed.env.db.all<{ email: string }>`select email from users`;
    assert.ok(rows.every(({ email }) => email.endsWith("@example.com")));
  });

  it("the header has the name of the setting", async (t) => {
    const named = await startDev(t, { ...signedBy(keyServer), SERVICE_PROXY_JWT_HEADER: "X-Signed" });
    assert.equal((await whoAmI(named.target.base, [["x-signed", good]])).status, 200);
    unauthenticated(await whoAmI(named.target.base, [token(good)]));
  });

  it("is accepted from any peer", async (t) => {
    const open = await startDev(t, { ...signedBy(keyServer), SERVICE_PROXY_TRUSTED_IPS: "" });
    assert.equal((await whoAmI(open.target.base, [token(good)])).status, 200);
  });
});

describe("access tokens of a service whose proxy signs every request", () => {
  it("cannot be created, and existing ones are ignored", async () => {
    const answer = await send(base, {
      method: "POST",
      path: "/api/tokens",
      headers: [token(good), JSON_TYPE],
      body: '{"name":"CI"}',
    });
    refused(answer, 403, "PERMISSION_DENIED");
    const forTools = await send(base, {
      method: "POST",
      path: "/api/tokens",
      headers: [token(good), JSON_TYPE],
      body: '{"name":"Editor","audience":"mcp"}',
    });
    refused(forTools, 403, "PERMISSION_DENIED");
    const { json } = await send(base, { method: "GET", path: "/api/apps", headers: [token(good)] });
    assert.deepEqual(json, { apps: [], nextCursor: null, url: null });
    const page = { path: "/tokens", headers: [token(good)] };
    const { status, text } = await send(base, { method: "GET", ...page });
    assert.deepEqual(
      [status, /accepts no access tokens/.test(text), /Create token/.test(text)],
      [200, true, false],
    );
    refused(await send(base, { method: "POST", ...page, body: "name=CI" }), 403, "PERMISSION_DENIED");
    assert.deepEqual(await env.db.all`select id from tokens`, []);
    const header: Header = ["Authorization", `Bearer easel_pat_${"A".repeat(43)}`];
    assert.equal((await me(token(good), header)).status, 200);
    const alone = await me(header);
    unauthenticated(alone);
    assert.equal(alone.headers["www-authenticate"], undefined);
  });
});

describe("accounts and groups of signed tokens", () => {
  it("a token with a subject is the same person under another address; another subject with the address is nobody", async () => {
    const [before, after] = ["sub-before@example.com", "sub-after@example.com"];
    const of = async (sub: unknown, email: string, own = {}) =>
      me(token(await sign(RSA, "RS256", { sub, email, ...own })));
    const first = await of("account 1", before);
    const renamed = await of("account 1", after);
    assert.deepEqual([renamed.json.id, renamed.json.email], [first.json.id, after]);
    unauthenticated(await of("account 2", after));
    assert.notEqual((await of("account 2", before)).json.id, first.json.id);
    assert.equal((await of("account 1", after)).json.id, first.json.id);
  });

  it("only members of an allowed group are somebody, and administrators are those of a group", async () => {
    const { config } = env;
    const settings = { oidcGroupsClaim: "groups", oidcAllowedGroups: ["staff"], oidcAdminGroups: ["admins"] };
    env.config = { ...config, ...settings };
    const of = async (groups: unknown) =>
      me(token(await sign(RSA, "RS256", { sub: "grouped", email: "grouped@example.com", groups })));
    unauthenticated(await of(undefined));
    unauthenticated(await of(["admins"]));
    assert.equal((await of(["staff"])).json.isAdmin, false);
    assert.equal((await of(["staff", "admins"])).json.isAdmin, true);
    assert.equal((await of(["staff"])).json.isAdmin, false);
    env.config = config;
  });

  it("a person whose token says nothing new costs no write", async (t) => {
    const same = token(await sign(RSA, "RS256", { sub: "same", email: "same@example.com" }));
    await me(same);
    const run = t.mock.method(env.db.withReserve, "run");
    const batch = t.mock.method(env.db.withReserve, "batch");
    assert.equal((await me(same)).status, 200);
    assert.deepEqual([run.mock.callCount(), batch.mock.callCount()], [0, 0]);
  });
});
