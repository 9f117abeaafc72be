import type {
  CallToolResult,
  McpHttpHandler,
  ServerContext,
  Tool as WireTool,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Member } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";
import { validate } from "../http/validate.ts";
import type { App } from "../identity/apps.ts";
import type { Credential } from "../identity/credential.ts";
import { actCaller } from "../management/callers.ts";
import { Docs } from "./docs.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { includesScope } from "./scope-order.ts";
import { Asked, type Tool } from "./tool.ts";
import { type ToolCall, withScope } from "./tool-call.ts";
import { TOOLS } from "./tools.ts";

/** The sender of a request to `/mcp`, and the function that converts any other error to a `Refusal`. */
export interface Requester {
  app: App;
  member: Member;
  credential: Credential;
  address: string;
  refusalOf(error: unknown): Refusal;
}

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

const errorResult = (text: string): CallToolResult => ({ isError: true, content: [{ type: "text", text }] });

/** Returns the text of a refusal for a model: the code, the message, and what to do if the refusal says it. */
const textOf = ({ body, message }: Refusal): string =>
  [
    `${body.code ?? body.error ?? "ERROR"}: ${message}`,
    ...(typeof body.hint === "string" ? [body.hint] : []),
  ].join("\n");

/** The field in which a request of 2026-07-28 says what its program can do. */
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Reads what the program has answered to a question and what it can be asked. Only programs of 2026-07-28 can be asked. */
function dialogueOf({ mcpReq }: ServerContext): ToolCall["dialogue"] {
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

/** Runs a tool for a connected tool. Returns its answer, or its refusal as an error for the model. */
async function callTool(
  { name, arguments: given = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  { app, member, credential, address, refusalOf }: Requester,
  dialogue: ToolCall["dialogue"],
  docs: Docs,
  env: Env,
): Promise<object> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) return errorResult(`NOT_FOUND: There is no tool \`${name}\`. See \`tools/list\`.`);
  if (!includesScope(app.scope, tool.scope))
    return errorResult(
      `PERMISSION_DENIED: \`${name}\` needs the scope \`${tool.scope}\`, and this connection has \`${app.scope}\`.\nAsk your person to connect again and allow more.`,
    );
  const user = withScope(member, app, tool.scope);
  const via = { client: app.clientName, tool: name };
  const caller = actCaller({ user, credential, passes: [] }, address, env, via);
  try {
    const args = validate(given as never, tool.input, "The arguments");
    const answer = await tool.run({ app, caller, env, dialogue, docs }, args as never);
    if (answer instanceof Asked) return answer.reply;
    const { text, content } = answer;
    return { content: [{ type: "text", text }], structuredContent: content };
  } catch (error) {
    const refusal = error instanceof Refusal ? error : refusalOf(error);
    env.log.info({ tool: name, app: app.id, user: user.id, code: refusal.code }, "a tool was refused");
    return errorResult(textOf(refusal));
  }
}

/**
 * Makes the handler of `/mcp`, for programs of 2026-07-28 and of the revisions before. Loads the package of the protocol, which the start of
 * the service does not need. The handler keeps nothing between requests.
 */
export async function createHandler(env: Env): Promise<McpHttpHandler> {
  const { createMcpHandler, ResourceNotFoundError, Server } = await import("@modelcontextprotocol/server");
  const tools = toolList();
  const docs = new Docs(env);
  return createMcpHandler(
    ({ authInfo }) => {
      const requester = authInfo?.extra?.requester as Requester;
      const server = new Server(
        { name: "easel", title: "Easel", version: "1" },
        {
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
        },
      );
      server.setRequestHandler("tools/list", () => ({ tools }));
      server.setRequestHandler(
        "tools/call",
        async ({ params }, context) =>
          (await callTool(params, requester, dialogueOf(context), docs, env)) as CallToolResult,
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
