import type { McpHttpHandler, ServerContext } from "@modelcontextprotocol/server";
import type { Env } from "../env.ts";
import { callTool, type Requester } from "./call-tool.ts";
import type { Docs } from "./docs.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { ENVELOPE, SERVER_INFO } from "./plain-message.ts";
import type { Dialogue } from "./tool-call.ts";
import { KEPT, TOOL_LIST } from "./tool-list.ts";

/** Reads what the program has answered to a question and what it can be asked. Only programs of 2026-07-28 can be asked. */
function dialogueOf({ mcpReq }: ServerContext): Dialogue {
  const capabilities = new Map(Object.entries(mcpReq.envelope ?? {})).get(ENVELOPE.capabilities);
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { form?: object; url?: object } };
  return {
    responses: mcpReq.inputResponses,
    state: mcpReq.requestState<string>(),
    asksByForm:
      elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    asksByPage: elicitation?.url !== undefined,
  };
}

/**
 * Makes the handler of `/mcp`, for programs of 2026-07-28 and of the revisions before. Loads the package of the protocol, which the start of
 * the service does not need. The handler keeps nothing between requests.
 */
export async function createHandler(docs: Docs, env: Env): Promise<McpHttpHandler> {
  const { createMcpHandler, ResourceNotFoundError, Server } = await import("@modelcontextprotocol/server");
  return createMcpHandler(
    ({ authInfo }) => {
      const requester = authInfo?.extra?.requester as Requester;
      const server = new Server(SERVER_INFO, {
        capabilities: { tools: {}, resources: {} },
        instructions: INSTRUCTIONS,
        cacheHints: {
          "tools/list": KEPT,
          "resources/list": KEPT,
          "resources/templates/list": KEPT,
          "resources/read": KEPT,
        },
        // A question to the program on a connection of 2025 would need a session.
        inputRequired: { legacyShim: false },
      });
      server.setRequestHandler("tools/list", () => ({ tools: TOOL_LIST }));
      server.setRequestHandler("tools/call", ({ params }, context) =>
        callTool(params, requester, dialogueOf(context), docs, env),
      );
      server.setRequestHandler("resources/list", () => ({
        resources: docs.resources().map(({ read: _read, ...resource }) => resource),
      }));
      server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
      server.setRequestHandler("resources/read", ({ params: { uri } }) => {
        const found = docs.resources().find((each) => each.uri === uri);
        if (found === undefined) throw new ResourceNotFoundError(uri);
        return { contents: [{ uri, mimeType: found.mimeType, text: found.read() }] };
      });
      return server;
    },
    {
      maxSubscriptions: 0,
      onerror: (error) => env.log.debug({ err: error }, "a request to /mcp was rejected"),
    },
  );
}
