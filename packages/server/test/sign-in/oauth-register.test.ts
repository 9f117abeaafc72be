import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { Signer } from "../../src/crypto/secrets.ts";
import { findClient } from "../../src/oauth/clients/find-client.ts";
import { JSON_TYPE, post } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { startService } from "../support/service.ts";
import { failed } from "./oauth-client.ts";
import { changesNothing } from "./oauth-refusals.ts";

const PATH = "/oauth/register";
const FROM = { ip: "127.0.0.1", person: "ada" };
const CURSOR = [
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "https://www.cursor.com/agents/mcp/oauth/callback",
  "http://localhost:8787/callback",
];

const { target, env } = await startDev({ after });
const { base } = target;

const register = (metadata: unknown, headers: Header[] = []): Promise<Answer> =>
  post(base, PATH, [JSON_TYPE, ...headers], JSON.stringify(metadata));

/** Registers a client, and returns what the service finds by its id. */
async function registered(metadata: unknown) {
  const { status, text, json } = await register(metadata);
  assert.equal(status, 201, text);
  return findClient(String(json.client_id), FROM, env);
}

describe("the registration of a program", () => {
  it("answers with the client, of which nothing is stored", async () => {
    await changesNothing(env, async () => {
      const { status, headers, json } = await register({
        client_name: "Cursor",
        redirect_uris: CURSOR,
        token_endpoint_auth_method: "client_secret_basic",
        grant_types: ["authorization_code", "client_credentials"],
        software_statement: "ignored",
        jwks: { keys: [] },
      });
      assert.equal(status, 201);
      assert.match(String(headers["cache-control"]), /no-store/);
      const { client_id, client_id_issued_at, ...rest } = json;
      assert.match(String(client_id), /^[\w.-]{1,600}$/);
      assert.ok(Math.abs(Number(client_id_issued_at) - env.clock() / 1000) < 60);
      assert.deepEqual(rest, {
        client_name: "Cursor",
        redirect_uris: CURSOR,
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: "native",
      });
    });
  });

  it("gives the same id for the same program, whatever port it listens on", async () => {
    const ids = [];
    for (const redirect_uris of [
      ["http://localhost:1/cb", "com.acme.app:/cb"],
      ["com.acme.app:/cb", "http://localhost:2/cb"],
      ["com.acme.app:/cb", "http://localhost/cb", "http://localhost:3/cb"],
    ])
      ids.push((await register({ client_name: "A", redirect_uris })).json.client_id);
    assert.equal(new Set(ids).size, 1);
    const others = [
      { client_name: "B", redirect_uris: ["http://localhost:1/cb", "com.acme.app:/cb"] },
      { client_name: "A", redirect_uris: ["http://localhost:1/cb"] },
      { client_name: "A", redirect_uris: ["http://127.0.0.1:1/cb", "com.acme.app:/cb"] },
    ];
    for (const other of others) assert.notEqual((await register(other)).json.client_id, ids[0]);
  });

  it("finds the client by its id", async () => {
    const client = await registered({ client_name: "Cursor", redirect_uris: CURSOR });
    assert.deepEqual(
      [client.kind, client.name, client.host, client.verified],
      ["registered", "Cursor", null, false],
    );
    for (const uri of [...CURSOR, "http://localhost:5/callback"])
      assert.equal(client.matches(uri), true, uri);
    for (const uri of [
      "http://127.0.0.1:8787/callback",
      "https://www.cursor.com/",
      "https://evil.example/cb",
    ])
      assert.equal(client.matches(uri), false, uri);
    assert.equal(client.matches(`http://localhost:${new URL(base).port}/callback`), false);
  });

  it("leaves out redirect URIs at web servers, which could be anybody's", async () => {
    const redirect_uris = ["https://evil.example/cb", "http://127.0.0.1/cb", "https://www.cursor.com/other"];
    const { json } = await register({ redirect_uris });
    assert.deepEqual(json.redirect_uris, ["http://127.0.0.1/cb"]);
    const client = await findClient(String(json.client_id), FROM, env);
    assert.deepEqual(client.redirectUris, ["http://127.0.0.1/cb"]);
    assert.equal(client.matches("https://evil.example/cb"), false);
  });

  it("refuses a program of which no redirect URI is left", async () => {
    const hostile = [
      "https://evil.example/cb",
      "http://evil.example/cb",
      "javascript:alert(1)",
      "data:text/html,a",
      "file:///tmp/a",
      "x-safari-https://evil.example/cb",
      "tg://msg_url?url=https://evil.example",
      "cursor://anysphere.cursor-deeplink/mcp/install?name=a",
      "http://127.0.0.1@evil.example/",
      "http://127.0.0.1/cb#fragment",
      `http://localhost:${new URL(base).port}/c/guestbook/`,
      `${base}/c/guestbook/`,
      `https://localhost/cb`,
      "",
    ];
    for (const uri of hostile) failed(await register({ redirect_uris: [uri] }), "invalid_redirect_uri");
    for (const redirect_uris of [hostile, [], undefined, null, "http://localhost/", {}, [1], [null], [["a"]]])
      failed(await register({ redirect_uris }), "invalid_redirect_uri");
    failed(
      await register({ redirect_uris: new Array(21).fill("http://localhost/cb") }),
      "invalid_redirect_uri",
    );
  });

  it("accepts the address of an application that the operator has named", async (t) => {
    const { target } = await startDev(t, { SERVICE_OAUTH_CLIENTS: '["acme://oauth/callback"]' });
    const redirect_uris = ["acme://oauth/callback", "acme://oauth/other"];
    const { json } = await post(target.base, PATH, [JSON_TYPE], JSON.stringify({ redirect_uris }));
    assert.deepEqual(json.redirect_uris, ["acme://oauth/callback"]);
  });

  it("accepts a web server of an allowed host", async (t) => {
    const { target, env } = await startDev(t, { SERVICE_OAUTH_CLIENTS: '["tools.acme.test:8443"]' });
    const redirect_uris = ["https://tools.acme.test:8443/cb", "https://tools.acme.test/cb"];
    const { json } = await post(target.base, PATH, [JSON_TYPE], JSON.stringify({ redirect_uris }));
    assert.deepEqual(
      [json.redirect_uris, json.application_type],
      [["https://tools.acme.test:8443/cb"], "web"],
    );
    const client = await findClient(String(json.client_id), FROM, env);
    assert.equal(client.matches("https://tools.acme.test:8443/cb"), true);
  });

  it("never accepts the service or one of its canvases, in subdomain mode, too", async (t) => {
    const { target } = await startDev(t, {
      SERVICE_URL_MODE: "subdomain",
      SERVICE_OAUTH_CLIENTS: '["localhost", "guestbook.localhost", "claude.ai"]',
    });
    const ask = (uri: string) =>
      post(target.base, PATH, [JSON_TYPE], JSON.stringify({ redirect_uris: [uri] }));
    for (const uri of ["https://localhost/cb", "https://guestbook.localhost/cb"])
      failed(await ask(uri), "invalid_redirect_uri");
    assert.equal((await ask("https://claude.ai/cb")).status, 201);
  });

  it("cleans the name", async () => {
    const names: [given: unknown, expected: string][] = [
      [undefined, "A program without a name"],
      ["", "A program without a name"],
      [42, "A program without a name"],
      ["\u202e\u200b\u0000", "A program without a name"],
      ["  Claude\n\n\tCode  ", "Claude Code"],
      ["Cl\u202eaude\u2066", "Claude"],
      ["<script>alert(1)</script>", "<script>alert(1)</script>"],
      ["\ud800Tool", "Tool"],
      [`Z${"\u0301".repeat(50)}algo`, "Ź\u0301\u0301algo"],
      ["x".repeat(10_000), "x".repeat(60)],
      ["🧪 Lab", "🧪 Lab"],
    ];
    for (const [client_name, expected] of names) {
      const client = await registered({ client_name, redirect_uris: ["http://localhost/cb"] });
      assert.equal(client.name, expected);
    }
  });

  it("refuses what would make the id too long", async () => {
    const redirect_uris = ["a", "b"].map((letter) => `http://localhost/${letter.repeat(300)}`);
    failed(await register({ client_name: "A", redirect_uris }), "invalid_client_metadata");
    assert.equal((await register({ client_name: "A", redirect_uris: redirect_uris.slice(1) })).status, 201);
  });

  it("refuses bodies that are no JSON object", async () => {
    const bodies = ["", "{", "null", "[]", '"a"', "1", '{"redirect_uris":["\\ud800"', "[".repeat(16_000)];
    for (const body of [...bodies, `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`])
      failed(await post(base, PATH, [JSON_TYPE], body), "invalid_client_metadata");
    failed(await post(base, PATH, [JSON_TYPE], Buffer.from([0x7b, 0xff, 0x7d])), "invalid_client_metadata");
    failed(await post(base, PATH, [], "{}"), "invalid_client_metadata");
    failed(await post(base, PATH, [JSON_TYPE], " ".repeat(20_000)), "invalid_client_metadata", 413);
  });

  it("refuses requests of pages", async () => {
    for (const origin of ["https://evil.example", "null"])
      refused(await register({ redirect_uris: CURSOR }, [["Origin", origin]]), 403, "CROSS_SITE_FORBIDDEN");
    const referer: Header = ["Referer", `${base}/c/guestbook/`];
    refused(await register({ redirect_uris: CURSOR }, [referer]), 403, "CROSS_SITE_FORBIDDEN");
  });

  it("is limited for each network", async (t) => {
    const limited = await startService(t, { SERVICE_RATELIMIT_LOGIN_PER_MIN: "3" });
    const body = JSON.stringify({ redirect_uris: CURSOR });
    for (let n = 0; n < 3; n++) assert.equal((await post(limited.base, PATH, [JSON_TYPE], body)).status, 201);
    failed(await post(limited.base, PATH, [JSON_TYPE], body), "temporarily_unavailable", 429);
  });
});

