import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool, toolRequest } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { beginLate } from "../support/late-body.ts";

await onSqlite("access to /mcp", (target, env) => {
  let person: Person;
  let connected: ConnectedTool;

  before(async () => {
    person = await target.signIn(freshEmail("agent"));
    connected = await connectTool(target.base, person, {}, env);
  });

  const list = (headers: Header[]) => {
    const asked = toolRequest("tools/list");
    const all = [...asked.headers, ...headers];
    return send(target.base, { method: "POST", path: "/mcp", headers: all, body: asked.body });
  };

  it("lists the tools for a token of its own", async () => {
    const { status, json } = await connected.request("tools/list");
    assert.equal(status, 200);
    const { tools } = (json as { result: { tools: { name: string }[] } }).result;
    assert.ok(tools.some(({ name }) => name === "list_canvases"));
  });

  it("performs acts for the person of the token", async () => {
    await manage(target, person, "POST", "/api/canvases", { title: "Minutes" });
    const { canvases } = await connected.use<{ canvases: { title: string }[] }>("list_canvases");
    assert.deepEqual(
      canvases.map(({ title }) => title),
      ["Minutes"],
    );
  });

  it("reads data for a tool that may deploy", async () => {
    const made = await manage(target, person, "POST", "/api/canvases", { title: "Data" });
    const { id, slug, url } = made.json as Record<"id" | "slug" | "url", string>;
    const on = { backendEnabled: true, kv: true };
    assert.equal((await manage(target, person, "PATCH", `/api/canvases/${id}/capabilities`, on)).status, 200);
    const deployer = await connectTool(target.base, person, { scope: "deploy" }, env);
    for (const canvas of [id, slug, url])
      assert.deepEqual((await deployer.use("read_data", { canvas, what: "keys" })).entries, []);
  });

  it("finds only canvases on which the person has a role", async () => {
    const other = await target.signIn(freshEmail("other"));
    const made = await manage(target, other, "POST", "/api/canvases", { title: "Hidden" });
    const { content, isError } = await connected.call("get_canvas", { canvas: made.json.id });
    assert.equal(isError, true);
    assert.match(content[0]?.text ?? "", /^NOT_FOUND: /);
  });

  it("finds only the canvas of the connection, and only canvases that the program has made", async () => {
    const made = await manage(target, person, "POST", "/api/canvases", { title: "One" });
    const other = await manage(target, person, "POST", "/api/canvases", { title: "Two" });
    const one = { canvas: made.json.id };
    const two = { canvas: other.json.id };
    const bound = await connectTool(target.base, person, { canvasId: String(made.json.id) }, env);
    await bound.use("get_canvas", one);
    assert.equal((await bound.call("get_canvas", two)).isError, true);
    const own = await connectTool(target.base, person, { ownOnly: true, clientId: "maker" }, env);
    assert.equal((await own.call("get_canvas", one)).isError, true);
    await env.db.run`insert into made_canvases (canvas_id, user_id, client_id)
      select ${String(made.json.id)}, id, ${"maker"} from users where email = ${person.email}`;
    await own.use("get_canvas", one);
  });

  it("challenges a request without a token", async () => {
    const { status, headers } = await list([]);
    assert.equal(status, 401);
    assert.match(String(headers["www-authenticate"]), /^Bearer resource_metadata="[^"]+", scope="deploy"$/);
  });

  it("takes no cookie", async () => {
    assert.equal((await list(person.headers)).status, 401);
  });

  it("takes no personal access token", async () => {
    const made = await manage(target, person, "POST", "/api/tokens", { name: "ci" });
    const { token } = made.json as { token: string };
    const { status, headers, json } = await list([["Authorization", `Bearer ${token}`]]);
    assert.equal(status, 401);
    assert.match(String(headers["www-authenticate"]), /error="invalid_token"/);
    assert.match(String(json.hint), /\/tokens\?for=mcp$/);
  });

  it("gives its tokens no access to the APIs", async () => {
    const secret = connected.token.slice("easel_mcp_".length);
    const forged = [connected.token, `easel_pat_${secret}`, `easel_pat_mcp_${secret}`, `EASEL_MCP_${secret}`];
    for (const token of forged)
      for (const path of ["/api/me", "/api/canvases", "/v1/c/any/me"]) {
        const headers: Header[] = [["Authorization", `Bearer ${token}`], ...person.headers];
        const { status } = await send(target.base, { method: "GET", path, headers });
        assert.equal(status, 401, `${token} ${path}`);
      }
  });

  for (const [name, header] of [
    ["another origin", ["Origin", "https://evil.example"]],
    ["an opaque origin", ["Origin", "null"]],
    ["a page of another site", ["Sec-Fetch-Site", "cross-site"]],
    ["a page of a canvas", ["Referer", `${target.base}/c/notes/`]],
  ] as [string, Header][])
    it(`refuses ${name}`, async () => {
      const { status } = await connected.request("tools/list", {}, [header]);
      assert.equal(status, 403);
    });

  it("ends at once with the account of the person", async () => {
    const gone = await target.signIn(freshEmail("gone"));
    const tool = await connectTool(target.base, gone, {}, env);
    await tool.use("list_canvases");
    await env.db.run`update users set deactivated_at = 1 where email = ${gone.email}`;
    assert.equal((await tool.request("tools/list")).status, 401);
  });

  /** Begins a call whose body arrives late. Returns the function that sends the rest of it and returns the status. */
  const beginCall = async ({ token }: ConnectedTool) => {
    const { headers, body } = toolRequest("tools/call", { name: "list_canvases", arguments: {} });
    const holder = { headers: [["Authorization", `Bearer ${token}`]] as Header[] };
    const request = { method: "POST", path: "/mcp", headers, body };
    const finish = await beginLate(target.base, holder, request, "head");
    return async (): Promise<number> => (await finish()).status;
  };

  it("ends with the account of the person while the body is received", async () => {
    const gone = await target.signIn(freshEmail("gone"));
    const tool = await connectTool(target.base, gone, {}, env);
    const finish = await beginCall(tool);
    await env.db.run`update users set deactivated_at = 1 where email = ${gone.email}`;
    assert.equal(await finish(), 401);
  });

  it("reads four late bodies of a person at once; others wait, also for their right, and other people do not", async () => {
    const [ada, bob] = [await target.signIn(freshEmail("ada")), await target.signIn(freshEmail("bob"))];
    const [busy, ended, other] = [
      await connectTool(target.base, ada, {}, env),
      await connectTool(target.base, ada, {}, env),
      await connectTool(target.base, bob, {}, env),
    ];
    const { json: me } = await manage(target, ada, "GET", "/api/me");
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const running = Array.from({ length: 4 }, () => env.lateBodies.run(String(me.id), () => gate));
    const states: string[] = [];
    const begun = [await beginCall(busy), await beginCall(ended)];
    const waiting = begun.map(async (finish, index) => {
      const status = await finish();
      states.push(`call ${index + 5}: ${status}`);
    });
    for (let calls = 0; calls < 3; calls++) assert.equal(await (await beginCall(other))(), 200);
    assert.deepEqual(states, []);
    await env.db.run`update apps set expires_at = 1 where id = ${ended.id}`;
    open();
    await Promise.all([...running, ...waiting]);
    assert.deepEqual(states.toSorted(), ["call 5: 200", "call 6: 401"]);
  });
});
