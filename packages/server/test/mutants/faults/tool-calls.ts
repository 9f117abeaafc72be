import { type Fault, fault } from "../fault.ts";

const MCP = "packages/server/src/mcp";
const PROTOCOL = "packages/server/test/mcp/protocol.test.ts";
const WIDENING = `${MCP}/sharing/widening.test.ts`;
const SHOWN = "packages/server/test/mcp/get-canvas.test.ts";
const GLOBS = `${MCP}/glob.test.ts`;

/** Faults of how calls of tools are read and bounded. */
export const toolCalls: Fault[] = [
  fault(
    "tool calls: any number of values",
    `${MCP}/serve-tools.ts`,
    "new ValueCount(MAX_VALUES)",
    "new ValueCount()",
    PROTOCOL,
  ),
  fault(
    "tool calls: batches",
    `${MCP}/serve-tools.ts`,
    "if (Array.isArray(body)) refuse(",
    "if (false) refuse(",
    PROTOCOL,
  ),
  fault(
    "tool calls: long queries of acts",
    `${MCP}/tool-call.ts`,
    "requireUrlLength(params, query);",
    "",
    PROTOCOL,
  ),
  fault(
    "tool calls: long queries of operations",
    `${MCP}/tool-call.ts`,
    "requireUrlLength(given.params ?? {}, given.query ?? {});",
    "",
    PROTOCOL,
  ),
  fault("tool calls: globs of any length", `${MCP}/glob.ts`, "> MAX_PATTERNS_LENGTH)", "> Infinity)", GLOBS),
  fault("tool calls: globs in one turn", `${MCP}/glob.ts`, "await work.pause();", "", GLOBS),
  fault(
    "tool calls: an address means an id",
    `${MCP}/canvas-reference.ts`,
    "slug: parseCanvasPath(url.pathname)?.slug, id:",
    "slug: parseCanvasPath(url.pathname)?.slug, id: parseCanvasPath(url.pathname)?.slug ??",
    SHOWN,
  ),
  fault(
    "tool calls: guests may stay longer",
    `${MCP}/sharing/widening.ts`,
    " || after.guests.size > 0",
    "",
    WIDENING,
  ),
  fault(
    "tool calls: a canvas keeps the window of a question",
    "packages/server/src/http/html.ts",
    '"cross-origin-opener-policy": "same-origin",',
    "",
    "packages/server/test/mcp/confirm-browser.test.ts",
  ),
  fault(
    "tool calls: easel.json on a public draft",
    `${MCP}/tools/deploy-canvas.ts`,
    "isFirst && !isTooPublic(call, canvas)",
    "isFirst",
    "packages/server/test/mcp/deploy-canvas.test.ts",
  ),
  fault(
    "tool calls: uploads go on where a canvas has become public",
    `${MCP}/upload/receive.ts`,
    "(await callOf(ticket, address, env)).caller",
    "Promise.resolve(caller as never)",
    "packages/server/test/mcp/upload-command.test.ts",
  ),
  fault(
    "tool calls: a preview that a program opens is that of a person",
    "packages/server/src/content/preview.ts",
    "client === null ? null : { client,",
    "client !== null ? null : { client: String(client),",
    SHOWN,
    "packages/server/test/content/preview.test.ts",
  ),
  fault(
    "tool calls: any number of one person at once",
    "packages/server/src/async/pools.ts",
    "runningEach: LATE_BODIES",
    "runningEach: Infinity",
    "packages/server/test/mcp/access.test.ts",
  ),
  fault(
    "tool calls: people wait for each other",
    `${MCP}/serve-tools.ts`,
    "env.lateBodies.run(id,",
    'env.lateBodies.run("all",',
    "packages/server/test/mcp/access.test.ts",
  ),
  fault(
    "tool calls: bodies that come late take no turn",
    `${MCP}/serve-tools.ts`,
    "hasArrived(request.raw) ?",
    "request.raw.readable ?",
    "packages/server/test/mcp/access.test.ts",
  ),
  fault(
    "tool calls: an account that ends while the body arrives is not noticed",
    `${MCP}/serve-tools.ts`,
    "sender.turn === env.turns.current",
    "sender.turn <= env.turns.current",
    "packages/server/test/mcp/access.test.ts",
  ),
  fault(
    "tool calls: people find canvases on which they have no role",
    `${MCP}/canvas-reference.ts`,
    "if (!hasRole || canvas.deletedAt !== null",
    "if (canvas === null || canvas.deletedAt !== null",
    "packages/server/test/mcp/read-data.test.ts",
  ),
  fault(
    "tool calls: a list is shown with characters that nobody sees",
    `${MCP}/untrusted.ts`,
    "|| text.search(INVISIBLE) === -1",
    "|| true",
    "packages/server/test/mcp/read-data.test.ts",
  ),
  fault(
    "tool calls: the changes of write_data have no rate limit",
    `${MCP}/tools/write-data.ts`,
    "await limitChanges(call);",
    "",
    "packages/server/test/mcp/write-data.test.ts",
  ),
  fault(
    "tool calls: a second refusal is forgotten",
    "packages/server/src/identity/used-tickets.ts",
    "where used_tickets.expires_at <=",
    "where 1 = 0 *",
    "packages/server/test/mcp/confirmation.test.ts",
  ),
];
