import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { documentUrl, readClientDocument, UnusableDocument } from "./client-document.ts";
import { redirectKind } from "./redirect-uri.ts";

const ID = "https://tools.acme.test/oauth/client.json";
const GOOD = {
  client_id: ID,
  client_name: "Acme tool",
  redirect_uris: ["http://127.0.0.1/callback"],
  token_endpoint_auth_method: "none",
};

const read = (document: unknown, id = ID) => readClientDocument(Buffer.from(JSON.stringify(document)), id);
const readText = (text: string | Buffer) => readClientDocument(Buffer.from(text), ID);

suite("client ids that are addresses of documents", () => {
  const good = [
    ID,
    "https://tools.acme.test:8443/client",
    "https://tools.acme.test/client?version=1",
    "https://xn--bcher-kva.example/client",
    "https://tools.acme.test/a/..b/c.",
  ];
  for (const id of good) test(`${id}: yes`, () => assert.equal(documentUrl(id)?.href, id));

  const bad = [
    "",
    "https://",
    "https://tools.acme.test",
    "https://tools.acme.test/",
    "https://tools.acme.test/?client",
    "http://tools.acme.test/client",
    "ftp://tools.acme.test/client",
    "javascript://tools.acme.test/client",
    "HTTPS://tools.acme.test/client",
    "https://Tools.acme.test/client",
    "https://tools.acme.test:443/client",
    "https://tools.acme.test:/client",
    "https://tools.acme.test./client",
    "https://ada@tools.acme.test/client",
    "https://ada:secret@tools.acme.test/client",
    "https://@tools.acme.test/client",
    "https://tools.acme.test/client#a",
    "https://tools.acme.test/client#",
    "https://tools.acme.test/a/../client",
    "https://tools.acme.test/./client",
    "https://tools.acme.test/%2e%2E/client",
    "https://tools.acme.test/a/..",
    "https://tools.acme.test\\client",
    "https:/tools.acme.test/client",
    "https:///tools.acme.test/client",
    "https://tools.acme.test/cli ent",
    "https://tools.acme.test/client\n",
    " https://tools.acme.test/client",
    "https://bücher.example/client",
    "https://tools.acme.test/ü",
    "https://[::1]/client",
    'https://tools"acme.test/client',
    "https://tools_acme.test/client",
    "https://0x7f.1/client",
    `https://tools.acme.test/${"a".repeat(500)}`,
  ];
  for (const id of bad)
    test(`${JSON.stringify(id.slice(0, 60))}: no`, () => assert.equal(documentUrl(id), null));
});

