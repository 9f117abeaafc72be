import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Member } from "../access/principal.ts";
import type { Work } from "../async/work.ts";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";
import { validate } from "../http/validate.ts";
import type { App } from "../identity/apps.ts";
import type { Credential } from "../identity/credential.ts";
import { actCaller } from "../management/callers.ts";
import type { Docs } from "./docs.ts";
import { includesScope } from "./scope-order.ts";
import { Asked } from "./tool.ts";
import { type Dialogue, withScope } from "./tool-call.ts";
import { TOOLS } from "./tools.ts";

/** The sender of a request to `/mcp`, and the function that converts any other error to a `Refusal`. */
export interface Requester {
  app: App;
  member: Member;
  credential: Credential;
  address: string;
  /** What counts the work of the call. */
  work: Work;
  refusalOf(error: unknown): Refusal;
}

const errorResult = (text: string): CallToolResult => ({ isError: true, content: [{ type: "text", text }] });

/** Returns the text of a refusal for a model: the code, the message, and what to do if the refusal says it. */
const textOf = ({ body, message }: Refusal): string =>
  [
    `${body.code ?? body.error ?? "ERROR"}: ${message}`,
    ...(typeof body.hint === "string" ? [body.hint] : []),
  ].join("\n");

/** Runs a tool for a connected tool. Returns its answer, or its refusal as an error for the model. */
export async function callTool(
  { name, arguments: given = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  { app, member, credential, address, work, refusalOf }: Requester,
  dialogue: Dialogue,
  docs: Docs,
  env: Env,
): Promise<CallToolResult> {
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
    const answer = await tool.run({ app, caller, env, work, dialogue, docs }, args as never);
    if (answer instanceof Asked) return answer.reply as CallToolResult;
    const { text, content } = answer;
    return { content: [{ type: "text", text }], structuredContent: content as Record<string, unknown> };
  } catch (error) {
    const refusal = error instanceof Refusal ? error : refusalOf(error);
    env.log.info({ tool: name, app: app.id, user: user.id, code: refusal.code }, "a tool was refused");
    return errorResult(textOf(refusal));
  }
}
