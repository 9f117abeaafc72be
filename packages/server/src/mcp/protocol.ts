import type { McpHttpHandler, ServerContext, Tool as WireTool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Env } from "../env.ts";
import { callTool, type Requester } from "./call-tool.ts";
import type { Docs } from "./docs.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { SERVER_INFO } from "./read-call.ts";
import type { Tool } from "./tool.ts";
import type { Dialogue } from "./tool-call.ts";
import { TOOLS } from "./tools.ts";

/** Programs may keep the list of tools and the texts for five minutes. They are the same for everybody, and change with the version of the service. */
const KEPT = { ttlMs: 5 * 60_000, cacheScope: "public" } as const;

/**
 * Removes from a schema what a model can do without, because every program pays for each word in every conversation: that other fields are
 * refused, bounds of lengths and of integers, which the error of a call says, and what is true of every object.
 */
function shorten(schema: z.core.JSONSchema.BaseSchema, io: "input" | "output"): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  for (const limit of ["minLength", "maxLength", "minItems", "maxItems", "propertyNames"] as const)
    delete schema[limit];
  if (["false", "{}"].includes(JSON.stringify(schema.additionalProperties)))
    delete schema.additionalProperties;
  if (io === "output") delete schema.required;
}

/** Returns the JSON schema of the arguments or the structured content of a tool. */
function schemaOf(schema: z.ZodObject, io: "input" | "output"): WireTool["inputSchema"] {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => shorten(jsonSchema, io),
  });
  return rest as WireTool["inputSchema"];
}

/** Describes a tool as `tools/list` does. */
const wireToolOf = ({ name, title, description, hints, input, output }: Tool): WireTool => ({
  name,
  title,
  description,
  annotations: hints,
  inputSchema: schemaOf(input, "input"),
  outputSchema: schemaOf(output, "output"),
});

/** The list of tools, which is the same for everybody. */
const toolList = (): WireTool[] => TOOLS.map(wireToolOf);

/** The field in which a request of 2026-07-28 says what its program can do. */
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Reads what the program has answered to a question and what it can be asked. Only programs of 2026-07-28 can be asked. */
function dialogueOf({ mcpReq }: ServerContext): Dialogue {
  const capabilities = new Map(Object.entries(mcpReq.envelope ?? {})).get(CAPABILITIES);
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
  const tools = toolList();
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
      server.setRequestHandler("tools/list", () => ({ tools }));
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
