import assert from "node:assert/strict";
import { after, describe, it, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Header, send } from "@easel/conformance/http";
import { primitives } from "../../src/primitives/index.ts";
import { BESIDE, COVERED } from "../conformance/conformance.ts";
import { answerAttempt, callAs, exchange, newAttempt } from "../sign-in/oauth-client.ts";
import { JSON_TYPE, post } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { OpenApiCheck } from "../support/openapi-check.ts";
import { PROXY } from "../support/service.ts";

const services = {
  path: await startDev({ after }),
  subdomain: await startDev({ after }, { SERVICE_URL_MODE: "subdomain" }),
  "path, behind a proxy": await startDev({ after }, PROXY),
};

/** The generated texts that everyone may read, with their types and whether pages of all origins may read them. */
const TEXTS: [path: string, type: string, isReadable: boolean][] = [
  ["/schema/easel.json", "application/schema+json; charset=utf-8", true],
  ["/openapi.json", "application/json; charset=utf-8", true],
  ["/openapi/runtime.json", "application/json; charset=utf-8", true],
  ["/openapi/management.json", "application/json; charset=utf-8", true],
  ["/llms.txt", "text/plain; charset=utf-8", true],
  ["/skill.md", "text/markdown; charset=utf-8", true],
  ["/docs/sdk.md", "text/markdown; charset=utf-8", true],
];

const check = new OpenApiCheck(services.path.env);
check.start();
after(() => check.stop());

for (const [name, { target }] of Object.entries(services)) {
  const { base } = target;
  for (const [path, type, isReadable] of TEXTS) {
    describe(`GET ${path}, canvases by ${name}`, () => {
      it("everyone gets it, for an hour", async () => {
        const { status, headers, text } = await send(base, { method: "GET", path });
        assert.equal(status, 200, text);
        assert.equal(headers["content-type"], type);
        assert.equal(headers["cache-control"], "public, max-age=3600");
        assert.equal(headers["access-control-allow-origin"], isReadable ? "*" : undefined);
        assert.equal(headers["set-cookie"], undefined);
      });

      it("304 for its ETag", async () => {
        const { headers } = await send(base, { method: "GET", path });
        const known: Header = ["If-None-Match", String(headers.etag)];
        const again = await send(base, { method: "GET", path, headers: [known] });
        assert.deepEqual([again.status, again.text], [304, ""]);
      });

      it("Brotli or gzip for a client that reads it, each with its own ETag; HEAD without a body", async () => {
        const plain = await send(base, { method: "GET", path });
        const etags = new Set([plain.headers.etag]);
        for (const [encoding, decode] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
          const headers: Header[] = [["Accept-Encoding", encoding]];
          const answer = await send(base, { method: "GET", path, headers });
          assert.equal(answer.headers["content-encoding"], encoding);
          assert.equal(answer.headers.vary, "Accept-Encoding");
          assert.deepEqual(decode(answer.bytes), plain.bytes);
          etags.add(answer.headers.etag);
        }
        assert.equal(etags.size, 3);
        const { status, text, headers } = await send(base, { method: "HEAD", path });
        assert.deepEqual([status, text, headers.etag], [200, "", plain.headers.etag]);
        assert.equal(headers["content-length"], String(plain.bytes.length));
      });
    });
  }

  test(`the JSON Schema of easel.json, canvases by ${name}`, async () => {
    const { json } = await send(base, { method: "GET", path: "/schema/easel.json" });
    assert.equal(json.$id, `${base}/schema/easel.json`);
    assert.equal(json.$schema, "https://json-schema.org/draft/2020-12/schema");
    assert.deepEqual(Object.keys(json.properties as object), [
      "$schema",
      "title",
      "slug",
      "spa",
      "description",
      "listed",
      "aiAudience",
      "connectionsAudience",
      "authoringAudience",
      "guestAi",
      "policy",
      "capabilities",
    ]);
  });

  test(`the OpenAPI document names this service, and /reference leads to the documentation, canvases by ${name}`, async () => {
    const { json } = await send(base, { method: "GET", path: "/openapi.json" });
    assert.deepEqual(json.servers, [{ url: base, description: "This service." }]);
    const { status, headers } = await send(base, { method: "GET", path: "/reference" });
    assert.deepEqual([status, headers.location], [302, "/docs/http/runtime"]);
  });
}

test("a conformance suite covers every group of operations of the runtime API", () => {
  const groups = primitives.map(({ title }) => title);
  assert.deepEqual([...Object.values(COVERED).flat(), ...BESIDE].sort(), groups.sort());
});

test("the script of the SDK is sent compressed, to everyone who may have it", async () => {
  const { target } = services.path;
  const person = await target.signIn("ada@example.com");
  const get = (headers: readonly Header[]) =>
    send(target.base, { method: "GET", path: "/sdk/v1.js", headers: [...headers] });
  const plain = await get(person.headers);
  const packed = await get([...person.headers, ["Accept-Encoding", "br, gzip"]]);
  assert.deepEqual([plain.status, packed.status, packed.headers["content-encoding"]], [200, 200, "br"]);
  assert.deepEqual(brotliDecompressSync(packed.bytes), plain.bytes);
  assert.ok(packed.bytes.length < plain.bytes.length / 2);
  assert.equal((await get([["Accept-Encoding", "br"]])).status, 401);
});

test("hosts of canvases do not have these texts", async () => {
  const { target, env } = services.subdomain;
  const host = env.base.canvasUrl("some-canvas").split("/")[2] ?? "";
  for (const [path] of TEXTS) {
    const { status } = await send(target.base, { method: "GET", path, host });
    assert.ok([401, 404].includes(status), `${path}: ${status}`);
  }
});

test("every further endpoint responds as the OpenAPI document describes it", async () => {
  const { target } = services.path;
  const { headers } = await target.signIn("public-texts@example.com");
  const rest = [
    "/healthz",
    "/readyz",
    "/sdk/v1.js",
    "/sdk/easel.css",
    "/favicon.ico",
    "/llms.txt",
    "/skill.md",
  ];
  for (const path of rest)
    assert.equal((await send(target.base, { method: "GET", path, headers })).status, 200, path);
  for (const metadata of [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
  ])
    assert.equal((await send(target.base, { method: "GET", path: metadata, headers: [] })).status, 200);
  const attempt = await newAttempt(target.base);
  const back = await answerAttempt(attempt, headers, "allow");
  const { status, json } = await exchange(attempt, back.searchParams.get("code"));
  assert.equal(status, 200);
  for (const [path, fields] of [
    ["/oauth/device_authorization", { host: "laptop" }],
    ["/oauth/revoke", { token: String(json.access_token) }],
  ] as const)
    assert.equal((await callAs(target.base, path, { ...fields })).status, 200, path);
  const client = JSON.stringify({ client_name: "A tool", redirect_uris: ["http://localhost/callback"] });
  assert.equal((await post(target.base, "/oauth/register", [JSON_TYPE], client)).status, 201);
  assert.equal((await send(target.base, { method: "POST", path: "/auth/logout", headers })).status, 204);
  assert.deepEqual(check.faults, []);
  assert.deepEqual(check.unseen(["Service"]), []);
});
