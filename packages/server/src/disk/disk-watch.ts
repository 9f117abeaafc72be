import { stat } from "node:fs/promises";
import path from "node:path";
import { type Config, isPostgres } from "../config/config.ts";
import { type Space, spaceOf } from "./disk-space.ts";

type Places = Pick<Config, "dataDir" | "databaseUrl" | "blobsUrl" | "s3">;
/** What is in a directory of the service. */
type Content = "data" | "database" | "blobs";
type Log = Record<"info" | "warn" | "error", (fields: object, message: string) => void>;

const INTERVAL_MS = 60_000;
const pathOf = (address: string) => address.slice(address.indexOf(":") + 1);

/** Returns the directories that the service writes to, by what is in them. */
export const directoriesOf = ({ dataDir, databaseUrl, blobsUrl, s3 }: Places): Map<Content, string> =>
  new Map<Content, string>([
    ["data", dataDir],
    ...(isPostgres(databaseUrl) ? [] : [["database", path.dirname(pathOf(databaseUrl))] as const]),
    ...(s3 === null ? [["blobs", pathOf(blobsUrl)] as const] : []),
  ]);

/** Returns one directory of each disk that the service writes to. A directory that does not exist is left out. */
export async function disksOf(places: Places): Promise<string[]> {
  const disks = new Map<number, string>();
  for (const directory of directoriesOf(places).values()) {
    const found = await stat(directory).catch(() => null);
    if (found !== null && !disks.has(found.dev)) disks.set(found.dev, directory);
  }
  return [...disks.values()];
}

const LINES: Record<Space["state"], [level: keyof Log, message: string]> = {
  scarce: ["warn", "a disk is nearly full: make room before writes are refused"],
  reserve: ["error", "a disk has no more free space than the reserve: writes that need space get 507"],
  enough: ["info", "a disk has enough free space again"],
};

/** Tells in the log when the free space of a disk becomes scarce, when it reaches the reserve, and when there is enough again. */
export class DiskWatch {
  readonly #config: Places & Pick<Config, "diskReserve">;
  readonly #log: Log;
  readonly #measure: typeof spaceOf;
  readonly #told = new Map<string, Space["state"]>();

  constructor(config: Places & Pick<Config, "diskReserve">, log: Log, measure = spaceOf) {
    this.#config = config;
    this.#log = log;
    this.#measure = measure;
  }

  /** Looks at each disk. One that cannot be read is left out: writes to it fail, and say why. */
  async look(): Promise<void> {
    for (const directory of await disksOf(this.#config)) {
      const space = await this.#measure(directory, this.#config.diskReserve).catch(() => null);
      if (space === null || space.state === (this.#told.get(directory) ?? "enough")) continue;
      this.#told.set(directory, space.state);
      const [level, message] = LINES[space.state];
      this.#log[level]({ directory, freeBytes: space.free, reserveBytes: space.reserve }, message);
    }
  }

  /** Looks now, and every minute until the function that it returns is called. */
  start(): () => void {
    void this.look();
    const timer = setInterval(() => void this.look(), INTERVAL_MS).unref();
    return () => clearInterval(timer);
  }
}
