// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const MCP = "packages/server/src/mcp";
const UNTRUSTED = `${MCP}/untrusted.ts`;
const ANSWERS = `${MCP}/answer-text.ts`;
const CALL = `${MCP}/tool-call.ts`;
const REFERENCE = `${MCP}/canvas-reference.ts`;
const FILE_TEXT = `${MCP}/file-text.ts`;
const DATA = `${MCP}/tools/read-data.ts`;
const FILES = `${MCP}/tools/read-files.ts`;

const TESTS = "packages/server/test/mcp";
const UNTRUSTED_TEST = `${MCP}/untrusted.test.ts`;
const FILE_TEXT_TEST = `${MCP}/file-text.test.ts`;
const INJECTION_TEST = `${TESTS}/injection.test.ts`;
const RIGHTS_TEST = `${TESTS}/rights.test.ts`;
const LIST_TEST = `${TESTS}/list-canvases.test.ts`;
const DATA_TEST = `${TESTS}/read-data.test.ts`;

/** Faults of the tools that read, and of what they show of stored data. */
export const mcpReading: Fault[] = [
  fault(
    "tools: invisible characters of others are shown as they are",
    UNTRUSTED,
    ".replaceAll(INVISIBLE, escaped)",
    "",
    UNTRUSTED_TEST,
  ),
  fault(
    "tools: the boundary of a block is known",
    UNTRUSTED,
    'boundary = randomUUID().replaceAll("-", "");',
    'boundary = "0".repeat(32);',
    UNTRUSTED_TEST,
  ),
  fault(
    "tools: a block does not say that it is data",
    UNTRUSTED,
    "return `${NOTICE} It ends",
    "return `It ends",
    UNTRUSTED_TEST,
  ),
  fault("tools: quoted titles are not cut", UNTRUSTED, "characters.length > QUOTED", "false", UNTRUSTED_TEST),
  fault(
    "tools: the list of canvases has titles as they are",
    `${MCP}/tools/list-canvases.ts`,
    "quoted(canvas.title)",
    '`"${canvas.title}"`',
    INJECTION_TEST,
  ),
  fault(
    "tools: a canvas is shown with its title as it is",
    `${MCP}/tools/get-canvas.ts`,
    "`${quoted(canvas.title)} ${canvas.url}`",
    '`"${canvas.title}" ${canvas.url}`',
    INJECTION_TEST,
  ),
  fault(
    "tools: stored data stands outside of a block",
    DATA,
    'bounded(lines.join("\\n")) + hint',
    'lines.join("\\n") + hint',
    DATA_TEST,
  ),
  fault(
    "tools: the text of a file stands outside of a block",
    FILES,
    "lines ${part.from} to ${part.to}:\\n${bounded(part.text)}`",
    "lines ${part.from} to ${part.to}:\\n${part.text}`",
    `${TESTS}/read-files.test.ts`,
  ),
  fault(
    "tools: the name of a file is shown as it is",
    FILES,
    "return `${quoted(path)}, ${size} bytes, lines",
    'return `"${path}", ${size} bytes, lines',
    INJECTION_TEST,
  ),
  fault(
    "tools: errors of a page stand outside of a block",
    `${MCP}/tools/read-errors.ts`,
    'bounded(lines.join("\\n"))',
    'lines.join("\\n")',
    `${TESTS}/read-errors.test.ts`,
  ),
  fault(
    "tools: answers have no limit",
    ANSWERS,
    "ANSWER_BYTES = 20 * 1024",
    "ANSWER_BYTES = 2000 * 1024",
    DATA_TEST,
  ),
  fault(
    "tools: what does not fit into an answer is lost",
    ANSWERS,
    "fits < lines.length ? fittingPage(fits, read, lineOf)",
    "fits < lines.length ? { entries: entries.slice(0, fits), lines: lines.slice(0, fits), next }",
    DATA_TEST,
  ),
  fault(
    "tools: a part of a text ends within a character",
    ANSWERS,
    "(bytes[end] ?? 0) & 0xc0) === 0x80",
    "(bytes[end] ?? 0) & 0xc0) === 0x7f",
    FILE_TEXT_TEST,
  ),
  fault("tools: a file with NUL counts as text", FILE_TEXT, 'piece.includes("\\0")', "false", FILE_TEXT_TEST),
  fault(
    "tools: a file that is no UTF-8 counts as text",
    FILE_TEXT,
    "fatal: true",
    "fatal: false",
    FILE_TEXT_TEST,
  ),
  fault(
    "tools: a file is read to its end",
    FILE_TEXT,
    "return Buffer.byteLength(this.#text) <= this.#room;",
    "return this.#text.length < 1_000_000;",
    FILE_TEXT_TEST,
  ),
  fault(
    "tools: next of a file reads the version that is published now",
    FILES,
    "const version = continued ?? args.version ??",
    "const version = args.version ??",
    `${TESTS}/read-files.test.ts`,
  ),
  fault(
    "tools: a connection for one canvas finds others",
    REFERENCE,
    "if (app.canvasId !== null && app.canvasId !== canvasId) return false;",
    "",
    RIGHTS_TEST,
  ),
  fault(
    "tools: a connection for canvases of its own finds others",
    REFERENCE,
    "return !app.ownOnly || hasMade(app, caller.user.id, canvasId, env);",
    "return true;",
    RIGHTS_TEST,
  ),
  fault(
    "tools: a connection for canvases of its own lists others",
    CALL,
    "...(ownOnly && { madeBy: clientId })",
    "",
    LIST_TEST,
  ),
  fault(
    "tools: a connection lists what other programs have made",
    "packages/server/src/canvases/lists.ts",
    "where user_id = ${user.id} and client_id = ${madeBy})",
    "where user_id = ${user.id} and client_id <> ${`${madeBy}x`})",
    LIST_TEST,
  ),
  fault(
    "tokens: a read token performs acts that change something",
    "packages/server/src/management/callers.ts",
    "givesReading === true",
    "givesReading !== false",
    "packages/server/test/identity/token-scopes.test.ts",
  ),
  fault(
    "tools: a resource is any page of the service",
    `${MCP}/protocol.ts`,
    "if (found === undefined) throw new ResourceNotFoundError(uri);",
    "if (found === undefined) return { contents: [] };",
    `${TESTS}/guide.test.ts`,
  ),
  fault(
    "tools: a call is answered although its headers name another tool",
    `${MCP}/plain-message.ts`,
    '(asked === "list" ? undefined : asked.name)',
    'headers["mcp-name"]',
    `${TESTS}/protocol.test.ts`,
  ),
];
