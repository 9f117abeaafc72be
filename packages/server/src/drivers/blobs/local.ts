import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, link, mkdir, open, opendir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { whileSpace } from "../../disk/disk-space.ts";
import { isOlder, removeOlder } from "../../disk/old-files.ts";
import { makeOwnDirectory } from "../../disk/private-files.ts";
import type { Blobs } from "./blobs.ts";

const KEY = /^[0-9a-f]{64}$/;
/** As long as a block of a disk: less may fit in beside a name. */
const PROBE = "-".repeat(4096);
const OWN = /^([0-9a-f]{2}|staging|[a-z]+\.marker)$/;
const MARKER = /^[a-z]+$/;

/**
 * Blobs on the local disk: staged under a name of their own, synced, then renamed to their key. A marker is a file `{name}.marker`.
 * `reserve` is the setting of how many bytes stay free.
 */
export async function local(root: string, reserve: number | null = 0): Promise<Blobs> {
  const staging = path.join(root, "staging");
  await makeOwnDirectory(root, OWN);
  await makeOwnDirectory(staging, /./);

  const directory = (key: string) => path.join(root, key.slice(0, 2));
  const place = (key: string) => path.join(directory(key), key);

  const markerFile = (name: string) => {
    if (!MARKER.test(name)) throw new TypeError(`${name} is no name of a marker`);
    return path.join(root, `${name}.marker`);
  };

  async function write(file: FileHandle, source: AsyncIterable<Uint8Array>) {
    const hash = createHash("sha256");
    let size = 0;
    for await (const chunk of source) {
      hash.update(chunk);
      size += chunk.length;
      await file.appendFile(chunk);
    }
    await file.sync();
    return { key: hash.digest("hex"), size };
  }

  return {
    async put(source) {
      const staged = path.join(staging, randomUUID());
      const file = await open(staged, "wx", 0o600);
      try {
        const blob = await write(file, whileSpace(source, root, reserve)).finally(() => file.close());
        if (await mkdir(directory(blob.key), { recursive: true, mode: 0o700 })) await syncDirectory(root);
        // Also over a blob that is there already: its new age keeps the sweep away until a row points at it.
        await rename(staged, place(blob.key));
        await syncDirectory(directory(blob.key));
        return blob;
      } catch (error) {
        await rm(staged, { force: true });
        throw error;
      }
    },

    async get(key, range) {
      if (!KEY.test(key)) return null;
      try {
        const file = await open(place(key), "r");
        return file.createReadStream(range);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw error;
      }
    },

    async *olderThan(time) {
      for await (const folder of await opendir(root)) {
        if (folder.name.length !== 2) continue;
        for await (const { name } of await opendir(path.join(root, folder.name))) {
          if (KEY.test(name) && (await isOlder(place(name), time))) yield name;
        }
      }
    },

    async delete(keys, time) {
      for (const key of keys) {
        if (KEY.test(key) && (await isOlder(place(key), time))) await rm(place(key), { force: true });
      }
    },

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
        await writeSynced(staged, text);
        // A link is never made over a file that is there, and it appears with its whole content.
        await link(staged, marker).catch(async (error) => {
          // Some network file systems have no links: then only starts at the same moment could overwrite each other's.
          if (error.code !== "EEXIST" && !(await exists(marker))) await rename(staged, marker);
        });
      } finally {
        await rm(staged, { force: true });
      }
      await syncDirectory(root);
      return readFile(marker, "utf8");
    },

    async tryWrite() {
      const staged = path.join(staging, randomUUID());
      await writeSynced(staged, PROBE).finally(() => rm(staged, { force: true }));
    },

    tidy: (time) => removeOlder(staging, time),

    async close() {},
  };
}

const exists = async (file: string) => (await stat(file, { throwIfNoEntry: false })) !== undefined;

async function writeSynced(name: string, text: string): Promise<void> {
  const file = await open(name, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes renames within a directory durable. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
