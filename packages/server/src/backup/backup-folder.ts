import { randomUUID } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { SetupError } from "../config/setting-types.ts";
import { makeDirectory, syncDirectory, writePrivate } from "../disk/private-files.ts";
import type { BlobSize, Blobs } from "../drivers/blobs/blobs.ts";
import { lockBackups, openBlobsIn } from "../drivers/index.ts";
import { FILES, readText } from "./manifest.ts";

/** Matches the name of a backup: when it was begun, in UTC. Names sort in the order of time. */
const NAME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z(-\d+)?$/;

/** The beginning of the names of directories that are not complete backups: those that are being written or removed. */
const UNFINISHED = "unfinished-";

/**
 * A folder of backups of one instance. Each backup is a directory with the name of its time. The blobs of all are in `blobs`, each once, so that a
 * backup copies only those that are new.
 */
export class BackupFolder {
  readonly #directory: string;
  /** The blobs of all backups. */
  readonly blobs: Blobs;

  private constructor(directory: string, blobs: Blobs) {
    this.#directory = directory;
    this.blobs = blobs;
  }

  /** Opens a folder to read from it. @throws SetupError if it does not exist. */
  static async open(directory: string): Promise<BackupFolder> {
    const names = await readdir(directory).catch((error) => {
      throw new SetupError(`The folder ${directory} cannot be read (${error.code}).`);
    });
    if (!names.some((name) => NAME.test(name))) throw new SetupError(`There is no backup in ${directory}.`);
    return new BackupFolder(directory, await openBlobsIn(path.join(directory, "blobs")));
  }

  /**
   * Opens a folder to write into it, and creates it if it is missing. Removes what was not finished. No other process writes into it during `work`.
   *
   * @throws SetupError if another process does.
   */
  static async write<Result>(
    directory: string,
    work: (folder: BackupFolder) => Promise<Result>,
  ): Promise<Result> {
    await makeDirectory(directory, "name a folder in which this user may write");
    const lock = await lockBackups(directory);
    try {
      const folder = new BackupFolder(directory, await openBlobsIn(path.join(directory, "blobs")));
      await folder.#removeUnfinished();
      await folder.blobs.tidy(Number.MAX_SAFE_INTEGER);
      return await work(folder);
    } finally {
      lock.release();
    }
  }

  /** The names of the backups, the newest first. */
  async names(): Promise<string[]> {
    return (await readdir(this.#directory))
      .filter((name) => NAME.test(name))
      .sort(compareNames)
      .reverse();
  }

  pathOf(name: string): string {
    return path.join(this.#directory, name);
  }

  /** Returns the backup with a name; without one, the newest. @throws SetupError if there is none. */
  async find(name: string | undefined): Promise<string> {
    const names = await this.names();
    const found = name === undefined ? names[0] : names.find((each) => each === name);
    if (found !== undefined) return found;
    throw new SetupError(
      `There is no backup ${name} in ${this.#directory}. There are: ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}.`,
    );
  }

  /** Makes a backup: `fill` writes its files into a directory. The backup gets its name when all of them are durable. Returns the name. */
  async add(at: Date, fill: (directory: string) => Promise<void>): Promise<string> {
    const taken = await this.names();
    const time = `${at.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
    let name = time;
    for (let number = 2; taken.includes(name); number++) name = `${time}-${number}`;
    // The name is new, because a program that a killed backup has started may still write.
    const directory = this.pathOf(UNFINISHED + randomUUID());
    await makeDirectory(directory);
    try {
      await fill(directory);
      await syncDirectory(directory);
      await rename(directory, this.pathOf(name));
      await syncDirectory(this.#directory);
      return name;
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Returns the sizes of the blobs that are there and that a backup lists, by their keys. */
  async sizes(): Promise<Map<string, number>> {
    const listed = new Map<string, number>();
    for (const name of await this.names())
      for (const { key, size } of await readBlobList(this.pathOf(name)).catch(() => []))
        listed.set(key, size);
    const there = new Map<string, number>();
    for await (const key of this.blobs.list(Number.MAX_SAFE_INTEGER)) {
      const size = listed.get(key);
      if (size !== undefined) there.set(key, size);
    }
    return there;
  }

  /** Removes a backup, but not its blobs. */
  async remove(name: string): Promise<void> {
    await rename(this.pathOf(name), this.pathOf(UNFINISHED + name));
    await this.#removeUnfinished();
  }

  async #removeUnfinished(): Promise<void> {
    for (const name of await readdir(this.#directory))
      if (name.startsWith(UNFINISHED)) await rm(this.pathOf(name), { recursive: true, force: true });
  }
}

/** Compares names, so that the second backup of a second comes after the first, and the tenth after the ninth. */
function compareNames(one: string, other: string): number {
  const [at, number = "1"] = one.split("Z-");
  const [otherAt, otherNumber = "1"] = other.split("Z-");
  const [time, otherTime] = [String(at).replace("Z", ""), String(otherAt).replace("Z", "")];
  return time === otherTime ? Number(number) - Number(otherNumber) : time < otherTime ? -1 : 1;
}

/** Writes the list of the blobs of a backup: a line with key and size for each. */
export const writeBlobList = (directory: string, blobs: readonly BlobSize[]): Promise<void> =>
  writePrivate(path.join(directory, FILES.blobs), blobs.map(({ key, size }) => `${key} ${size}\n`).join(""));

/** Reads the list of the blobs of a backup. @throws SetupError if it is damaged. */
export async function readBlobList(directory: string): Promise<BlobSize[]> {
  const file = path.join(directory, FILES.blobs);
  const text = await readText(file).catch(() => {
    throw new SetupError(`${file} cannot be read.`);
  });
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const [, key, size] = /^([0-9a-f]{64}) (\d+)$/.exec(line) ?? [];
      if (key === undefined) throw new SetupError(`${file} is damaged.`);
      return { key, size: Number(size) };
    });
}
