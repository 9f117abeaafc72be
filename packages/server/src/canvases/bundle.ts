import { pipeline } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { LIMITS } from "@easel/protocol/limits";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { refuse } from "../kit/refusal.ts";

/** One file of a bundle; its bytes can be read once. */
export interface BundleFile {
  /** Relative, with slashes, without `.`, `..` or empty segments. */
  path: string;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

const MIB = 1024 * 1024;
const FILE_TYPE = 0o170000;
const LINK = 0o120000;

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/** What file managers leave in zips. */
const isLitter = (path: string) =>
  path.startsWith("__MACOSX/") || /(^|\/)(\.DS_Store|Thumbs\.db)$/.test(path);

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

function checkEntry(entry: Entry): void {
  const fault = pathFault(entry.fileName);
  if (fault !== undefined) invalid(`The path \`${entry.fileName.slice(0, 100)}\` ${fault}.`);
  if (entry.isEncrypted()) invalid(`\`${entry.fileName}\` is encrypted.`);
  if (!entry.canDecodeFileData()) invalid(`\`${entry.fileName}\` is compressed in an unknown way.`);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK)
    invalid(`\`${entry.fileName}\` is a link.`);
}

/** A path must be one thing only: one file, and no folder of another file. */
function checkPaths(paths: string[]): void {
  const files = new Set<string>();
  for (const path of paths) {
    if (files.has(path)) invalid(`\`${path}\` is in the bundle twice.`);
    files.add(path);
  }
  for (const path of paths) {
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
      if (files.has(path.slice(0, end))) invalid(`\`${path.slice(0, end)}\` is both a file and a folder.`);
    }
  }
}

async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = [];
  let seen = 0;
  for await (const entry of zip.eachEntry()) {
    if (++seen > LIMITS.bundleEntries.value) invalid("The bundle has too many entries.");
    if (entry.fileName.endsWith("/") || isLitter(entry.fileName)) continue;
    checkEntry(entry);
    entries.push(entry);
  }
  if (entries.length === 0) invalid("The bundle is empty.");
  checkPaths(entries.map((entry) => entry.fileName));
  return entries;
}

/** The folder that everything is in, when someone zipped the folder and not what is in it; otherwise empty. */
function wrapper(entries: Entry[]): string {
  const first = entries[0]?.fileName ?? "";
  const folder = first.slice(0, first.indexOf("/") + 1);
  return folder !== "" && entries.every((entry) => entry.fileName.startsWith(folder)) ? folder : "";
}

/**
 * Reads a zip on the disk as a bundle and hands its files to `use`. Everything about it is hostile: what breaks a rule is
 * 400 `INVALID_BODY`, at the latest while its bytes are read.
 */
export async function withBundle<Result>(
  file: string,
  use: (files: BundleFile[]) => Promise<Result>,
): Promise<Result> {
  const zip = await openPromise(file, { autoClose: false, strictFileNames: true }).catch(notZip);
  try {
    const entries = await entriesOf(zip).catch(notZip);
    const folder = wrapper(entries);
    const total = { bytes: 0 };
    return await use(
      entries.map((entry) => ({
        path: entry.fileName.slice(folder.length),
        open: async () => unpack(zip, entry, total),
      })),
    );
  } finally {
    zip.close();
  }
}

/** What the reader of zips throws is about the zip. */
function notZip(error: Error): never {
  if ("status" in error) throw error;
  return invalid(`The bundle is not a sound zip: ${error.message}.`);
}