suite("documents of clients", () => {
  test("the fields that matter are returned, all others are ignored", () => {
    const document = {
      ...GOOD,
      logo_uri: "javascript:alert(1)",
      jwks_uri: "https://evil.example/",
      scope: "*",
    };
    assert.deepEqual(read(document), { name: "Acme tool", redirectUris: GOOD.redirect_uris });
  });

  const withoutSecret: Record<string, unknown>[] = [
    { token_endpoint_auth_method: undefined },
    { token_endpoint_auth_method: "none" },
    {
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    },
  ];
  for (const fields of withoutSecret)
    test(`${JSON.stringify(fields)}: accepted`, () =>
      assert.equal(read({ ...GOOD, ...fields }).name, "Acme tool"));

  const refused: Record<string, Record<string, unknown>[]> = {
    "another client id": [
      { client_id: undefined },
      { client_id: null },
      { client_id: "" },
      { client_id: "https://claude.ai/oauth/claude-code-client-metadata" },
      { client_id: `${ID}/` },
      { client_id: `${ID}?` },
      { client_id: ID.toUpperCase() },
      { client_id: ID.replace("test/", "test:443/") },
      { client_id: [ID] },
      { client_id: { toString: ID } },
    ],
    "secrets and keys": [
      { client_secret: "secret" },
      { client_secret: null },
      { token_endpoint_auth_method: "client_secret_basic" },
      { token_endpoint_auth_method: "client_secret_post" },
      { token_endpoint_auth_method: "private_key_jwt" },
      { token_endpoint_auth_method: "NONE" },
      { token_endpoint_auth_method: null },
      { token_endpoint_auth_method: ["none"] },
      { token_endpoint_auth_method: "tls_client_auth", token_endpoint_auth_methods_supported: "none" },
    ],
    "no redirect URI": [
      { redirect_uris: undefined },
      { redirect_uris: null },
      { redirect_uris: [] },
      { redirect_uris: {} },
      { redirect_uris: "http://127.0.0.1/callback" },
      { redirect_uris: [null, 1, {}, ["http://127.0.0.1/callback"]] },
      { redirect_uris: ["javascript:alert(1)", "data:,a", "http://evil.example/", "https://a@b.example/"] },
    ],
  };
  for (const [what, all] of Object.entries(refused))
    test(`refused: ${what}`, () => {
      for (const fields of all)
        assert.throws(() => read({ ...GOOD, ...fields }), UnusableDocument, JSON.stringify(fields));
    });

  test("of its redirect URIs, those that no program may have are left out", () => {
    const redirect_uris = ["javascript:alert(1)", "https://tools.acme.test/cb", 7, "http://evil.example/cb"];
    assert.deepEqual(read({ ...GOOD, redirect_uris }).redirectUris, ["https://tools.acme.test/cb"]);
  });

  test("texts that are no JSON object", () => {
    const texts = ["", "{", "null", "[]", "1", '"a"', "<html>", `[${"[".repeat(5_000)}`, "\ufeff{}", "{}{}"];
    for (const text of [...texts, "[".repeat(5_000) + "]".repeat(5_000)])
      assert.throws(() => readText(text), UnusableDocument, text.slice(0, 40));
    assert.throws(() => readText(Buffer.concat([Buffer.from([0xff]), Buffer.from("{}")])), UnusableDocument);
  });

  test("deep values in fields that do not matter", () => {
    const deep = "[".repeat(2_000) + "]".repeat(2_000);
    const text = JSON.stringify(GOOD).replace("{", `{"extra":${deep},"__proto__":{"client_id":"x"},`);
    assert.deepEqual(readText(text).redirectUris, GOOD.redirect_uris);
  });

  test("of a field that is repeated, the last one is compared and used", () => {
    const other = JSON.stringify("https://claude.ai/oauth/client");
    const own = JSON.stringify(ID);
    const rest = `"redirect_uris":["https://evil.example/cb"],"redirect_uris":["http://127.0.0.1/cb"]`;
    assert.deepEqual(readText(`{"client_id":${other},"client_id":${own},${rest}}`).redirectUris, [
      "http://127.0.0.1/cb",
    ]);
    assert.throws(() => readText(`{"client_id":${own},"client_id":${other},${rest}}`), UnusableDocument);
  });

  test("whatever a document contains, the result has only redirect URIs that a program may have", () => {
    const field = fc.oneof(
      fc.constantFrom(...GOOD.redirect_uris, "javascript:alert(1)"),
      fc.webUrl(),
      fc.string(),
    );
    const document = fc.record({
      client_id: fc.oneof({ weight: 5, arbitrary: fc.constant(ID) }, fc.string()),
      client_name: fc.jsonValue(),
      redirect_uris: fc.oneof(fc.array(fc.oneof(field, fc.jsonValue())), fc.jsonValue()),
      token_endpoint_auth_method: fc.constantFrom("none", undefined, "client_secret_basic"),
    });
    let usable = 0;
    fc.assert(
      fc.property(document, (given) => {
        try {
          const { redirectUris } = read(given);
          usable++;
          return given.client_id === ID && redirectUris.every((uri) => redirectKind(uri) !== null);
        } catch (error) {
          return error instanceof UnusableDocument;
        }
      }),
      { numRuns: 2_000 },
    );
    assert.ok(usable > 100);
  });
});
