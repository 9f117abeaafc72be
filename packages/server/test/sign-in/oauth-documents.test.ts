import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, BlockList, type Socket } from "node:net";
import { after, describe, it } from "node:test";
import tls from "node:tls";
import { createAuthority } from "@easel/conformance/connections/authority";
import { send } from "@easel/conformance/http";
import { devTarget } from "@easel/conformance/target";
import { readClientDocument } from "../../src/access/client-document.ts";
import { readConfig } from "../../src/config/config.ts";
import { UndiciOutbound } from "../../src/drivers/outbound/undici-outbound.ts";
import { RemoteDocuments } from "../../src/drivers/remote-documents.ts";
import { findClient } from "../../src/oauth/clients/find-client.ts";
import type { ClientKind } from "../../src/oauth/clients/oauth-client.ts";
import { mayRedirectUnasked } from "../../src/oauth/clients/unasked-redirect.ts";
import { startDev } from "../support/engines.ts";
import type { Scope } from "../support/service.ts";
import type { TestEnv } from "../support/test-env.ts";
import { newAttempt, openPage } from "./oauth-client.ts";
import { isErrorPage } from "./oauth-refusals.ts";

const NAME = "tools.acme.test";
const FROM = { ip: "192.0.2.1", person: "ada" };
const CLAUDE_CODE = "https://claude.ai/oauth/claude-code-client-metadata";

const authority = await createAuthority();
tls.setDefaultCACertificates([...tls.getCACertificates("default"), authority.ca]);

type Route = (request: IncomingMessage, response: ServerResponse, id: string) => void;

/** What the server with the documents sends at each path. `id` is the whole address of the request. */
const ROUTES: Record<string, Route> = {
  "/good": json((client_id) => ({
    client_id,
    client_name: "  Acme\u202e tool\n🧪 ",
    redirect_uris: ["http://localhost/callback", "https://tools.acme.test/cb", "javascript:alert(1)"],
  })),
  "/lying": json(() => ({ client_id: CLAUDE_CODE, redirect_uris: ["http://localhost/callback"] })),
  "/redirect": (_, response, id) =>
    response.writeHead(302, { location: id.replace("redirect", "redirected") }).end(),
  "/redirected": json((id) => ({
    client_id: id.replace("redirected", "redirect"),
    redirect_uris: ["http://localhost/callback"],
  })),
  "/long-name": json((client_id) => ({
    client_id,
    client_name: "x".repeat(4_000),
    redirect_uris: ["http://localhost/callback"],
  })),
  "/no-name": json((client_id) => ({ client_id, redirect_uris: ["com.acme.app:/cb"] })),
  "/strange": json((client_id) => ({
    client_id,
    redirect_uris: ["x-safari-https://evil.example/cb", "tg://msg_url?url=a", "https://tools.acme.test/cb"],
  })),
  "/secret": json((client_id) => ({
    client_id,
    redirect_uris: ["http://localhost/callback"],
    token_endpoint_auth_method: "client_secret_basic",
  })),
  "/large": (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(64 * 1024)));
    };
    response.on("drain", more);
    more();
  },
  "/drip": (_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).write("{");
  },
  "/silent": () => {},
  "/cut": (request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "500" }).write("{");
    setImmediate(() => request.socket.destroy());
  },
};

function json(document: (id: string) => object): Route {
  return (_, response, id) =>
    response
      .writeHead(200, { "content-type": "application/json", "cache-control": "max-age=600" })
      .end(JSON.stringify(document(id)));
}

const asked: string[] = [];
const sockets = new Set<Socket>();
const server = createServer(await authority.issue([NAME]), (request, response) => {
  const url = new URL(request.url ?? "", `https://${request.headers.host}`);
  asked.push(url.pathname);
  const route = ROUTES[url.pathname] ?? ROUTES["/good"];
  route?.(request, response, url.href);
});
server.on("connection", (socket: Socket) => {
  sockets.add(socket.on("close", () => sockets.delete(socket)));
  socket.on("error", () => {});
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});
const HOST = `${NAME}:${(server.address() as AddressInfo).port}`;

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");

/** Starts a service for which every name is this computer, which the operator has approved for Connections. */
async function start(scope: Scope, settings: Record<string, string> = {}): Promise<TestEnv> {
  const { env } = await startDev(scope, settings);
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  await Promise.all([env.outbound.close(), env.publicOutbound.close()]);
  env.outbound = new UndiciOutbound(resolve, { approved: loopback, servicePort: 1 });
  env.publicOutbound = new UndiciOutbound(resolve, { approved: new BlockList(), servicePort: 1 });
  const options = { clock: () => env.clock(), log: env.log, timeoutMs: 1_000 };
  env.clientDocuments = new RemoteDocuments(readClientDocument, options);
  return env;
}

/** The operator names the host of the server, so documents at its address, which is not public, can be fetched. */
const NAMED = { SERVICE_OAUTH_CLIENTS: JSON.stringify([HOST]) };

