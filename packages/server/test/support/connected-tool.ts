import assert from "node:assert/strict";
import { type Answer, type Header, send } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";
import type { TokenScope } from "@easel/protocol/management";
import { newId } from "../../src/crypto/ids.ts";
import { newAppToken } from "../../src/identity/tokens.ts";
import type { TestEnv } from "./test-env.ts";

/** What a person allows a connected tool. */
export interface Allowed {
  scope?: TokenScope;
  canvasId?: string | null;
  ownOnly?: boolean;
  confirms?: boolean;
  clientId?: string;
  clientName?: string;
  /** What the program can do, such as `{ elicitation: { form: {} } }`. */
  capabilities?: object;
}

/** The result of a call of a tool: its text, and its structured content. */
export interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  resultType?: string;
  /** What the program must ask its person, and the state that it sends along with the answers. */
  inputRequests?: Record<string, { method: string; params: Record<string, unknown> }>;
  requestState?: string;
}

/** What a program sends again with a call whose question its person has answered. */
export interface Answers {
  inputResponses?: object;
  requestState?: string;
}

/** A program that calls the tools of a service for a person. */
export interface ConnectedTool {
  id: string;
  token: string;
  /** Sends a request of the protocol, and returns its answer. */
  request(method: string, params?: object, headers?: Header[]): Promise<Answer>;
  /** Calls a tool, and returns its result. */
  call(name: string, args?: object, answers?: Answers): Promise<ToolResult>;
  /** Calls a tool, and returns its structured content. Fails if the tool was refused. */
  use<Content = Record<string, unknown>>(name: string, args?: object): Promise<Content>;
}

const REVISION = "2026-07-28";

/** Returns the headers and the body of a request of the protocol. */
export function toolRequest(
  method: string,
  params: object = {},
  capabilities: object = {},
): { headers: Header[]; body: string } {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const { name, uri } = params as { name?: string; uri?: string };
  const named = name ?? uri;
  return {
    headers: [
      ["Content-Type", "application/json"],
      ["Accept", "application/json, text/event-stream"],
      ["MCP-Protocol-Version", REVISION],
      ["Mcp-Method", method],
      ...(named === undefined ? [] : ([["Mcp-Name", named]] as Header[])),
    ],
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
  };
}

/** Connects a tool to a person, as their consent does, and returns it with its access token. */
export async function connectTool(
  base: string,
  { email }: Pick<Person, "email">,
  {
    scope = "full",
    canvasId = null,
    ownOnly = false,
    confirms = true,
    clientId = "test-client",
    clientName = "Test tool",
    capabilities = {},
  }: Allowed,
  env: TestEnv,
): Promise<ConnectedTool> {
  const id = newId();
  const { token, insert } = newAppToken(id, { expiresAt: env.clock() + 3_600_000 }, env);
  await env.db.run`
    insert into apps (id, user_id, client_id, client_name, verified, scope, canvas_id, own_only, confirms, created_at)
    select ${id}, users.id, ${clientId}, ${clientName}, 1, ${scope}, cast(${canvasId} as text), ${ownOnly ? 1 : 0}, ${confirms ? 1 : 0},
      cast(${env.clock()} as bigint) from users where email = ${email}`;
  await env.db.run(...insert);
  return toolOf(base, { id, token }, capabilities);
}

/** Returns a connected tool by its id and its access token. `capabilities` is what the program can do. */
export function toolOf(
  base: string,
  { id, token }: Pick<ConnectedTool, "id" | "token">,
  capabilities: object = {},
): ConnectedTool {
  const request: ConnectedTool["request"] = (method, params, headers = []) => {
    const asked = toolRequest(method, params, capabilities);
    const all: Header[] = [["Authorization", `Bearer ${token}`], ...asked.headers, ...headers];
    return send(base, { method: "POST", path: "/mcp", headers: all, body: asked.body });
  };
  const call = async (name: string, args: object = {}, answers: Answers = {}) => {
    const answer = await request("tools/call", { name, arguments: args, ...answers });
    assert.equal(answer.status, 200, answer.text);
    const { result } = answer.json as { result?: ToolResult };
    return result ?? assert.fail(answer.text);
  };
  return {
    id,
    token,
    request,
    call,
    async use<Content>(name: string, args?: object) {
      const result = await call(name, args);
      assert.notEqual(result.isError, true, result.content[0]?.text ?? "");
      return result.structuredContent as Content;
    },
  };
}
