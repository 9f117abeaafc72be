import assert from "node:assert/strict";
import { before, it } from "node:test";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { freshEmail } from "@easel/conformance/target";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";

await onSqlite("the protocol of /mcp", (target, env) => {
  let connected: ConnectedTool;

  before(async () => {
    connected = await connectTool(target.base, await target.signIn(freshEmail("agent")), {}, env);
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
    const { result } = eventOf(await sendOld("tools/list"));
    assert.ok(result.tools.some(({ name }: { name: string }) => name === "list_canvases"));
    const called = eventOf(await sendOld("tools/call", { name: "list_canvases", arguments: {} }));
    assert.deepEqual(called.result.structuredContent.canvases, []);
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

  it("tells a model that there is no such tool", async () => {
    const { isError, content } = await connected.call("format_disk");
    assert.equal(isError, true);
    assert.match(content[0]?.text ?? "", /^NOT_FOUND: /);
  });
});
