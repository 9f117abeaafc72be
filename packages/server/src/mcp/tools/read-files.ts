import type { VersionFile, VersionFiles } from "@easel/protocol/types";
import { z } from "zod";
import { publishedVersion } from "../../canvases/publication-status.ts";
import { refuse } from "../../http/refusal.ts";
import type { StoredBytes } from "../../management/act.ts";
import { actNamed } from "../../management/acts.ts";
import { ANSWER_BYTES, fittingPage, more } from "../answer-text.ts";
import { findMeant } from "../canvas-reference.ts";
import { type FileText, type Place, readText } from "../file-text.ts";
import { matchingFiles } from "../glob.ts";
import { tool } from "../tool.ts";
import { perform, type ToolCall } from "../tool-call.ts";
import { bounded, NOTICE, quoted, visibleJson } from "../untrusted.ts";

const filesAct = actNamed<VersionFiles>("canvas.version-files");
const fileAct = actNamed<StoredBytes>("canvas.version-file");

/** The most files of a list. */
const LISTED = 500;
/** The smallest room in bytes in which a further file is begun. */
const LEAST_ROOM = 1_000;

/** The most bytes that are read of a file at once. With less work left, no further file is begun. */
const MOST_IN_A_CHUNK = 64 * 1024;

/** The most patterns of a call, and the longest of them in characters. */
const MAX_PATTERNS = 20;
const MAX_PATTERN = 250;

const input = z.strictObject({
  canvas: z.string(),
  version: z.string().describe("By default the published one.").optional(),
  paths: z
    .array(z.string().max(MAX_PATTERN))
    .max(MAX_PATTERNS)
    .describe("Paths or globs; without, a list.")
    .optional(),
  from: z.int().min(1).optional(),
  to: z.int().min(1).describe("Lines `from` to `to`.").optional(),
  next: z.string().optional(),
});

type Args = z.output<typeof input>;

/** A version of a canvas whose files are read. */
interface Subject {
  call: ToolCall;
  params: { id: string; version: string };
}

/** A file with what has been read of it. */
type Read = VersionFile & { part: FileText | null };

/** Parses `next`: the version, and the rest, whose form depends on what is read. */
function parseNext(next: string | undefined): { version?: string; rest?: string } {
  if (next === undefined) return {};
  const [, version, rest] = /^([\w-]{1,128})\/(.*)$/s.exec(next) ?? [];
  if (version === undefined || rest === undefined) return refuseNext();
  return { version, rest };
}

const refuseNext = (): never =>
  refuse("INVALID_BODY", { message: "`next` is not of this answer.", field: "next" });

/** Lists files with their sizes and types. */
async function listed({ call, params }: Subject, cursor: string | undefined) {
  const read = async (limit: number) => {
    const page = await perform(call, filesAct, { params, query: { cursor, limit: String(limit) } });
    return { entries: page.files, next: page.nextCursor };
  };
  const lineOf = ({ path, size, mime }: VersionFile) => `${visibleJson(path)} ${size} bytes, ${mime}`;
  const { entries, lines, next } = await fittingPage(LISTED, read, lineOf);
  const files = entries.map(({ path, size, mime }) => ({ path, size, mime }));
  return { files, text: lines.length === 0 ? "The version has no files." : bounded(lines.join("\n")), next };
}

/** Where reading goes on: in a file, which is named because files before it have been read. */
interface Position extends Place {
  path: string;
}

function parsePosition(rest: string | undefined): Position {
  if (rest === undefined) return { offset: 0, line: 1, path: "" };
  const [, offset, line, path] = /^(\d{1,12}):(\d{1,12}):(.+)$/s.exec(rest) ?? [];
  return path === undefined ? refuseNext() : { offset: Number(offset), line: Number(line), path };
}

/** Reads one file from a place on. */
async function readOne(
  { call, params }: Subject,
  file: VersionFile,
  start: Place,
  { from = 1, to }: Args,
  room: number,
): Promise<Read> {
  if (file.size === 0) return { ...file, part: { text: "", from: 1, to: 1, next: null } };
  const headers = start.offset === 0 ? {} : { range: `bytes=${start.offset}-` };
  const { open } = await perform(call, fileAct, { params, query: { path: file.path }, headers });
  if (open === null) throw new Error("a request without conditions gets all bytes");
  const range = { first: from, last: to ?? Number.POSITIVE_INFINITY };
  return { ...file, part: await readText(await open(), start, range, room, call.work) };
}