describe("ids that the service has not issued", () => {
  it("are unknown, however they are made", async () => {
    const { json } = await register({ client_name: "A", redirect_uris: ["http://localhost/cb"] });
    const id = String(json.client_id);
    const [text = "", signature = ""] = id.split(".");
    const evil = Buffer.from(JSON.stringify(["A", "cursor://evil/cb"])).toString("base64url");
    const forged = new Signer(["f".repeat(32)]).sign("oauth.client", evil);
    const ids = [
      "",
      "easel-cl",
      "EASEL-CLI",
      "__proto__",
      "constructor",
      text,
      `${text}.`,
      `.${signature}`,
      `${evil}.${signature}`,
      `${evil}.${forged}`,
      `${evil}.${env.signer.sign("oauth.authorize", evil)}`,
      `${id}.`,
      `${id}.a`,
      ` ${id}`,
      id.toLowerCase(),
      `${id}=`,
      "a".repeat(100_000),
    ];
    for (const each of ids)
      await assert.rejects(findClient(each, FROM, env), /not known here/, each.slice(0, 100));
    await findClient(id, FROM, env);
  });

  it("are all that differ from an issued one in a single character", async () => {
    const { json } = await register({ client_name: "A", redirect_uris: ["http://localhost/cb"] });
    const id = String(json.client_id);
    for (let at = 0; at < id.length; at++) {
      const other = id[at] === "A" ? "B" : "A";
      await assert.rejects(
        findClient(id.slice(0, at) + other + id.slice(at + 1), FROM, env),
        /not known here/,
      );
      await assert.rejects(findClient(id.slice(0, at) + id.slice(at + 1), FROM, env), /not known here/);
    }
  });

  it("are those of a service without registration, also if it has issued them before", async (t) => {
    const { json } = await register({ redirect_uris: CURSOR });
    const off = await startDev(t, { SERVICE_OAUTH_REGISTRATION: "off" });
    off.env.signer = env.signer;
    await assert.rejects(findClient(String(json.client_id), FROM, off.env), /register themselves/);
    const answer = await post(off.target.base, PATH, [JSON_TYPE], JSON.stringify({ redirect_uris: CURSOR }));
    failed(answer, "access_denied", 403);
    const metadata = "/.well-known/oauth-authorization-server";
    const read = (from: string) => send(from, { method: "GET", path: metadata });
    assert.equal("registration_endpoint" in (await read(off.target.base)).json, false);
    assert.equal((await read(base)).json.registration_endpoint, `${base}${PATH}`);
  });
});

