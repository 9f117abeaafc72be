import { LIMITS } from "@easel/protocol/limits";
import { nextTurn } from "@easel/server/next-turn";
import type { Dropped } from "./handed-over.ts";
import { LeftOutPaths } from "./left-out.ts";
import { BadOffer, type Offer, type OfferedFile } from "./offered.ts";

/** A file of a folder, as an input with `webkitdirectory` returns it. */
interface PickedFile extends Blob {
  name: string;
  webkitRelativePath: string;
}

const MAX = LIMITS.bundleEntries.value;

const tooMany = (): never => {
  throw new BadOffer(
    `There are more than ${MAX.toLocaleString("en")} files, the most that a canvas may have.`,
    "Is it the right folder? Publish the output of a build, which is often in dist or build.",
  );
};

/** The number of files whose sizes are read in one turn. The browser asks the disk for each of them, and waits. */
const SIZES_AT_ONCE = 100;

/** Collects the files of an offer, and stops when there are more than a canvas may have. */
class Collector {
  readonly #found: { path: string; file: Blob }[] = [];
  readonly leftOut = new LeftOutPaths();

  add(path: string, file: Blob): void {
    const name = path.normalize("NFC");
    if (this.leftOut.add(name)) return;
    if (this.#found.push({ path: name, file }) > MAX) tooMany();
  }

  async offer(name: string): Promise<Offer> {
    const files: OfferedFile[] = [];
    for (const { path, file } of this.#found) {
      files.push({ path, file, size: file.size });
      if (files.length % SIZES_AT_ONCE === 0) await nextTurn();
    }
    return { kind: "files", name, files, leftOut: this.leftOut.list };
  }
}

const isZip = ({ name, type }: { name: string; type: string }): boolean =>
  /\.zip$/i.test(name) || type === "application/zip";

/** Returns the offer of files without folders. A single zip is sent as it is. */
export async function offerOfFiles(picked: readonly PickedFile[]): Promise<Offer> {
  const [only] = picked;
  if (only !== undefined && picked.length === 1 && isZip(only))
    return { kind: "zip", name: only.name.replace(/\.zip$/i, ""), file: only };
  const collector = new Collector();
  for (const file of picked) collector.add(file.name, file);
  return collector.offer(picked.length === 1 ? (only?.name ?? "").replace(/\.html?$/i, "") : "");
}

/** Returns the offer of an input: of a folder, whose name all paths begin with, or of files. */
export async function offerOfInput(picked: readonly PickedFile[]): Promise<Offer> {
  const folder = picked[0]?.webkitRelativePath.split("/")[0] ?? "";
  if (folder === "") return offerOfFiles(picked);
  const collector = new Collector();
  for (const file of picked) collector.add(file.webkitRelativePath.slice(folder.length + 1), file);
  return collector.offer(folder.normalize("NFC"));
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** Reads all entries of a folder. The browser returns them in parts. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return children;
    children.push(...part);
  }
}

async function walk(entries: readonly FileSystemEntry[], below: string, to: Collector): Promise<void> {
  for (const entry of entries) {
    const path = below + entry.name;
    if (entry.isFile) to.add(path, await fileOf(entry as FileSystemFileEntry));
    else if (!to.leftOut.addFolder(path.normalize("NFC")))
      await walk(await childrenOf(entry as FileSystemDirectoryEntry), `${path}/`, to);
  }
}

/** Returns the offer of what was dropped or pasted. Does not enter folders that are left out. */
export async function offerOfDropped({ entries, files }: Dropped): Promise<Offer> {
  const [first] = entries;
  // What is pasted may have no entries.
  if (entries.every(({ isFile }) => isFile)) return offerOfFiles(files);
  const collector = new Collector();
  const isOnly = first !== undefined && entries.length === 1;
  await walk(isOnly ? await childrenOf(first as FileSystemDirectoryEntry) : entries, "", collector);
  return collector.offer(isOnly ? first.name.normalize("NFC") : "");
}

/** Returns the offer of a page that was pasted as text. */
export function offerOfHtml(html: string): Offer {
  const file = new Blob([html], { type: "text/html" });
  return { kind: "files", name: "", files: [{ path: "index.html", size: file.size, file }], leftOut: [] };
}
