import type { DataSummary } from "@easel/protocol/management";
import { z } from "zod";
import type { Canvas } from "../../canvases/access-lookup.ts";
import { refuse } from "../../http/refusal.ts";
import { actNamed } from "../../management/acts.ts";
import type { Input } from "../../operations/operation.ts";
import { splitPage } from "../../primitives/streamed-list.ts";
import { ANSWER_BYTES, fittingPage, more, textPart } from "../answer-text.ts";
import { findMeant } from "../canvas-reference.ts";
import { JsonText } from "../json-text.ts";
import { readJson, readJsonText } from "../runtime-json.ts";
import { type ToolAnswer, tool } from "../tool.ts";
import { perform, type ToolCall } from "../tool-call.ts";
import { bounded, isVisible, NOTICE, visibleJson } from "../untrusted.ts";

const summaryAct = actNamed<DataSummary>("canvas.data");

const input = z.strictObject({
  canvas: z.string(),
  what: z.enum(["summary", "keys", "own_keys", "records", "submissions", "files"]).optional(),
  name: z.string().describe("Of a collection or file group.").optional(),
  key: z.string().describe("One value: a key, record id, or user id of a submission.").optional(),
  prefix: z.string().describe("Of keys.").optional(),
  where: z.record(z.string(), z.unknown()).describe('{"value.votes": {"gte": 3}}').optional(),
  orderBy: z.string().describe("createdAt, updatedAt or value.{field}; - reverses.").optional(),
  next: z.string().optional(),
});

type Args = z.output<typeof input>;
type Entry = Record<string, unknown>;
type Query = Input["query"];

const output = z.object({
  notice: z.string(),
  summary: z.unknown().optional(),
  entries: z.array(z.unknown()).optional(),
  value: z.unknown().optional(),
  next: z.string().nullable(),
});

/** What can be read: the operation that lists it, and the one that reads a single value. */
interface Source {
  list: string;
  one?: string;
  /** The path parameters and the query of the list. */
  asked(args: Args): { params?: Record<string, string>; query?: Query };
  /** The name of the path parameter of a single value. */
  by?: string;
  /** The name in path parameters of the collection. */
  of?: string;
  /** The property of the entries in a list. */
  entries: "entries" | "files";
}

const keys = (name: "kv" | "kv.user"): Source => ({
  list: `${name}.list`,
  one: `${name}.get`,
  by: "key",
  entries: "entries",
  asked: ({ prefix }) => ({ query: { prefix } }),
});

const SOURCES: Record<Exclude<NonNullable<Args["what"]>, "summary">, Source> = {
  keys: keys("kv"),
  own_keys: keys("kv.user"),
  records: {
    list: "record.list",
    one: "record.get",
    by: "id",
    of: "name",
    entries: "entries",
    asked: ({ where, orderBy }) => ({
      query: {
        ...(where !== undefined && { where: JSON.stringify(where) }),
        ...(orderBy !== undefined && { orderBy }),
      },
    }),
  },
  submissions: { list: "submission.list", of: "collection", entries: "entries", asked: () => ({}) },
  files: { list: "file.list", entries: "files", asked: ({ name }) => ({ query: { group: name } }) },
};

/** The longest value in a list, in characters of JSON. Longer ones are cut there, and read alone. */
const VALUE_LENGTH = 2_000;
/** The most entries of an answer, and the numbers that are tried instead while the entries are larger than an answer could be. */
const LIMITS = [100, 20, 4, 1] as const;
/** The size in bytes up to which entries are read that are not shown. Longer lists are read again with fewer entries. */
const READ_BYTES = 256 * 1024;

/** Returns an entry of a list as it is shown: a long value only with its size and its beginning. */
function shown(entry: Entry): Entry {
  const { value, ...rest } = entry;
  const text = JSON.stringify(value) ?? "";
  return text.length <= VALUE_LENGTH
    ? entry
    : { ...rest, valueBytes: Buffer.byteLength(text), valueStart: Array.from(text.slice(0, 500)).join("") };
}

/** The path parameters of a list or a value in it. Throws 400 `INVALID_BODY` without the name of a collection. */
function paramsOf({ of }: Source, { name, what }: Args): Record<string, string> {
  if (of === undefined) return {};
  return {
    [of]:
      name ??
      refuse("INVALID_BODY", { message: `\`${what}\` needs the \`name\` of a collection.`, field: "name" }),
  };
}

const NONE = "There is nothing that your person may read there.";