/** Reads the files that match, one after the other, until an answer is full. */
async function contentsOf(subject: Subject, args: Args, rest: string | undefined) {
  const begin = parsePosition(rest);
  const { work } = subject.call;
  const { files } = await perform(subject.call, filesAct, { params: subject.params });
  const { wanted: matching, missing } = await matchingFiles(files, args.paths ?? [], work);
  const wanted = matching.filter(({ path }) => path >= begin.path);
  if (wanted.length === 0)
    refuse("NOT_FOUND", {
      message: `The version has no file ${missing.map((each) => quoted(each)).join(", ")}.`,
      hint: "Call `read_files` without `paths` for the list.",
    });
  const read: Read[] = [];
  let room = ANSWER_BYTES;
  let next: Position | null = null;
  for (const file of wanted) {
    const start = file.path === begin.path ? begin : { offset: 0, line: 1 };
    const isFull = room < Math.min(LEAST_ROOM, file.size) || work.left("bytes") < MOST_IN_A_CHUNK;
    if (read.length > 0 && isFull) next = { ...start, path: file.path };
    else {
      const found = await readOne(subject, file, start, args, room);
      read.push(found);
      room -= Buffer.byteLength(found.part?.text ?? "") + file.path.length + 200;
      if (found.part?.next) next = { ...found.part.next, path: file.path };
    }
    if (next !== null) break;
  }
  return { read, missing, next: next && `${next.offset}:${next.line}:${next.path}` };
}

function textOf({ path, size, mime, part }: Read): string {
  if (part === null) return `${quoted(path)}: ${size} bytes, ${mime}, no text.`;
  if (part.text === "" && part.next !== null)
    return `${quoted(path)}, ${size} bytes: line ${part.from} is reached, go on with \`next\`.`;
  if (part.text === "") return `${quoted(path)}: ${size === 0 ? "empty" : "no such lines"}.`;
  return `${quoted(path)}, ${size} bytes, lines ${part.from} to ${part.to}:\n${bounded(part.text)}`;
}

const entryOf = ({ path, size, mime, part }: Read) => ({
  path,
  size,
  mime,
  ...(part === null ? { binary: true } : { text: part.text, from: part.from, to: part.to }),
});

export const readFiles = tool({
  name: "read_files",
  title: "Read files",
  description: "Lists the files of a version, or returns their exact text.",
  scope: "read",
  hints: { readOnlyHint: true },
  input,
  output: z.object({
    version: z.string(),
    notice: z.string(),
    files: z.array(z.unknown()),
    missing: z.array(z.string()).optional(),
    next: z.string().nullable(),
  }),
  async run(call, args) {
    const canvas = await findMeant(call, args.canvas);
    const { version: continued, rest } = parseNext(args.next);
    const version = continued ?? args.version ?? publishedVersion(canvas);
    if (version === null)
      return refuse("NOT_FOUND", {
        message: "No version of this canvas is published.",
        hint: 'Name a `version`: `get_canvas` with `include: ["versions"]` has them.',
      });
    const subject = { call, params: { id: canvas.id, version } };
    const nextOf = (next: string | null) => next && `${version}/${next}`;
    if (args.paths === undefined) {
      const { files, text, next } = await listed(subject, rest);
      return {
        text: text + more(nextOf(next)),
        content: { version, notice: NOTICE, files, next: nextOf(next) },
      };
    }
    const { read, missing, next } = await contentsOf(subject, args, rest);
    const absent =
      missing.length === 0 ? [] : [`There is no ${missing.map((each) => quoted(each)).join(", ")}.`];
    return {
      text: [...read.map(textOf), ...absent].join("\n") + more(nextOf(next)),
      content: {
        version,
        notice: NOTICE,
        files: read.map(entryOf),
        ...(missing.length > 0 && { missing }),
        next: nextOf(next),
      },
    };
  },
});
