import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, opendir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { whileSpace } from "../../disk/disk-space.ts";
import {
  linkUnlessThere,
  makePrivateDirectory,
  removeOlder,
  syncDirectory,
  writePrivate,
} from "../../disk/private-files.ts";
import { type Blobs, Content } from "./blobs.ts";
import { openIfThere, Removals } from "./removals.ts";

/** The number of bytes that are written at once. Fewer writes are faster, because each one is passed to another thread and back. */
const WRITE_BYTES = 512 * 1024;
const KEY = /^[0-9a-f]{64}$/;
/** The content of the file that `tryWrite` writes. It fills a disk block, because a smaller file may still fit on a full disk. */
const PROBE = "-".repeat(4096);
const STORE_NAMES = /^([0-9a-f]{2}|staging|removing|[a-z]+\.marker)$/;
const MARKER = /^[a-z]+$/;

/**
 * Opens a blob store in the directory `root`. A blob is written to a file in `staging/`, synced, and then renamed to its key; a marker is
 * stored as `{name}.marker`. `reserve` is the number of bytes to keep free on the disk, or null for the default.
 */
export async function local(root: string, reserve: number | null = 0): Promise<Blobs> {
  const staging = path.join(root, "staging");
  await makePrivateDirectory(root, STORE_NAMES);
  await makePrivateDirectory(staging, /./);

  const directory = (key: string) => path.join(root, key.slice(0, 2));
  const pathOf = (key: string) => path.join(directory(key), key);
  const removals = new Removals(path.join(root, "removing"), pathOf);

  const markerFile = (name: string) => {
    if (!MARKER.test(name)) throw new TypeError(`${name} is no name of a marker`);
    return path.join(root, `${name}.marker`);
  };

  return {
    async put(source, { claim, ...expected } = {}) {
      const staged = path.join(staging, randomUUID());
      const file = await open(staged, "wx", 0o600);
      try {
        const content = new Content(expected);
        await writeAll(file, content.pass(whileSpace(source, root, reserve)));
        const { key, size } = content;
        await claim?.({ key, size });
        if (await mkdir(directory(key), { recursive: true, mode: 0o700 })) await syncDirectory(root);
        // Replaces an existing blob with the same key, which resets its age.
        await rename(staged, pathOf(key));
        await syncDirectory(directory(key));
        return { key, size };
      } catch (error) {
        await rm(staged, { force: true });
        throw error;
      }
    },

    async get(key, range) {
      if (!KEY.test(key)) return null;
      const there = () => openIfThere(pathOf(key));
      const file = (await there()) ?? (await removals.open(key)) ?? (await there());
      return file === null ? null : file.createReadStream(range);
    },

    async *list(before) {
      for await (const folder of await opendir(root)) {
        if (folder.name.length !== 2) continue;
        for await (const { name } of await opendir(path.join(root, folder.name))) {
          if (!KEY.test(name)) continue;
          const found = await stat(pathOf(name), { throwIfNoEntry: false });
          if (found !== undefined && found.mtimeMs < before) yield name;
        }
      }
    },

    remove: (keys, inUse) =>
      removals.remove(
        keys.filter((key) => KEY.test(key)),
        inUse,
      ),

    async marker(name) {
      return await readFile(markerFile(name), "utf8").catch((error) => {
        if (error.code !== "ENOENT") throw error;
        return null;
      });
    },

    async mark(name, text) {
      const marker = markerFile(name);
      const staged = path.join(staging, randomUUID());
      try {
        await writePrivate(staged, text);
        await linkUnlessThere(staged, marker);
      } finally {
        await rm(staged, { force: true });
      }
      return readFile(marker, "utf8");
    },

    async remark(name, text) {
      const marker = markerFile(name);
      const staged = path.join(staging, randomUUID());
      try {
        await writePrivate(staged, text);
        await rename(staged, marker);
        await syncDirectory(root);
      } catch (error) {
        await rm(staged, { force: true });
        throw error;
      }
    },

    async tryWrite() {
      const staged = path.join(staging, randomUUID());
      await writePrivate(staged, PROBE).finally(() => rm(staged, { force: true }));
    },

    async tidy(before) {
      await Promise.all([removeOlder(staging, before), removals.restore(before)]);
    },

    async close() {},
  };
}

/** Writes a stream to a file, syncs it, and closes it, also when the stream fails. Reads the next bytes while it writes. */
async function writeAll(file: FileHandle, source: AsyncIterable<Uint8Array>): Promise<void> {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let writing = Promise.resolve();
  const write = async () => {
    await writing;
    writing = file.writeFile(Buffer.concat(chunks));
    // A failure is thrown by the next `await`, which may only come after the next bytes.
    writing.catch(() => {});
    [chunks, bytes] = [[], 0];
  };
  try {
    for await (const chunk of source) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= WRITE_BYTES) await write();
    }
    await write();
    await writing;
    await file.sync();
  } finally {
    await writing.catch(() => {});
    await file.close();
  }
}
