import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { before, describe, it } from "node:test";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { ROOT } from "../areas.ts";
import { FORM } from "../support/client.ts";
import { toolRequest } from "../support/connected-tool.ts";
import { fileScope, PROXY, startService } from "../support/service.ts";

/** What each path answers a program that the sign-in proxy has let through, without an identity. */
const ANSWERS: Record<string, (base: string, path: string) => Promise<void>> = {
  async "/mcp"(base, path) {
    const { headers, body } = toolRequest("tools/list");
    const { status, headers: got } = await send(base, { method: "POST", path, headers, body });
    assert.equal(status, 401);
    assert.match(String(got["www-authenticate"]), /resource_metadata=/);
  },
  async "/mcp/upload"(base, path) {
    const { status, text } = await send(base, {
      method: "PUT",
      path,
      headers: [["Authorization", "Bearer x"]],
    });
    assert.equal(status, 401);
    assert.match(text, /Call `upload_command` for another one/);
  },
  async "/oauth/token"(base, path) {
    const { status, json } = await postForm(base, path, { grant_type: "authorization_code", code: "x" });
    assert.deepEqual([status, typeof json.error], [400, "string"]);
  },
  async "/oauth/register"(base, path) {
    const headers: Header[] = [["Content-Type", "application/json"]];
    const body = JSON.stringify({ client_name: "Any", redirect_uris: ["http://127.0.0.1/callback"] });
    assert.equal((await send(base, { method: "POST", path, headers, body })).status, 201);
  },
  async "/oauth/revoke"(base, path) {
    assert.equal((await postForm(base, path, { token: "easel_mcp_x" })).status, 200);
  },
  "/.well-known/oauth-protected-resource": described,
  "/.well-known/oauth-protected-resource/mcp": described,
  "/.well-known/oauth-authorization-server": described,
};

const postForm = (base: string, path: string, fields: Record<string, string>): Promise<Answer> =>
  send(base, {
    method: "POST",
    path,
    headers: [FORM],
    body: new URLSearchParams({ client_id: "easel-cli", ...fields }).toString(),
  });

async function described(base: string, path: string): Promise<void> {
  assert.equal((await send(base, { method: "GET", path })).status, 200);
}

describe("paths that a sign-in proxy must let through", () => {
  const scope = fileScope();
  let base: string;
  before(async () => {
    ({ base } = await startService(scope, PROXY));
  });

  it("are those that the documentation names", () => {
    const page = readFileSync(path.join(ROOT, "docs/agents.md"), "utf8");
    const [table = ""] = /^\| Path \| Who calls it \|\n(\|.*\n)+/m.exec(page) ?? [];
    const named = [...table.matchAll(/`(\/[^`]*)`/g)].map(([, each]) => each);
    assert.deepEqual(named.sort(), Object.keys(ANSWERS).sort());
  });

  for (const [path, answers] of Object.entries(ANSWERS))
    it(`${path} answers a program without an identity`, () => answers(base, path));

  it("the pages on which a person decides need the person", async () => {
    const query = new URLSearchParams({
      client_id: "easel-cli",
      redirect_uri: "http://127.0.0.1:49152/callback",
    });
    for (const path of [`/oauth/authorize?${query}`]) {
      const { status } = await send(base, { method: "GET", path, headers: [["Accept", "text/html"]] });
      assert.ok(status === 401 || status === 302, `${path}: ${status}`);
    }
  });
});
