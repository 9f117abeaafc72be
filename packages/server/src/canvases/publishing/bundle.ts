import { pipeline } from "node:stream";
import { setImmediate as immediate } from "node:timers/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { pathFault } from "@easel/protocol/bundle";
import { LIMITS } from "@easel/protocol/limits";
import type { LeftOut } from "@easel/protocol/types";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { refuse } from "../../http/refusal.ts";
import { hasDotFile, LeftOutList } from "./left-out.ts";

/** One file of a bundle. */
export interface BundleFile {
  /** Relative to the top of the bundle, with slashes, without `.`, `..` or empty segments. */
  path: string;
  /** The size in bytes that the archive declares. Reading throws if the file is longer or shorter. */
  size: number;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** The files of a bundle to publish, and the paths that are left out. `warnings` are sentences for people. */
export interface Bundle {
  files: BundleFile[];
  leftOut: LeftOut[];
  warnings: string[];
}

const MIB = 1024 * 1024;
const FILE_TYPE = 0o170000;
const LINK = 0o120000;
const SLASH = 0x2f;

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/** Inflates an entry lazily. Throws 400 `INVALID_BODY` if its size or checksum is not the declared one, or it is compressed too well. */
async function* unpack(zip: ZipFile, entry: Entry) {
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false }).catch(notZip);
  const source = entry.isCompressed() ? pipeline(raw, createInflateRaw(), () => {}) : raw;
  // Without a listener, an error after the last byte would end the process.
  source.on("error", () => {});
  let size = 0;
  let sum = 0;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    sum = crc32(chunk, sum);
    if (size > entry.uncompressedSize) damaged(entry);
    if (size > MIB && size > LIMITS.bundleRatio.value * entry.compressedSize) {
      invalid(`\`${entry.fileName}\` is compressed too well to be true.`);
    }
    yield chunk;
  }
  if (size !== entry.uncompressedSize || sum !== entry.crc32) damaged(entry);
}

const damaged = ({ fileName }: Entry) => invalid(`\`${fileName}\` is damaged.`);

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

/** An entry that is a file and not litter. */
interface Candidate {
  entry: Entry;
  path: string;
  /** The path in bytes, with slashes as 0, so that a file sorts directly before the content of a folder of the same name. */
  sortKey: Buffer;
}

const sortKeyOf = (path: string): Buffer => {
  const bytes = Buffer.from(path);
  for (let at = bytes.indexOf(SLASH); at !== -1; at = bytes.indexOf(SLASH, at + 1)) bytes[at] = 0;
  return bytes;
};

/** Throws 400 `INVALID_BODY` if a path occurs twice or is both a file and a folder. Sorts `sortKeys`. */
function checkPaths(sortKeys: Buffer[]): void {
  sortKeys.sort(Buffer.compare);
  for (const [index, next] of sortKeys.entries()) {
    const before = sortKeys[index - 1];
    if (before === undefined || !next.subarray(0, before.length).equals(before)) continue;
    const path = before.toString().replaceAll("\0", "/");
    if (next.length === before.length) invalid(`\`${path}\` is in the bundle twice.`);
    if (next[before.length] === 0) invalid(`\`${path}\` is both a file and a folder.`);
  }
}

/** Reads the central directory of a zip. Slow work per path is done here, because each entry is read in its own turn of the event loop. */
async function candidatesOf(zip: ZipFile, leftOut: LeftOutList): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  let seen = 0;
  for await (const entry of zip.eachEntry()) {
    if (++seen > LIMITS.bundleEntries.value) invalid("The bundle has too many entries.");
    const path = entry.fileName;
    if (path.endsWith("/") || leftOut.addIfLitter(path)) continue;
    checkPath(path);
    candidates.push({ entry, path, sortKey: sortKeyOf(path) });
  }
  return candidates;
}

/** Returns the top folder that contains all paths, which exists if the folder itself was zipped. Otherwise returns an empty text. */
function commonFolder(paths: string[]): string {
  const first = paths[0] ?? "";
  const folder = first.slice(0, first.indexOf("/") + 1);
  const isAround = folder !== "" && !folder.startsWith(".") && paths.every((path) => path.startsWith(folder));
  return isAround ? folder : "";
}

/** Returns the entries to publish, with their paths inside the common folder. */
function publishedOf(candidates: Candidate[], leftOut: LeftOutList): Candidate[] {
  // The position of `.well-known/` is known only without the common folder.
  const isHidden = (path: string) => hasDotFile(path.replace(/^([^./][^/]*\/)?\.well-known\//, ""));
  const folder = commonFolder(candidates.map(({ path }) => path).filter((path) => !isHidden(path)));
  return candidates.flatMap((candidate) => {
    const path = candidate.path.startsWith(folder) ? candidate.path.slice(folder.length) : candidate.path;
    if (hasDotFile(path)) {
      leftOut.addDotFile(path);
      return [];
    }
    checkEntry(candidate.entry);
    return [{ ...candidate, path }];
  });
}

function warningsOf(published: Candidate[], leftOut: LeftOutList): string[] {
  const warnings: string[] = [];
  if (!published.some(({ path }) => path === "index.html"))
    warnings.push("The bundle has no `index.html` at its top, so the canvas has no start page.");
  if (leftOut.more > 0) warnings.push(`${leftOut.more} more paths were left out than are listed.`);
  return warnings;
}

/** Opens a zip file as a bundle while `use` runs. Throws 400 `INVALID_BODY` if it breaks a rule, possibly only when a file is read. */
export async function withBundle<Result>(
  file: string,
  use: (bundle: Bundle) => Promise<Result>,
): Promise<Result> {
  const zip = await openPromise(file, { autoClose: false, strictFileNames: true }).catch(notZip);
  try {
    const leftOut = new LeftOutList();
    const candidates = await candidatesOf(zip, leftOut).catch(notZip);
    const published = publishedOf(candidates, leftOut);
    if (published.length === 0) invalid("The bundle is empty: dot files and litter are left out.");
    const bytes = published.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
    if (bytes > LIMITS.bundleUnpackedBytes.value) invalid("The bundle is too large when unpacked.");
    await immediate();
    checkPaths(published.map(({ sortKey }) => sortKey));
    return await use({
      files: published.map(({ path, entry }) => ({
        path,
        size: entry.uncompressedSize,
        open: async () => unpack(zip, entry),
      })),
      leftOut: leftOut.entries(),
      warnings: warningsOf(published, leftOut),
    });
  } finally {
    zip.close();
  }
}

/** Throws 400 `INVALID_BODY` for an error of the zip reader. Rethrows a `Refusal`. */
function notZip(error: Error): never {
  if ("status" in error) throw error;
  return invalid(`The bundle is not a sound zip: ${error.message}.`);
}
