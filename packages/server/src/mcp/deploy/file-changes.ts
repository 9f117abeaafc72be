import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { VersionFile } from "@easel/protocol/types";
import { z } from "zod";
import type { Work } from "../../async/work.ts";
import { refuse } from "../../http/refusal.ts";
import { quoted } from "../untrusted.ts";
import { type Edit, editText, MAX_EDITED_LENGTH } from "./edit-text.ts";

/** The maximum number of files that one call changes, and of edits of one file. */
const MAX_FILES = 250;
const MAX_EDITS = 100;
/** The maximum size of the changed files together, in bytes: twice that of a request, because edits send only parts of files. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A change of a file. Exactly one of `text`, `edits`, `base64` and `delete` says what becomes of it. */
const fileChange = z.strictObject({
  path: z.string(),
  text: z.string().optional(),
  edits: z
    .array(z.strictObject({ old: z.string(), new: z.string(), all: z.boolean().optional() }))
    .optional(),
  base64: z.string().optional(),
  delete: z.boolean().optional(),
});

/** The changes of files that one call makes. Their numbers are checked when they are applied, because every program reads the schema. */
export const fileChanges = z.array(fileChange);

type FileChange = z.output<typeof fileChange>;

/** A file of a version to store. `sha256` is the hash of its bytes. */
export interface ListedFile {
  path: string;
  sha256: string;
  size: number;
}

/** The files of a version to store, and the bytes of those that have been changed, by their hashes. */
export interface ChangedFiles {
  files: ListedFile[];
  contents: Map<string, Buffer>;
  /** Whether any file differs from those that were there before. */
  changed: boolean;
}

/** The files that changes begin with. */
export interface Base {
  /** The id of their version; null for no files. */
  version: string | null;
  files: readonly VersionFile[];
  /** Reads the bytes of one of the files. */
  read(path: string): Promise<Buffer>;
}

const invalid = (message: string, hint?: string): never =>
  refuse("INVALID_BODY", { message, ...(hint !== undefined && { hint }) });

const NOTHING = "Nothing was changed.";

/** Throws unless a change says in exactly one way what becomes of its file. */
function requireOneWay({ path, text, edits, base64, delete: isDeleted }: FileChange): void {
  const ways = [text, edits, base64, isDeleted || undefined].filter((way) => way !== undefined).length;
  if (ways !== 1)
    invalid(`${quoted(path)} needs exactly one of \`text\`, \`edits\`, \`base64\` and \`delete\`.`, NOTHING);
}

/** Decodes base64. Throws for other text, which a decoder would skip without a word. */
function decoded(path: string, base64: string): Buffer {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
    invalid(`\`base64\` of ${quoted(path)} is not base64 with padding.`, NOTHING);
  return Buffer.from(base64, "base64");
}

/** Encodes a text as UTF-8. Throws for half of a surrogate pair, which no file of text can have. */
function encoded(path: string, text: string): Buffer {
  if (!text.isWellFormed()) invalid(`The text of ${quoted(path)} is not well-formed Unicode.`, NOTHING);
  return Buffer.from(text);
}

/** Returns the file of a path. Throws 404 `NOT_FOUND` if there is none. */
function requireFile(path: string, files: ReadonlyMap<string, ListedFile>): ListedFile {
  return (
    files.get(path) ??
    refuse("NOT_FOUND", {
      message: `There is no file ${quoted(path)} to change.`,
      hint: `${NOTHING} \`read_files\` lists the files; \`text\` makes a new one.`,
    })
  );
}

/** Makes the edits of a file one after the other. Throws 400 `INVALID_BODY` with the number of the edit that cannot be made. */
async function edited(path: string, bytes: Buffer, edits: Edit[], work: Work): Promise<Buffer> {
  if (edits.length === 0 || edits.length > MAX_EDITS)
    invalid(`${quoted(path)} has ${edits.length} edits: send 1 to ${MAX_EDITS}, or the file whole.`, NOTHING);
  if (!isUtf8(bytes))
    invalid(`${quoted(path)} is not a text file. Send \`base64\` instead of edits.`, NOTHING);
  let text = bytes.toString("utf8");
  for (const [index, edit] of edits.entries()) {
    const result = await editText(text, edit, work);
    if ("fault" in result)
      return invalid(
        `Edit ${index + 1} of ${quoted(path)}: the \`old\` text ${result.fault}.`,
        `${NOTHING} Copy the text exactly from \`read_files\`, with enough around it to be unique, or set \`all\`.`,
      );
    text = result.text;
    await work.pause();
  }
  return encoded(path, text);
}

