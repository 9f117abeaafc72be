import type { IncomingHttpHeaders } from "node:http";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { essenceOf } from "../http/body.ts";
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
const READERS = TOOLS.filter(({ hints }) => hints.readOnlyHint).map(({ name }) => name);

const meta = z.looseObject({
  [ENVELOPE.revision]: z.literal(REVISION).optional(),
  [ENVELOPE.client]: z.looseObject({ name: z.string(), version: z.string() }).optional(),
  [ENVELOPE.capabilities]: z.record(z.string(), z.looseObject({})).optional(),
});

const message = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.int()]),
  method: z.literal("tools/call"),
  params: z.strictObject({
    name: z.enum(READERS),
    arguments: z.record(z.string(), z.unknown()).optional(),
    _meta: meta.optional(),
  }),
});

/** A call of a tool that only reads. */
export interface ReadCall {
  /** The arguments of `tools/call`. */
  params: { name: string; arguments?: Record<string, unknown> | undefined };
  /** Returns the response body for a result. */
  answer(result: CallToolResult): object;
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
  const parsed = isSent ? message.safeParse(body) : undefined;
  if (!parsed?.success) return undefined;
  const { id, params, method } = parsed.data;
  const { [ENVELOPE.revision]: claimed, [ENVELOPE.capabilities]: capabilities } = params._meta ?? {};
  const revision = headers["mcp-protocol-version"] as string | undefined;
  if (claimed === undefined)
    return EARLIER_REVISIONS.has(revision)
      ? { params, answer: (result) => ({ jsonrpc: "2.0", id, result }) }
      : undefined;
  const agrees =
    capabilities !== undefined &&
    revision === claimed &&
    headers["mcp-method"] === method &&
    headers["mcp-name"] === params.name;
  return agrees
    ? { params, answer: (result) => ({ jsonrpc: "2.0", id, result: { ...result, ...COMPLETE } }) }
    : undefined;
}

/** The fields of a result of 2026-07-28 with which a call is over. */
const COMPLETE = { resultType: "complete", _meta: { [ENVELOPE.server]: SERVER_INFO } } as const;
