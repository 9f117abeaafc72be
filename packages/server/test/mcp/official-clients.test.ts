import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { ERAS } from "./ai-tool.ts";

const SELF = { name: "test-tool", version: "1.0.0" };

/** Connects each official client with an access token. */
const CLIENTS: Record<string, (address: URL, token: string) => Promise<Client>> = {
  async "client 2 in the revision 2026-07-28"(address, token) {
    const client = new Client(SELF, { versionNegotiation: ERAS["2026-07-28"] });
    await client.connect(new StreamableHTTPClientTransport(address, withToken(token)));
    assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
    return client;
  },
  async "client 2 in a revision of its choice"(address, token) {
    const client = new Client(SELF, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(address, withToken(token)));
    assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
    return client;
  },
  async "client 2 in a revision of 2025"(address, token) {
    const client = new Client(SELF, { versionNegotiation: ERAS[2025] });
    await client.connect(new StreamableHTTPClientTransport(address, withToken(token)));
    assert.equal(client.getNegotiatedProtocolVersion(), "2025-11-25");
    return client;
  },
  async "client 1"(address, token) {
    const client = new FormerClient(SELF);
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new FormerTransport(address, { requestInit: { headers } }) as never);
    return client as never as Client;
  },
};

const withToken = (token: string) => ({ authProvider: { token: async () => token } });

await onSqlite("the official clients", (target, env) => {
  const address = () => new URL("/mcp", target.base);
  let person: Person;
  let token: string;

  before(async () => {
    person = await target.signIn(freshEmail("agent"));
    ({ token } = await connectTool(target.base, person, { scope: "deploy" }, env));
    await manage(target, person, "POST", "/api/canvases", { title: "Minutes" });
  });

  for (const [name, connect] of Object.entries(CLIENTS))
    describe(name, () => {
      let client: Client;
      before(async () => {
        client = await connect(address(), token);
      });
      after(() => client.close());

      it("learns who the service is and what to know", () => {
        assert.equal(client.getServerVersion()?.name, "easel");
        assert.match(client.getInstructions() ?? "", /`guide`/);
      });

      it("lists the tools with their schemas", async () => {
        const { tools } = await client.listTools();
        const listed = tools.find((tool) => tool.name === "list_canvases");
        assert.ok(listed?.outputSchema);
        assert.equal(tools.length, new Set(tools.map((tool) => tool.name)).size);
      });

      it("calls a tool, whose answer has the shape that the list promises", async () => {
        // The clients validate structured content against the output schema of the list.
        await client.listTools();
        const { structuredContent } = (await client.callTool({ name: "list_canvases", arguments: {} })) as {
          structuredContent: { canvases: { title: string }[] };
        };
        assert.deepEqual(
          structuredContent.canvases.map(({ title }) => title),
          ["Minutes"],
        );
      });

      it("lists the texts for agents, and reads one", async () => {
        const { resources } = await client.listResources();
        assert.equal(resources.length, new Set(resources.map(({ uri }) => uri)).size);
        const skill = resources.find(({ uri }) => uri.endsWith("SKILL.md")) ?? assert.fail();
        const { contents } = await client.readResource({ uri: skill.uri });
        const [{ uri, text } = { uri: "", text: "" }] = contents as { uri: string; text: string }[];
        assert.equal(uri, skill.uri);
        assert.match(text, /^---\nname: easel\n/);
        await assert.rejects(client.readResource({ uri: "skill://easel/no-such-page.md" }), /not found/i);
      });

      it("gets what is wrong as an answer that a model can read", async () => {
        for (const [args, says] of [
          [{ canvas: "no-such-canvas" }, /^NOT_FOUND: /],
          [{ canvas: 7 }, /^INVALID_BODY: .*canvas/],
        ] as const) {
          const answer = (await client.callTool({ name: "get_canvas", arguments: args })) as {
            isError?: boolean;
            content: { text: string }[];
          };
          assert.equal(answer.isError, true);
          assert.match(answer.content[0]?.text ?? "", says);
        }
      });
    });

  for (const [name, connect] of Object.entries(CLIENTS))
    it(`${name} does not get in with a token that has ended`, async () => {
      await assert.rejects(connect(address(), `${token}x`), (error: Error & { code?: unknown }) =>
        /401|unauthorized/i.test(`${error.code} ${error.message}`),
      );
    });
});
