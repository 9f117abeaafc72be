import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { LIMITS } from "@easel/protocol/limits";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { refuse } from "../../http/refusal.ts";
import { type Selection, selectFiles } from "./select-files.ts";

/** One file of a bundle. */
export interface BundleFile {
  /** Relative to the top of the bundle, with slashes, without `.`, `..` or empty segments. */
  path: string;
  /** The size in bytes that the archive declares. Reading throws if the file is longer or shorter. */
  size: number;
  /** The SHA-256 of its bytes in hexadecimal, if it is known without reading them. */
  key?: string;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** The files of a bundle to publish, and the paths that are left out. `warnings` are sentences for people. */
export type Bundle = Selection<BundleFile>;

const MIB = 1024 * 1024;
const FILE_TYPE = 0o170000;
const LINK = 0o120000;
/** The number of bytes by which a page is told from a zip. */
const SNIFFED_BYTES = 1024;

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

function checkEntry(entry: Entry): void {
  if (entry.isEncrypted()) invalid(`\`${entry.fileName}\` is encrypted.`);
  if (!entry.canDecodeFileData()) invalid(`\`${entry.fileName}\` is compressed in an unknown way.`);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK)
    invalid(`\`${entry.fileName}\` is a link.`);
}

/** A file of a zip. */
interface ZippedFile extends BundleFile {
  entry: Entry;
}

/** Reads the central directory of a zip. Each entry is read in its own turn of the event loop. */
async function filesOf(zip: ZipFile): Promise<ZippedFile[]> {
  const files: ZippedFile[] = [];
  let seen = 0;
  for await (const entry of zip.eachEntry()) {
    if (++seen > LIMITS.bundleEntries.value) invalid("The bundle has too many entries.");
    const { fileName: path, uncompressedSize: size } = entry;
    if (!path.endsWith("/")) files.push({ path, size, entry, open: async () => unpack(zip, entry) });
  }
  return files;
}

async function withZip<Result>(file: string, use: (bundle: Bundle) => Promise<Result>): Promise<Result> {
  const zip = await openPromise(file, { autoClose: false, strictFileNames: true }).catch(notZip);
  try {
    const bundle = await selectFiles(await filesOf(zip).catch(notZip));
    for (const { entry } of bundle.files) checkEntry(entry);
    return await use(bundle);
  } finally {
    zip.close();
  }
}

/** Opens an HTML file as a bundle with an `index.html`. */
async function withPage<Result>(file: string, use: (bundle: Bundle) => Promise<Result>): Promise<Result> {
  const { size } = await stat(file);
  async function* read() {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      // A zip has zeros in its headers, so nothing is both a page and a zip.
      if (chunk.includes(0)) invalid("The page is not a text: it contains a zero byte.");
      yield chunk;
    }
  }
  return use(await selectFiles([{ path: "index.html", size, open: async () => read() }]));
}

/** Whether a file begins like an HTML document: with a tag, after a byte order mark and white space. */
async function isPage(file: string): Promise<boolean> {
  const [start = Buffer.alloc(0)] = await createReadStream(file, { end: SNIFFED_BYTES - 1 }).toArray();
  return /^\ufeff?\s*</.test(start.toString("utf8"));
}

/**
 * Opens an uploaded file as a bundle while `use` runs: a zip, or a single HTML file. The content decides which. Throws 400 `INVALID_BODY`
 * if it breaks a rule, possibly only when a file is read.
 */
export const withBundle = async <Result>(
  file: string,
  use: (bundle: Bundle) => Promise<Result>,
): Promise<Result> => ((await isPage(file)) ? withPage(file, use) : withZip(file, use));

/** Throws 400 `INVALID_BODY` for an error of the zip reader. Rethrows a `Refusal`. */
function notZip(error: Error): never {
  if ("status" in error) throw error;
  return invalid(`The bundle is not a sound zip: ${error.message}.`);
}