/** Returns the bytes that a change gives to a file. */
async function bytesOf(
  { path, text, edits, base64 }: FileChange,
  files: ReadonlyMap<string, ListedFile>,
  base: Base,
  work: Work,
): Promise<Buffer> {
  if (text !== undefined) return encoded(path, text);
  if (base64 !== undefined) return decoded(path, base64);
  const { size } = requireFile(path, files);
  if (size > MAX_EDITED_LENGTH)
    invalid(`${quoted(path)} is larger than 1 MiB, too large for edits. Send it whole.`, NOTHING);
  return edited(path, await base.read(path), edits ?? [], work);
}

/** Deletes a file, or if the path ends with a slash, all files of a folder. Throws 404 `NOT_FOUND` if there is none. */
function deleteFiles(path: string, files: Map<string, ListedFile>): void {
  if (!path.endsWith("/")) requireFile(path, files);
  const deleted = path.endsWith("/") ? [...files.keys()].filter((each) => each.startsWith(path)) : [path];
  if (deleted.length === 0) requireFile(path, files);
  for (const each of deleted) files.delete(each);
}

const INDEX = "index.html";

/**
 * Removes an `index.html` that the deploy of a bundle without one has made of its only page, if a change gives this page other bytes. The
 * next deploy makes it again.
 */
function dropCopiedIndex(changes: FileChange[], files: Map<string, ListedFile>): void {
  const index = files.get(INDEX);
  if (index === undefined || changes.some(({ path }) => path === INDEX)) return;
  const pages = [...files.values()].filter(({ path }) => path !== INDEX && /\.html?$/i.test(path));
  const [page] = pages;
  const isCopy = pages.length === 1 && page?.sha256 === index.sha256 && !page.path.includes("/");
  if (isCopy && changes.some(({ path, delete: gone }) => path === page.path && gone !== true))
    files.delete(INDEX);
}

/**
 * Applies changes to files, in their order. Bytes of unchanged files are not read. Throws 400 `INVALID_BODY` or 404 `NOT_FOUND` with the path
 * and the reason if a change cannot be made; then none is.
 */
export async function applyChanges(changes: FileChange[], base: Base, work: Work): Promise<ChangedFiles> {
  const before = new Map(base.files.map(({ path, sha256, size }) => [path, { path, sha256, size }]));
  const files = new Map<string, ListedFile>(before);
  const contents = new Map<string, Buffer>();
  const seen = new Set<string>();
  let left = MAX_BYTES;
  if (changes.length === 0 || changes.length > MAX_FILES)
    invalid(`Send 1 to ${MAX_FILES} files in one call. For a folder, use \`upload_command\`.`, NOTHING);
  dropCopiedIndex(changes, files);
  await work.pause();
  for (const change of changes) {
    const { path } = change;
    requireOneWay(change);
    if (seen.has(path)) invalid(`${quoted(path)} is changed twice. Send one change for each file.`, NOTHING);
    seen.add(path);
    if (change.delete === true) {
      deleteFiles(path, files);
      continue;
    }
    const bytes = await bytesOf(change, files, base, work);
    left -= bytes.length;
    if (left < 0)
      invalid(
        "The changed files have more than 8 MiB together. Send fewer, or use `upload_command`.",
        NOTHING,
      );
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    await work.pause();
    contents.set(sha256, bytes);
    files.set(path, { path, sha256, size: bytes.length });
  }
  const changed =
    files.size !== before.size ||
    [...files.values()].some(({ path, sha256 }) => before.get(path)?.sha256 !== sha256);
  return { files: [...files.values()], contents, changed };
}
