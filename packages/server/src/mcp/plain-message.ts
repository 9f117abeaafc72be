import type { IncomingHttpHeaders } from "node:http";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { essenceOf } from "../http/body.ts";
import { JsonText, textOfObject } from "./json-text.ts";
import type { Dialogue } from "./tool-call.ts";
import { KEPT, TOOL_LIST } from "./tool-list.ts";
import { TOOLS } from "./tools.ts";

/*
 * Calls of tools that only read, and requests for the list of tools, are most of the messages to `/mcp`. The package of the protocol takes longer
 * for a message than such a tool for its answer. So a message that is plainly right is answered without it. Everything else goes to the package,
 * which knows all rules and errors of the protocol.
 */

/** The revision with an envelope in each message, and the revisions before it that answer in the same form. */
const REVISION = "2026-07-28";
const EARLIER_REVISIONS: ReadonlySet<string | undefined> = new Set(["2025-11-25", "2025-06-18", undefined]);

/** The name by which the service describes itself to programs. */
export const SERVER_INFO = { name: "easel", title: "Easel", version: "1" } as const;

/** The fields of the envelope of a message, and of its answer. */
export const ENVELOPE = {
  revision: "io.modelcontextprotocol/protocolVersion",
  client: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  server: "io.modelcontextprotocol/serverInfo",
} as const;

/** The names of the tools that change nothing. They never ask the person. */
const READERS = new Set(TOOLS.filter(({ hints }) => hints.readOnlyHint).map(({ name }) => name));

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasOnly = (fields: Fields, names: readonly string[]): boolean =>
  Object.keys(fields).every((name) => names.includes(name));

/** Whether the envelope of a message is one that the protocol accepts, in a message of 2026-07-28 or before. */
function isEnvelope(meta: unknown): meta is Fields {
  if (!isObject(meta)) return false;
  const { [ENVELOPE.revision]: revision, [ENVELOPE.client]: client, [ENVELOPE.capabilities]: able } = meta;
  return (
    (revision === undefined || revision === REVISION) &&
    (client === undefined ||
      (isObject(client) && typeof client.name === "string" && typeof client.version === "string")) &&
    (able === undefined || (isObject(able) && Object.values(able).every(isObject)))
  );
}

/** What a message asks for: a tool that is called with arguments, or the list of tools. */
type Asked = { name: string; arguments: Fields | undefined } | "list";

/** Returns what the parameters of a message ask for; undefined if the package has to read them. */
function askedIn(method: unknown, params: Fields): Asked | undefined {
  if (method === "tools/list") return hasOnly(params, ["_meta"]) ? "list" : undefined;
  if (method !== "tools/call" || !hasOnly(params, ["name", "arguments", "_meta"])) return undefined;
  const { name, arguments: given } = params;
  if (typeof name !== "string" || !READERS.has(name)) return undefined;
  return given === undefined || isObject(given) ? { name, arguments: given } : undefined;
}

/** Returns the parts of a message that asks for the list of tools or for a tool which only reads; undefined for every other message. */
function partsOf(message: unknown) {
  if (!isObject(message) || !hasOnly(message, ["jsonrpc", "id", "method", "params"])) return undefined;
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== "2.0" || !(typeof id === "string" || Number.isSafeInteger(id))) return undefined;
  if (!isObject(params)) return undefined;
  const { _meta: meta = {} } = params;
  const asked = askedIn(method, params);
  return asked !== undefined && isEnvelope(meta) ? { id, method, asked, meta } : undefined;
}

/** The fields of a result of 2026-07-28 with which a call is over. */
const COMPLETE = { resultType: "complete", _meta: { [ENVELOPE.server]: SERVER_INFO } } as const;

/** Returns the response to the message `id` as JSON text. */
const responseTo = (id: unknown, result: object): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${textOfObject(result)}}`;

const TOOL_LIST_TEXT = new JsonText(JSON.stringify(TOOL_LIST));

/** What a tool that never asks has of the dialogue with the program. */
export const NO_DIALOGUE: Dialogue = {
  responses: undefined,
  state: undefined,
  asksByForm: false,
  asksByPage: false,
};

/** Calls a tool. */
type Call = (params: { name: string; arguments: Fields | undefined }) => Promise<CallToolResult>;

/**
 * Answers a POST request if it plainly asks for the list of tools or for a tool that only reads: returns the response body, as JSON text. Returns
 * undefined for every other request.
 */
export function answerPlainly(
  body: unknown,
  headers: IncomingHttpHeaders,
  call: Call,
): Promise<string> | undefined {
  const accept = headers.accept ?? "";
  const isSent =
    essenceOf(headers["content-type"]) === "application/json" &&
    accept.includes("application/json") &&
    accept.includes("text/event-stream");
  const parts = isSent ? partsOf(body) : undefined;
  if (parts === undefined) return undefined;
  const { id, method, asked, meta } = parts;
  const { [ENVELOPE.revision]: claimed, [ENVELOPE.capabilities]: capabilities } = meta;
  const revision = headers["mcp-protocol-version"] as string | undefined;
  const isCurrent = claimed !== undefined;
  const agrees = isCurrent
    ? capabilities !== undefined &&
      revision === claimed &&
      headers["mcp-method"] === method &&
      headers["mcp-name"] === (asked === "list" ? undefined : asked.name)
    : EARLIER_REVISIONS.has(revision);
  return agrees ? respond(id, asked, isCurrent, call) : undefined;
}

/** Answers the message `id`. `isCurrent`: in the form of 2026-07-28. */
async function respond(id: unknown, asked: Asked, isCurrent: boolean, call: Call): Promise<string> {
  const complete = isCurrent ? COMPLETE : {};
  if (asked === "list") return responseTo(id, { tools: TOOL_LIST_TEXT, ...(isCurrent && KEPT), ...complete });
  const { structuredContent, ...result } = await call(asked);
  if (!isObject(structuredContent)) return responseTo(id, { ...result, ...complete });
  const content = new JsonText(textOfObject(structuredContent));
  return responseTo(id, { structuredContent: content, ...result, ...complete });
}
