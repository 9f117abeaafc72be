import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { removeOlder } from "../../../disk/private-files.ts";
import { Unavailable } from "../../db/db.ts";
import type { Blobs } from "../blobs.ts";
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

function markerName(name: string): string {
  if (!MARKER.test(name)) throw new TypeError(`${name} is no name of a marker`);
  return `markers/${name}`;
}

/** Returns the blob store in the objects of a bucket. `exclusively` is null if the server knows conditional writes. */
export function s3Blobs(
  objects: S3Objects,
  staging: Staging,
  exclusively: Exclusively | null,
  close: () => Promise<void>,
): Blobs {
  const removals = new S3Removals(objects);

  async function marker(name: string): Promise<string | null> {
    const stored = await objects.get(markerName(name));
    return stored === null ? null : await text(stored);
  }

  return {
    put: (source, { claim, ...expected } = {}) =>
      withStaged(source, expected, staging, async (blob, body) => {
        await claim?.(blob);
        await objects.put(nameOf(blob.key), body);
        return blob;
      }),

    get: async (key, range) => (KEY.test(key) ? await removals.open(key, range) : null),

    async *list(before) {
      for await (const { name, modified } of objects.list(nameOf(""))) {
        const key = name.slice(nameOf("").length);
        if (KEY.test(key) && modified < before) yield key;
      }
    },

    remove: (keys, inUse) =>
      removals.remove(
        keys.filter((key) => KEY.test(key)),
        inUse,
      ),

    marker,

    async mark(name, value) {
      const body = bodyOf(Buffer.from(value));
      let marked = await marker(name);
      if (marked === null && exclusively !== null)
        await exclusively(async () => {
          marked = await marker(name);
          if (marked !== null) return;
          await objects.put(markerName(name), body);
          marked = value;
        });
      for (let tries = 0; marked === null && tries < MARK_TRIES; tries++) {
        if (await objects.put(markerName(name), body, true)) return value;
        // Written by another node, by a first attempt whose response was lost, or by a request that is still under way.
        marked = await marker(name);
        if (marked === null) await sleep(MARK_AGAIN_MS);
      }
      if (marked === null) throw new Unavailable(`the marker ${name} is being written`);
      return marked;
    },

    async remark(name, value) {
      await objects.put(markerName(name), bodyOf(Buffer.from(value)));
    },

    async tidy(before) {
      await Promise.all([removeOlder(staging.directory, before), removals.restore(before)]);
      for await (const { name, modified } of objects.list(PROBES))
        if (modified < before) await objects.remove(name);
    },

    async tryWrite() {
      const name = PROBES + randomUUID();
      await objects.put(name, PROBE);
      await objects.remove(name);
    },

    close,
  };
}
