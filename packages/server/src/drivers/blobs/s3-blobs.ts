import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { removeOlder } from "../../disk/private-files.ts";
import { Unavailable } from "../db/db.ts";
import type { Blobs } from "./blobs.ts";
import type { S3Objects } from "./s3-objects.ts";
import { nameOf, S3Removals } from "./s3-removals.ts";
import { bodyOf, type Staging, withStaged } from "./s3-staging.ts";

const KEY = /^[0-9a-f]{64}$/;
const MARKER = /^[a-z]+$/;
/** How often a marker is written that another request is writing, and the time between two attempts in milliseconds. */
const MARK_TRIES = 20;
const MARK_AGAIN_MS = 100;
/** The prefix of the objects that show that the bucket is writable. */
const PROBES = "probes/";
const PROBE = bodyOf(Buffer.from("Easel checks that it can write.\n"));

/** Runs `work` on one node at a time. */
export type Exclusively = (work: () => Promise<void>) => Promise<void>;

/** A blob store in the objects of a bucket. */
export class S3Blobs implements Blobs {
  readonly #objects: S3Objects;
  readonly #staging: Staging;
  readonly #exclusively: Exclusively | null;
  readonly #removals: S3Removals;
  readonly close: () => Promise<void>;

  /** `exclusively` is null if the server knows conditional writes. */
  constructor(
    objects: S3Objects,
    staging: Staging,
    exclusively: Exclusively | null = null,
    close = async () => {},
  ) {
    this.#objects = objects;
    this.#staging = staging;
    this.#exclusively = exclusively;
    this.#removals = new S3Removals(objects);
    this.close = close;
  }

  put: Blobs["put"] = (source, { claim, ...expected } = {}) =>
    withStaged(source, expected, this.#staging, async (blob, body) => {
      await claim?.(blob);
      await this.#objects.put(nameOf(blob.key), body);
      return blob;
    });

  get: Blobs["get"] = async (key, range) => (KEY.test(key) ? await this.#removals.open(key, range) : null);

  async *list(before: number): AsyncIterable<string> {
    for await (const { name, modified } of this.#objects.list(nameOf(""))) {
      const key = name.slice(nameOf("").length);
      if (KEY.test(key) && modified < before) yield key;
    }
  }

  remove: Blobs["remove"] = (keys, inUse) =>
    this.#removals.remove(
      keys.filter((key) => KEY.test(key)),
      inUse,
    );

  async marker(name: string): Promise<string | null> {
    if (!MARKER.test(name)) throw new TypeError(`${name} is no name of a marker`);
    const stored = await this.#objects.get(`markers/${name}`);
    return stored === null ? null : await text(stored);
  }

  async mark(name: string, value: string): Promise<string> {
    const body = bodyOf(Buffer.from(value));
    let marked = await this.marker(name);
    if (marked === null && this.#exclusively !== null)
      await this.#exclusively(async () => {
        marked = await this.marker(name);
        if (marked !== null) return;
        await this.#objects.put(`markers/${name}`, body);
        marked = value;
      });
    for (let tries = 0; marked === null && tries < MARK_TRIES; tries++) {
      if (await this.#objects.put(`markers/${name}`, body, true)) return value;
      // Written by another node, by a first attempt whose response was lost, or by a request that is still under way.
      marked = await this.marker(name);
      if (marked === null) await sleep(MARK_AGAIN_MS);
    }
    if (marked === null) throw new Unavailable(`the marker ${name} is being written`);
    return marked;
  }

  async tidy(before: number): Promise<void> {
    await Promise.all([removeOlder(this.#staging.directory, before), this.#removals.restore(before)]);
    for await (const { name, modified } of this.#objects.list(PROBES))
      if (modified < before) await this.#objects.remove(name);
  }

  async tryWrite(): Promise<void> {
    const name = PROBES + randomUUID();
    await this.#objects.put(name, PROBE);
    await this.#objects.remove(name);
  }
}
