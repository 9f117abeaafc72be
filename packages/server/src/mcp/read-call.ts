import type { IncomingHttpHeaders } from "node:http";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { essenceOf } from "../http/body.ts";
import { textOfObject } from "./json-text.ts";
import type { Dialogue } from "./tool-call.ts";
import { TOOLS } from "./tools.ts";

/*
 * Calls of tools that only read are most of the requests to `/mcp`, and the package of the protocol takes longer for a message than such a tool
 * for its answer. So a call that is plainly right is answered without it. Everything else goes to the package, which knows all rules and errors
 * of the protocol.
 */

/** The revision with an envelope in each message, and the revisions before it that answer in the same form. */
const REVISION = "2026-07-28";
const EARLIER_REVISIONS: ReadonlySet<string | undefined> = new Set(["2025-11-25", "2025-06-18", undefined]);

/** The name by which the service describes itself to programs. */
export const SERVER_INFO = { name: "easel", title: "Easel", version: "1" } as const;

const ENVELOPE = {
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

/** Returns the parts of a message that calls a tool which only reads; undefined for every other message. */
function partsOf(message: unknown) {
  if (!isObject(message) || !hasOnly(message, ["jsonrpc", "id", "method", "params"])) return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0" || method !== "tools/call") return undefined;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  if (!isObject(params) || !hasOnly(params, ["name", "arguments", "_meta"])) return undefined;
  const { name, arguments: given, _meta: meta = {} } = params;
  if (typeof name !== "string" || !READERS.has(name) || !isEnvelope(meta)) return undefined;
  if (given !== undefined && !isObject(given)) return undefined;
  return { id, method, params: { name, arguments: given }, meta };
}

/** A call of a tool that only reads. */
export interface ReadCall {
  /** The arguments of `tools/call`. */
  params: { name: string; arguments: Fields | undefined };
  /** Returns the response body for a result as JSON text. */
  answer(result: CallToolResult): string;
}

/** What a tool that never asks has of the dialogue with the program. */
export const NO_DIALOGUE: Dialogue = {
  responses: undefined,
  state: undefined,
  asksByForm: false,
  asksByPage: false,
};

/** Returns the call of a tool that only reads, if a POST request is plainly one. Otherwise returns undefined. */
export function readCallOf(body: unknown, headers: IncomingHttpHeaders): ReadCall | undefined {
  const accept = headers.accept ?? "";
  const isSent =
    essenceOf(headers["content-type"]) === "application/json" &&
    accept.includes("application/json") &&
    accept.includes("text/event-stream");
  const parts = isSent ? partsOf(body) : undefined;
  if (parts === undefined) return undefined;
  const { id, method, params, meta } = parts;
  const { [ENVELOPE.revision]: claimed, [ENVELOPE.capabilities]: capabilities } = meta;
  const revision = headers["mcp-protocol-version"] as string | undefined;
  if (claimed === undefined)
    return EARLIER_REVISIONS.has(revision) ? { params, answer: (result) => textOf(id, result) } : undefined;
  const agrees =
    capabilities !== undefined &&
    revision === claimed &&
    headers["mcp-method"] === method &&
    headers["mcp-name"] === params.name;
  return agrees ? { params, answer: (result) => textOf(id, { ...result, ...COMPLETE }) } : undefined;
}

/** The fields of a result of 2026-07-28 with which a call is over. */
const COMPLETE = { resultType: "complete", _meta: { [ENVELOPE.server]: SERVER_INFO } } as const;

/** Returns the response to the message `id` as JSON text. */
function textOf(id: unknown, { structuredContent, ...result }: CallToolResult): string {
  const content = structuredContent ? `"structuredContent":${textOfObject(structuredContent)},` : "";
  const rest = JSON.stringify(result).slice(1);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${content}${rest}}`;
}
