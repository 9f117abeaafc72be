import { pipeline } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { LIMITS } from "@easel/protocol/limits";
import type { LeftOut } from "@easel/protocol/types";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { refuse } from "../kit/refusal.ts";
import { hasDotFile, LeftOutList } from "./left-out.ts";

/** One file of a bundle; its bytes can be read once. */
export interface BundleFile {
  /** Relative, with slashes, without `.`, `..` or empty segments. */
  path: string;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** The files of a bundle that are published, and those that are not. `warnings` are sentences for people. */
export interface Bundle {
  files: BundleFile[];
  leftOut: LeftOut[];
  warnings: string[];
}

const MIB = 1024 * 1024;
const FILE_TYPE = 0o170000;
const LINK = 0o120000;

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/** Why a path cannot be served; undefined when it can. */
export function pathFault(path: string): string | undefined {
  if (Buffer.byteLength(path) > LIMITS.bundlePathBytes.value) return "is too long";
  if (/[\p{Cc}\\]/u.test(path) || !path.isWellFormed()) return "has characters that a path cannot have";
  if (path.split("/").some((segment) => segment === "" || segment === "." || segment === "..")) {
    return "does not stay inside the bundle";
  }
  return undefined;
}

/**
 * The bytes of an entry, opened when the first is asked for: inflated, counted and summed here, whatever its header says.
 */
async function* unpack(zip: ZipFile, entry: Entry, total: { bytes: number }) {
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false }).catch(notZip);
  const source = entry.isCompressed() ? pipeline(raw, createInflateRaw(), () => {}) : raw;
  // An error that comes after the last byte has no reader any more; without a listener it would end the process.
  source.on("error", () => {});
  let size = 0;
  let sum = 0;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    total.bytes += chunk.length;
    sum = crc32(chunk, sum);
    if (total.bytes > LIMITS.bundleUnpackedBytes.value) invalid("The bundle is too large when unpacked.");
    if (size > MIB && size > LIMITS.bundleRatio.value * entry.compressedSize) {
      invalid(`\`${entry.fileName}\` is compressed too well to be true.`);
    }
    yield chunk;
  }
  if (size !== entry.uncompressedSize || sum !== entry.crc32) invalid(`\`${entry.fileName}\` is damaged.`);
}

function checkPath(path: string): void {
  const fault = pathFault(path);
  if (fault !== undefined) invalid(`The path \`${path.slice(0, 100)}\` ${fault}.`);
}

function checkEntry(entry: Entry): void {
  if (entry.isEncrypted()) invalid(`\`${entry.fileName}\` is encrypted.`);
  if (!entry.canDecodeFileData()) invalid(`\`${entry.fileName}\` is compressed in an unknown way.`);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK)
    invalid(`\`${entry.fileName}\` is a link.`);
}

/** A path must be one thing only: no file is the folder of another. */
function checkPaths(paths: string[]): void {
  const files = new Set(paths);
  for (const path of paths) {
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
      if (files.has(path.slice(0, end))) invalid(`\`${path.slice(0, end)}\` is both a file and a folder.`);
    }
  }
}

/** Every entry that is a file and no litter. */
async function entriesOf(zip: ZipFile, leftOut: LeftOutList): Promise<Entry[]> {
  const entries: Entry[] = [];
  let seen = 0;
  for await (const entry of zip.eachEntry()) {
    if (++seen > LIMITS.bundleEntries.value) invalid("The bundle has too many entries.");
    if (entry.fileName.endsWith("/") || leftOut.litter(entry.fileName)) continue;
    checkPath(entry.fileName);
    entries.push(entry);
  }
  return entries;
}

/** The folder that every path is in, when someone zipped the folder and not what is in it; otherwise empty. */
function wrapper(paths: string[]): string {
  const first = paths[0] ?? "";
  const folder = first.slice(0, first.indexOf("/") + 1);
  const isAround = folder !== "" && !folder.startsWith(".") && paths.every((path) => path.startsWith(folder));
  return isAround ? folder : "";
}

/** The entries that are published, by their paths. */
function publishedOf(entries: Entry[], leftOut: LeftOutList): Map<string, Entry> {
  // Where `.well-known/` may stand is known only without the folder around everything.
  const isHidden = (path: string) => hasDotFile(path.replace(/^([^./][^/]*\/)?\.well-known\//, ""));
  const folder = wrapper(entries.map(({ fileName }) => fileName).filter((path) => !isHidden(path)));
  const published = new Map<string, Entry>();
  for (const entry of entries) {
    const path = entry.fileName.startsWith(folder) ? entry.fileName.slice(folder.length) : entry.fileName;
    if (hasDotFile(path)) {
      leftOut.dotFile(path);
      continue;
    }
    checkEntry(entry);
    if (published.has(path)) invalid(`\`${path}\` is in the bundle twice.`);
    published.set(path, entry);
  }
  return published;
}

function warningsOf(published: Map<string, Entry>, leftOut: LeftOutList): string[] {
  const warnings: string[] = [];
  if (!published.has("index.html"))
    warnings.push("The bundle has no `index.html` at its top, so the canvas has no start page.");
  if (leftOut.more > 0) warnings.push(`${leftOut.more} more paths were left out than are listed.`);
  return warnings;
}

/**
 * Reads a zip on the disk as a bundle and hands it to `use`. Everything about it is hostile: what breaks a rule is
 * 400 `INVALID_BODY`, at the latest while its bytes are read.
 */
export async function withBundle<Result>(
  file: string,
  use: (bundle: Bundle) => Promise<Result>,
): Promise<Result> {
  const zip = await openPromise(file, { autoClose: false, strictFileNames: true }).catch(notZip);
  try {
    const leftOut = new LeftOutList();
    const entries = await entriesOf(zip, leftOut).catch(notZip);
    const published = publishedOf(entries, leftOut);
    if (published.size === 0) invalid("The bundle is empty: dot files and litter are left out.");
    checkPaths([...published.keys()]);
    const total = { bytes: 0 };
    return await use({
      files: [...published].map(([path, entry]) => ({ path, open: async () => unpack(zip, entry, total) })),
      leftOut: leftOut.entries(),
      warnings: warningsOf(published, leftOut),
    });
  } finally {
    zip.close();
  }
}

/** What the reader of zips throws is about the zip. */
function notZip(error: Error): never {
  if ("status" in error) throw error;
  return invalid(`The bundle is not a sound zip: ${error.message}.`);
}