/** A list of a canvas that is read. */
interface Listed {
  call: ToolCall;
  canvas: Canvas;
  source: Source;
  args: Args;
}

/** The JSON texts of entries, separated by commas, and where the next page begins; null at the end. */
type Page = ReturnType<typeof splitPage>;

/** Reads at most `limit` entries. Returns null if there is more text than is worth reading. */
async function readPage({ call, canvas, source, args }: Listed, limit: number): Promise<Page | null> {
  const query = { ...source.asked(args).query, cursor: args.next, limit: String(limit) };
  const given = { params: paramsOf(source, args), query };
  const room = limit === 1 ? Number.POSITIVE_INFINITY : READ_BYTES;
  const page = await readJsonText(call, canvas, source.list, given, room);
  return page === null ? null : splitPage(page, source.entries);
}

/** Reads a page of a list as it is shown, with fewer entries the larger they are. `first` is the page with the most entries. */
async function readEntries(
  listed: Listed,
  limit: number,
  first: Page | null,
): Promise<{ entries: Entry[]; next: string | null }> {
  for (const fewer of [limit, ...LIMITS.filter((each) => each < limit)]) {
    const page = fewer === LIMITS[0] ? first : await readPage(listed, fewer);
    if (page === null) continue;
    const entries = JSON.parse(`[${page.entries}]`) as Entry[];
    return { entries: entries.map(shown), next: page.nextCursor };
  }
  throw new Error("a page of one entry has been read");
}

/** Reads a list. Entries that fit into an answer are shown as they are stored. */
async function readList(listed: Listed): Promise<ToolAnswer<z.input<typeof output>>> {
  const [limit] = LIMITS;
  const page = await readPage(listed, limit);
  if (page !== null && Buffer.byteLength(page.entries) <= ANSWER_BYTES && isVisible(page.entries)) {
    const { entries, nextCursor: next } = page;
    const text = entries === "" ? NONE : bounded(`[${entries}]`) + more(next);
    return { text, content: { notice: NOTICE, entries: new JsonText(`[${entries}]`), next } };
  }
  const read = (most: number) => readEntries(listed, most, page);
  const { entries, lines, next } = await fittingPage(limit, read, visibleJson);
  const isCut = entries.some((each) => "valueStart" in each);
  const hint = isCut ? "\n`valueStart` begins a long value: read the whole with `key`." : "";
  return { text: bounded(lines.join("\n")) + hint + more(next), content: { notice: NOTICE, entries, next } };
}

/** Reads one value. Throws 404 `NOT_FOUND` if there is none. */
async function readOne(
  call: ToolCall,
  canvas: Canvas,
  source: Source,
  args: Args,
  key: string,
): Promise<Entry> {
  const params = paramsOf(source, args);
  if (source.one !== undefined && source.by !== undefined) {
    const found = await readJson<Entry | null>(call, canvas, source.one, {
      params: { ...params, [source.by]: key },
    });
    return found ?? refuse("NOT_FOUND");
  }
  if (args.what === "files")
    refuse("INVALID_BODY", { message: "The contents of files are not read here.", field: "key" });
  // Submissions have no operation that reads one of somebody else. It is among the first after the beginning of the id.
  const query = { cursor: key.slice(0, -1), limit: "100" };
  const page = await readJson<{ entries: Entry[] }>(call, canvas, source.list, { params, query });
  return page.entries.find(({ userId }) => userId === key) ?? refuse("NOT_FOUND");
}

export const readData = tool({
  name: "read_data",
  title: "Read data",
  description: "Reads what is stored, with the rights of your person. By default a summary.",
  scope: "read",
  hints: { readOnlyHint: true },
  input,
  output,
  async run(call, args) {
    const { what = "summary", key } = args;
    const canvas = await findMeant(call, args.canvas);
    if (what === "summary") {
      const summary = await perform(call, summaryAct, { params: { id: canvas.id } });
      const part = textPart(visibleJson(summary), args.next);
      const text = `${bounded(part.text)}\nRead parts with \`what\`.${more(part.next)}`;
      return { text, content: { notice: NOTICE, summary, next: part.next } };
    }
    const source = SOURCES[what];
    if (key !== undefined) {
      const { next: given, ...asked } = args;
      const entry = await readOne(call, canvas, source, asked, key);
      const part = textPart(visibleJson(entry), given);
      const value = given === undefined && part.next === null ? entry : part.text;
      return {
        text: bounded(part.text) + more(part.next),
        content: { notice: NOTICE, value, next: part.next },
      };
    }
    return readList({ call, canvas, source, args });
  },
});
