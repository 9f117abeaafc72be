import assert from "node:assert/strict";
import { it } from "node:test";
import { type Header, send } from "@easel/conformance/http";
import { onSqlite } from "../support/engines.ts";
import { register } from "./oauth-app.ts";

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";

await onSqlite("where programs find the sign-in", ({ base }) => {
  const get = (path: string, headers: Header[] = []) => send(base, { method: "GET", path, headers });

  it("the challenge of /mcp names the description of the resource, which names the service", async () => {
    const { status, headers } = await send(base, { method: "POST", path: "/mcp" });
    assert.equal(status, 401);
    const [, address = ""] = /resource_metadata="([^"]+)"/.exec(String(headers["www-authenticate"])) ?? [];
    assert.equal(address, `${base}${RESOURCE}/mcp`);
    for (const path of [new URL(address).pathname, RESOURCE])
      assert.deepEqual((await get(path)).json, {
        resource: `${base}/mcp`,
        authorization_servers: [base],
        scopes_supported: ["read", "deploy"],
        bearer_methods_supported: ["header"],
        resource_name: "Easel",
      });
  });

  it("the description of the service is complete", async () => {
    const { json } = await get(SERVER);
    const { service_documentation: _, ...rest } = json;
    assert.deepEqual(rest, {
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      device_authorization_endpoint: `${base}/oauth/device_authorization`,
      revocation_endpoint: `${base}/oauth/revoke`,
      registration_endpoint: `${base}/oauth/register`,
      scopes_supported: ["full", "deploy", "read"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: [
        "authorization_code",
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:device_code",
      ],
      token_endpoint_auth_methods_supported: ["none"],
      client_id_metadata_document_supported: true,
      revocation_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      protected_resources: [`${base}/mcp`],
    });
  });

  it("the descriptions can be read by pages of every origin, and nothing else of the sign-in", async () => {
    const origin: Header = ["Origin", "https://inspector.example"];
    for (const path of [SERVER, RESOURCE, `${RESOURCE}/mcp`]) {
      const { status, headers } = await get(path, [origin]);
      assert.deepEqual([status, headers["access-control-allow-origin"]], [200, "*"]);
      const asked: Header[] = [
        origin,
        ["Access-Control-Request-Method", "GET"],
        ["Access-Control-Request-Headers", "mcp-protocol-version"],
      ];
      const allowed = await send(base, { method: "OPTIONS", path, headers: asked });
      assert.equal(allowed.status, 204);
      assert.equal(allowed.headers["access-control-allow-origin"], "*");
      assert.match(String(allowed.headers["access-control-allow-headers"]), /\*/);
    }
    const client = await register(base);
    for (const path of ["/oauth/token", "/oauth/register", `/oauth/authorize?client_id=${client}`, "/mcp"])
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { headers } = await send(base, { method, path, headers: [origin] });
        assert.equal(headers["access-control-allow-origin"], undefined, `${method} ${path}`);
      }
  });

  it("a service is no OpenID provider: 404 as JSON, after which programs go on", async () => {
    const { status, headers } = await get("/.well-known/openid-configuration", [["Accept", "text/html"]]);
    assert.equal(status, 404);
    assert.match(String(headers["content-type"]), /^application\/json/);
  });
});