const unusable = async (id: string, message: RegExp, env: TestEnv): Promise<void> => {
  await assert.rejects(
    findClient(id, FROM, env),
    (error: { message: string; status: number; body: unknown }) => {
      assert.match(error.message, message);
      assert.match(error.message, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      assert.equal(error.status, 400);
      assert.deepEqual(error.body, {
        error: "invalid_client",
        error_description: error.message,
        message: error.message,
      });
      return true;
    },
  );
};

describe("a client that a document describes", async () => {
  const env = await start({ after }, NAMED);

  it("has the name, the host and the redirect URIs of its document", async () => {
    const id = `https://${HOST}/good`;
    const { matches, ...client } = await findClient(id, FROM, env);
    assert.deepEqual(client, {
      id,
      kind: "document",
      name: "Acme tool 🧪",
      host: HOST,
      verified: true,
      redirectUris: ["http://localhost/callback", "https://tools.acme.test/cb"],
    });
    for (const uri of ["http://localhost:51234/callback", "https://tools.acme.test/cb"])
      assert.equal(matches(uri), true, uri);
    for (const uri of [
      "http://127.0.0.1:51234/callback",
      "https://tools.acme.test:8443/cb",
      "https://tools.acme.test/",
      "javascript:alert(1)",
      `http://localhost:${new URL(env.base.origin).port}/callback`,
    ])
      assert.equal(matches(uri), false, uri);
    await findClient(id, FROM, env);
    assert.equal(asked.filter((path) => path === "/good").length, 1);
  });

  it("is named by its host if it has no name, and a name is cut", async () => {
    assert.equal((await findClient(`https://${HOST}/no-name`, FROM, env)).name, HOST);
    assert.equal((await findClient(`https://${HOST}/long-name`, FROM, env)).name, "x".repeat(60));
  });

  it("names no application for which nobody vouches", async (t) => {
    const client = await findClient(`https://${HOST}/strange`, FROM, await start(t, NAMED));
    assert.deepEqual(client.redirectUris, ["https://tools.acme.test/cb"]);
    assert.equal(client.matches("tg://msg_url?url=a"), false);
  });

  const bad: [path: string, message: RegExp][] = [
    ["/lying", /that of another program/],
    ["/redirect", /at another address/],
    ["/secret", /key or secret/],
    ["/large", /larger than 5120 bytes/],
    ["/drip", /cannot be fetched. The service/],
    ["/silent", /cannot be fetched. The service/],
    ["/cut", /cannot be fetched. The service/],
  ];
  for (const [path, message] of bad)
    it(`${path}: cannot connect`, () => unusable(`https://${HOST}${path}`, message, env));

  it("is asked for once, and a redirect is not followed", () => {
    for (const [path] of bad) assert.equal(asked.filter((each) => each === path).length, 1, path);
    assert.ok(!asked.includes("/redirected"));
  });

  it("needs a valid address", async () => {
    for (const id of [
      `https://${HOST}`,
      `https://${HOST}/a#b`,
      `https://${HOST}/a/../b`,
      "https://a@b/c",
      "https://",
    ])
      await unusable(id, /not valid/, env);
    await unusable(`http://${HOST}/good`, /not known here/, env);
  });

  it("gets the errors of its requests, but at a web address that only it names, the person reads them", async () => {
    const { headers } = await devTarget(env.base.origin, "path").signIn("ada@acme.test");
    const ask = async (redirect_uri: string) => {
      const attempt = await newAttempt(env.base.origin, {
        client_id: `https://${HOST}/good`,
        redirect_uri,
        response_type: "token",
        host: null,
      });
      return openPage(attempt.url, headers);
    };
    const { headers: answered } = await ask("http://localhost:4000/callback");
    assert.match(
      String(answered.location),
      /^http:\/\/localhost:4000\/callback\?error=unsupported_response_type/,
    );
    isErrorPage(await ask("https://tools.acme.test/cb"));
    isErrorPage(await ask("https://evil.example/cb"));
  });

  it("is advertised", async () => {
    const path = "/.well-known/oauth-authorization-server";
    const { json } = await send(env.base.origin, { method: "GET", path });
    assert.equal(json.client_id_metadata_document_supported, true);
  });
});

describe("documents that are not fetched", () => {
  it("at an address that is not public, although Connections may reach it", async (t) => {
    const env = await start(t);
    const before = asked.length;
    await unusable(`https://${HOST}/good`, /cannot be fetched. The service/, env);
    await unusable("https://127.0.0.1/client", /cannot be fetched. The service/, env);
    assert.equal(asked.length, before);
  });

  it("of hosts that the operator has not named, if there are some", async (t) => {
    const env = await start(t, { SERVICE_OAUTH_CLIENTS: '["claude.ai"]' });
    await unusable(`https://${HOST}/good`, /not allowed here/, env);
    await unusable("https://vscode.dev/oauth/client-metadata.json", /vscode\.dev are not allowed/, env);
    await unusable("https://claude.ai.evil.example/client", /not allowed/, env);
    await unusable("https://claude.ai:8443/client", /not allowed/, env);
    assert.equal((await findClient(CLAUDE_CODE, FROM, env)).kind, "known");
  });

  it("of the service and its canvases, where everybody can publish files", async (t) => {
    for (const [mode, hosts] of [
      ["path", ["localhost", "localhost:8443"]],
      ["subdomain", ["localhost", "guestbook.localhost", "guestbook.localhost:8443"]],
    ] as const) {
      const env = await start(t, {
        SERVICE_URL_MODE: mode,
        SERVICE_OAUTH_CLIENTS: JSON.stringify(hosts),
      });
      for (const host of hosts) await unusable(`https://${host}/c/tool/client.json`, /A canvas cannot/, env);
    }
  });

  it("for a network that has had too many fetched", async (t) => {
    const env = await start(t, {
      ...NAMED,
      SERVICE_RATELIMIT_ENABLED: "on",
      SERVICE_RATELIMIT_LOGIN_PER_MIN: "3",
    });
    const find = (n: number, ip: string) =>
      findClient(`https://${HOST}/good?${n}`, { ip, person: "ada" }, env);
    for (let n = 0; n < 3; n++) await find(n, "192.0.2.1");
    await assert.rejects(find(3, "192.0.2.1"), /Too many programs/);
    for (let n = 0; n < 3; n++) await find(n, "192.0.2.1");
    await find(3, "192.0.2.2");
    await find(3, "192.0.2.1");
  });
});

describe("errors that are reported by a redirect", () => {
  const allowed: [kind: ClientKind, uri: string, expected: boolean][] = [
    ["document", "http://127.0.0.1:1/cb", true],
    ["registered", "http://localhost:1/cb", true],
    ["registered", "cursor://anysphere.cursor-mcp/oauth/callback", true],
    ["document", "com.acme.app:/cb", true],
    ["registered", "cursor://a/b", false],
    ["document", "tg://msg_url?url=https://evil.example", false],
    ["builtin", "http://127.0.0.1:1/cb", true],
    ["document", "https://evil.example/cb", false],
    ["document", "https://tools.acme.test/cb", true],
    ["registered", "https://tools.acme.test/cb", true],
    ["document", "https://claude.ai/api/mcp/auth_callback", true],
    ["known", "https://claude.ai/api/mcp/auth_callback", true],
    ["document", "https://claude.ai/other", false],
    ["configured", "https://bot.acme.test/cb", true],
  ];
  const config = readConfig({ SERVICE_OAUTH_CLIENTS: '["tools.acme.test"]' });
  for (const [kind, uri, expected] of allowed)
    it(`${kind}, ${uri}: ${expected}`, () =>
      assert.equal(mayRedirectUnasked({ kind }, uri, { config }), expected));
});

describe("known clients", () => {
  it("can connect although their documents cannot be fetched", async (t) => {
    const env = await start(t);
    const table: [id: string, name: string, host: string, redirectUri: string][] = [
      [CLAUDE_CODE, "Claude Code", "claude.ai", "http://localhost:51234/callback"],
      [
        "https://claude.ai/oauth/mcp-oauth-client-metadata",
        "Claude",
        "claude.ai",
        "https://claude.ai/api/mcp/auth_callback",
      ],
      [
        "https://chatgpt.com/oauth/client.json",
        "ChatGPT",
        "chatgpt.com",
        "https://chatgpt.com/connector_platform_oauth_redirect",
      ],
      [
        "https://chatgpt.com/oauth/codex/client.json",
        "Codex",
        "chatgpt.com",
        "http://127.0.0.1:1455/callback",
      ],
      [
        "https://vscode.dev/oauth/client-metadata.json",
        "Visual Studio Code",
        "vscode.dev",
        "http://127.0.0.1:50000/",
      ],
      [
        "https://opencode.ai/oauth/opencode/client.json",
        "opencode",
        "opencode.ai",
        "http://127.0.0.1:4000/callback",
      ],
      ["https://zed.dev/oauth/client-metadata.json", "Zed", "zed.dev", "http://127.0.0.1:4000/callback"],
      ["https://cursor.com/oauth/mcp-client.json", "Cursor", "cursor.com", "http://localhost:4000/callback"],
    ];
    for (const [id, name, host, redirectUri] of table) {
      const client = await findClient(id, FROM, env);
      assert.deepEqual([client.kind, client.name, client.host, client.verified], ["known", name, host, true]);
      assert.equal(client.matches(redirectUri), true);
      assert.equal(client.matches("https://evil.example/"), false);
    }
    await unusable("https://claude.ai/oauth/other", /claude\.ai cannot connect/, env);
  });
});
