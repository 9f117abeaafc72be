import { type FileHandle, open } from "node:fs/promises";
import { pathFault } from "@easel/protocol/bundle";
import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "../../http/refusal.ts";
import { readZip } from "../zip/read-zip.ts";
import type { ZipEntry } from "../zip/zip-check.ts";
import { readEntry } from "../zip/zip-data.ts";
import { ZipSource } from "../zip/zip-source.ts";
import { quoted, type Selection, selectFiles } from "./select-files.ts";

/** One file of a bundle. */
export interface BundleFile {
  /** The path relative to the top folder of the bundle, with slashes, without `.`, `..` or empty segments. */
  path: string;
  /** The size in bytes that the archive declares. Reading throws if the file is longer or shorter. */
  size: number;
  /** The SHA-256 of the file's bytes in hexadecimal, if it is known without reading them. */
  key?: string;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** The files of a bundle that are published, and the paths that are left out. `warnings` are sentences for people about likely mistakes. */
export type Bundle = Selection<BundleFile>;

const MIB = 1024 * 1024;
/** The number of bytes at the start of an upload that decide whether it is an HTML page or a zip. */
const SNIFFED_BYTES = 1024;

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

function checkEntry({ path, size, compressedSize, fault }: ZipEntry): void {
  if (fault !== undefined) invalid(`\`${path}\` ${fault}.`);
  if (size > MIB && size > LIMITS.bundleRatio.value * compressedSize)
    invalid(`\`${path}\` is compressed too well to be true.`);
}

async function zipBundle(source: ZipSource): Promise<Bundle> {
  const entries = await readZip(source);
  for (const { isFolder, path } of entries) {
    const fault = isFolder ? pathFault(path.slice(0, -1)) : undefined;
    if (fault !== undefined) invalid(`The path ${quoted(path)} ${fault}.`);
  }
  const files = entries.filter(({ isFolder }) => !isFolder);
  const bundle = await selectFiles(
    files.map((entry) => ({ ...entry, entry, open: async () => readEntry(source, entry) })),
  );
  for (const { entry } of bundle.files) checkEntry(entry);
  return bundle;
}

/** Returns a bundle that contains an uploaded HTML file as its `index.html`. */
async function pageBundle(source: ZipSource): Promise<Bundle> {
  async function* read() {
    for await (const chunk of source.stream(0, source.size)) {
      // The headers of every zip contain zero bytes. Refusing zero bytes ensures that no accepted page can also be read as a zip.
      if (chunk.includes(0)) invalid("The page is not a text: it contains a zero byte.");
      yield chunk;
    }
  }
  return selectFiles([{ path: "index.html", size: source.size, open: async () => read() }]);
}

/** Whether a file begins like an HTML document: with `<`, possibly after a byte order mark and white space. */
async function isPage(source: ZipSource): Promise<boolean> {
  const start = await source.bytes(0, Math.min(source.size, SNIFFED_BYTES));
  return /^\ufeff?\s*</.test(start.toString("utf8"));
}

async function bundleOf(file: FileHandle): Promise<Bundle> {
  const source = new ZipSource(file, (await file.stat()).size);
  return (await isPage(source)) ? pageBundle(source) : zipBundle(source);
}

/**
 * Opens an uploaded file and calls `use` with its bundle. The content of the file decides whether it is read as a zip or as one HTML page.
 * Throws 400 `INVALID_BODY` if the bundle breaks a rule; a damaged entry is noticed only when `use` reads it.
 */
export async function withBundle<Result>(
  file: string,
  use: (bundle: Bundle) => Promise<Result>,
): Promise<Result> {
  const handle = await open(file);
  try {
    return await use(await bundleOf(handle));
  } finally {
    await handle.close();
  }
}
