import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool, toolRequest } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";

interface ListAnswer extends Record<string, unknown> {
  result: { structuredContent: { canvases: object[]; entries: object[] }; resultType?: string };
}

await onSqlite("the protocol of /mcp", (target, env) => {
  let person: Person;
  let connected: ConnectedTool;

  before(async () => {
    person = await target.signIn(freshEmail("agent"));
    connected = await connectTool(target.base, person, {}, env);
  });

  /** Sends a request as programs of the revisions before 2026-07-28 do. */
  const sendOld = (method: string, params: object = {}): Promise<Answer> => {
    const headers: Header[] = [
      ["Authorization", `Bearer ${connected.token}`],
      ["Content-Type", "application/json"],
      ["Accept", "application/json, text/event-stream"],
    ];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return send(target.base, { method: "POST", path: "/mcp", headers, body });
  };
  const eventOf = ({ text }: Answer) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "null");

  it("answers programs of 2025", async () => {
    const hello = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "old", version: "1" },
    };
    const started = eventOf(await sendOld("initialize", hello));
    assert.equal(started.result.protocolVersion, "2025-11-25");
    assert.match(started.result.instructions, /guide/);
    const { result } = (await sendOld("tools/list")).json as { result: { tools: { name: string }[] } };
    assert.ok(result.tools.some(({ name }) => name === "list_canvases"));
    const called = await sendOld("tools/call", { name: "list_canvases", arguments: {} });
    assert.deepEqual((called.json as ListAnswer).result.structuredContent.canvases, []);
  });

  it("answers a list of data also where the package of the protocol reads the call", async () => {
    const made = await manage(target, person, "POST", "/api/canvases", { title: "Data" });
    const { id } = made.json as { id: string };
    const on = { backendEnabled: true, kv: true };
    assert.equal((await manage(target, person, "PATCH", `/api/canvases/${id}/capabilities`, on)).status, 200);
    const value = { text: "é\n", list: [1, null] };
    await connected.use("write_data", { canvas: id, changes: [{ op: "set", key: "a", value }] });
    const called = { name: "read_data", arguments: { canvas: id, what: "keys" } };
    const plain = (await sendOld("tools/call", called)).json as ListAnswer;
    assert.deepEqual(plain.result.structuredContent.entries, [{ key: "a", value }]);
    const { result } = eventOf(await sendOld("tools/call", { ...called, other: 1 }));
    assert.deepEqual(result.structuredContent, plain.result.structuredContent);
  });

  /** Sends a call of `list_canvases` with changed headers and fields of `params`. */
  const sendList = (headers: Record<string, string>, fields: object = {}): Promise<Answer> => {
    const asked = toolRequest("tools/call", { name: "list_canvases", arguments: {}, ...fields });
    const all = {
      ...Object.fromEntries(asked.headers),
      authorization: `Bearer ${connected.token}`,
      ...headers,
    };
    return send(target.base, {
      method: "POST",
      path: "/mcp",
      headers: Object.entries(all),
      body: asked.body,
    });
  };

  it("answers a call that reads as the package of the protocol does", async () => {
    const direct = await sendList({});
    // A request that accepts JSON alone is not plainly right.
    const byPackage = await sendList({ Accept: "application/json" });
    assert.equal((direct.json as ListAnswer).result.resultType, "complete");
    assert.deepEqual(direct.json, byPackage.json);
    assert.equal(direct.status, byPackage.status);
    for (const name of ["cache-control", "x-frame-options"])
      assert.equal(direct.headers[name], byPackage.headers[name]);
  });

  it("answers a request for the list of tools as the package of the protocol does", async () => {
    const direct = await connected.request("tools/list");
    const byPackage = await connected.request("tools/list", {}, [["Accept", "application/json"]]);
    assert.deepEqual(direct.json, byPackage.json);
    const old = (await sendOld("tools/list")).json as { result: object };
    assert.deepEqual(old.result, eventOf(await sendOld("tools/list", { cursor: "" })).result);
  });

  it("answers a call with fields that the service does not use by the same result", async () => {
    const { result } = (await sendList({})).json as ListAnswer;
    assert.deepEqual(((await sendList({}, { task: {} })).json as ListAnswer).result, result);
    const old = await sendOld("tools/call", {
      name: "list_canvases",
      arguments: {},
      _meta: { progressToken: 1 },
    });
    assert.deepEqual((old.json as ListAnswer).result.structuredContent, result.structuredContent);
  });

  for (const [what, headers] of [
    ["method", { "Mcp-Method": "tools/list" }],
    ["name", { "Mcp-Name": "get_canvas" }],
    ["revision", { "MCP-Protocol-Version": "2025-11-25" }],
  ] as const)
    it(`refuses a call whose headers have another ${what} than its body`, async () => {
      const { status, json } = await sendList(headers);
      assert.equal(status, 400);
      assert.equal((json as { error: { code: number } }).error.code, -32020);
    });

  it("says what it is and can do", async () => {
    const { json } = await connected.request("server/discover");
    const { result } = json as { result: { capabilities: object; instructions: string } };
    assert.ok("tools" in result.capabilities);
    assert.match(result.instructions, /guide/);
  });

  it("says that the list of tools may be kept", async () => {
    const { result } = (await connected.request("tools/list")).json as { result: Record<string, unknown> };
    assert.ok((result.ttlMs as number) > 0);
    assert.equal(result.cacheScope, "public");
  });

  for (const method of ["GET", "DELETE", "PUT"])
    it(`answers ${method} with 405`, async () => {
      const headers: Header[] = [["Authorization", `Bearer ${connected.token}`]];
      assert.equal((await send(target.base, { method, path: "/mcp", headers })).status, 405);
    });

  it("opens no subscription", async () => {
    const { text } = await connected.request("subscriptions/listen", { notifications: {} });
    assert.match(text, /"error"/);
  });

  it("tells a model what is wrong with its arguments", async () => {
    const { isError, content } = await connected.call("list_canvases", { query: 7 });
    assert.equal(isError, true);
    assert.match(content[0]?.text ?? "", /^INVALID_BODY: .*query/);
  });

  /** Sends a call of a tool with arguments that are a JSON text. */
  const sendText = (name: string, args: string) => {
    const { headers, body } = toolRequest("tools/call", { name, arguments: "ARGUMENTS" });
    const all: Header[] = [["Authorization", `Bearer ${connected.token}`], ...headers];
    return send(target.base, {
      method: "POST",
      path: "/mcp",
      headers: all,
      body: body.replace('"ARGUMENTS"', () => args),
    });
  };

  it("reads no request with so many values that others would wait for it", async () => {
    const fields = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;
    const few = await sendText("configure_canvas", `{"canvas":"none","switches":${fields(15_000)}}`);
    assert.match(few.text, /NOT_FOUND/);
    const many = await sendText("configure_canvas", `{"canvas":"none","switches":${fields(21_000)}}`);
    assert.equal(many.status, 400);
    assert.equal(many.json.code, "INVALID_BODY");
  });

  it("takes one message in a request, so that each call counts", async () => {
    const headers: Header[] = [
      ["Authorization", `Bearer ${connected.token}`],
      ["Content-Type", "application/json"],
      ["Accept", "application/json, text/event-stream"],
      ["MCP-Protocol-Version", "2025-03-26"],
    ];
    const one = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const body = JSON.stringify([one, { ...one, id: 2 }]);
    const answer = await send(target.base, { method: "POST", path: "/mcp", headers, body });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /one message/);
    assert.doesNotMatch(answer.text, /list_canvases/);
  });

  for (const [name, args] of [
    ["list_canvases", { query: "a%_".repeat(20_000) }],
    ["list_canvases", { next: "z".repeat(60_000) }],
    ["read_data", { what: "keys", prefix: "p".repeat(60_000) }],
    ["read_data", { what: "records", name: "n".repeat(60_000) }],
    ["read_data", { what: "records", name: "n", where: { id: "w".repeat(60_000) } }],
    ["read_files", { version: "v".repeat(60_000) }],
  ] as const)
    it(`refuses arguments of ${name} that no URL could have: ${Object.keys(args).join(", ")}`, async () => {
      const { canvas } = await connected.use<{ canvas: string }>("deploy_canvas", {
        title: "Tea",
        files: [{ path: "index.html", text: "Tea" }],
      });
      const of = name === "list_canvases" ? {} : { canvas };
      const { isError, content } = await connected.call(name, { ...of, ...args });
      assert.equal(isError, true);
      assert.match(content[0]?.text ?? "", /^INVALID_BODY: The arguments are too long/);
    });

  it("tells a model that there is no such tool", async () => {
    const { isError, content } = await connected.call("format_disk");
    assert.equal(isError, true);
    assert.match(content[0]?.text ?? "", /^NOT_FOUND: /);
  });
});