describe("clients that need no registration", () => {
  it("the command line returns to this computer only", async () => {
    const client = await findClient("easel-cli", FROM, env);
    assert.deepEqual([client.kind, client.verified], ["builtin", true]);
    assert.equal(client.matches("http://127.0.0.1:49152/callback"), true);
    assert.equal(client.matches("http://[::1]:49152/callback"), true);
    const port = new URL(base).port;
    for (const uri of [
      "http://localhost:49152/callback",
      "http://127.0.0.1/callback",
      "https://127.0.0.1:49152/callback",
      `http://127.0.0.1:${port}/callback`,
      `http://127.0.0.1:${port}/a/../callback`,
      "http://127.0.0.1:65536/callback",
      "cursor://a/b",
    ])
      assert.equal(client.matches(uri), false, uri);
  });

  it("a client of the operator is known by its id", async (t) => {
    const own = { clientId: "acme.bot-1", name: "Acme bot", redirectUris: ["https://bot.acme.test/cb"] };
    const { env } = await startDev(t, { SERVICE_OAUTH_CLIENTS: JSON.stringify([own]) });
    const client = await findClient(own.clientId, FROM, env);
    assert.deepEqual(
      [client.kind, client.name, client.host, client.verified, client.redirectUris],
      ["configured", "Acme bot", null, true, own.redirectUris],
    );
    assert.equal(client.matches("https://bot.acme.test/cb"), true);
    assert.equal(client.matches("https://bot.acme.test/cb2"), false);
    await assert.rejects(findClient("acme.bot-2", FROM, env), /not known here/);
  });
});
