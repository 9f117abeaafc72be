import { optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { lockOwner, withinBytes } from "./owner-quotas.ts";

/** A file of a version in one encoding. */
export interface Representation {
  path: string;
  encoding: "identity" | "br" | "gzip";
  mime: string;
  key: string;
  size: number;
}

/** The maximum number of rows added or removed in one batch: in SQLite a batch blocks the event loop. */
export const ROWS_AT_ONCE = 150;

const lockBytes = (canvasId: string) => sql`
  insert into bundle_bytes (canvas_id, bytes) values (${canvasId}, 0)
  on conflict (canvas_id) do update set bytes = bundle_bytes.bytes`;

/** Builds the steps that count another use of a blob by a canvas. Its bytes count once per canvas. */
const addUse = (canvasId: string, { key, size }: Representation): Step[] => [
  optional`update bundle_bytes set bytes = bytes + ${size} where canvas_id = ${canvasId}
    and not exists (select 1 from bundle_blobs where canvas_id = ${canvasId} and blob_key = ${key})`,
  sql`insert into bundle_blobs (canvas_id, blob_key, size, uses) values (${canvasId}, ${key}, ${size}, 1)
    on conflict (canvas_id, blob_key) do update set uses = bundle_blobs.uses + 1`,
];

const removeUse = (canvasId: string, { key, size }: Pick<Representation, "key" | "size">): Step[] => [
  optional`update bundle_blobs set uses = uses - 1 where canvas_id = ${canvasId} and blob_key = ${key}`,
  optional`update bundle_bytes set bytes = bytes - ${size} where canvas_id = ${canvasId}
    and exists (select 1 from bundle_blobs where canvas_id = ${canvasId} and blob_key = ${key} and uses <= 0)`,
  optional`delete from bundle_blobs where canvas_id = ${canvasId} and blob_key = ${key} and uses <= 0`,
];

/**
 * Adds at most `ROWS_AT_ONCE` files to a version that is being stored. Adds none and returns "full" if the owner's quota of bytes would be
 * exceeded, or "gone" if the canvas no longer exists.
 */
export async function addFiles(
  { id, canvasId }: { id: string; canvasId: string },
  files: Representation[],
  env: Env,
): Promise<"done" | "full" | "gone"> {
  const steps: Step[] = [
    lockOwner(canvasId),
    lockBytes(canvasId),
    ...files.filter(({ encoding }) => encoding === "identity").flatMap((file) => addUse(canvasId, file)),
    ...files.map(
      ({ path, encoding, mime, key, size }) => sql`
        insert into version_files (version_id, path, encoding, mime, blob_key, size)
        values (${id}, ${path}, ${encoding}, ${mime}, ${key}, ${size})`,
    ),
    withinBytes(canvasId, env),
  ];
  const { length: done } = await env.db.batch(steps);
  return done === steps.length ? "done" : done === 0 ? "gone" : "full";
}

interface Row {
  path: string;
  encoding: Representation["encoding"];
  blob_key: string;
  size: number;
}

/** Removes a version that is marked `removing`, with its files in small batches. Safe to run concurrently. */
async function removeMarked({ id, canvasId }: { id: string; canvasId: string }, { db }: Env): Promise<void> {
  for (;;) {
    const rows = await db.all<Row>`
      select path, encoding, blob_key, size from version_files where version_id = ${id} limit ${ROWS_AT_ONCE}`;
    if (rows.length === 0) break;
    await db.batch([
      lockBytes(canvasId),
      ...rows.flatMap(({ path, encoding, blob_key, size }) => [
        // Rolls back the batch if a concurrent removal has taken the row.
        sql`delete from version_files where version_id = ${id} and path = ${path} and encoding = ${encoding}`,
        ...(encoding === "identity" ? removeUse(canvasId, { key: blob_key, size }) : []),
      ]),
    ]);
  }
  await db.run`delete from versions where id = ${id} and state = 'removing'`;
}

/** Removes a version that could not be stored. */
export async function discardVersion(version: { id: string; canvasId: string }, env: Env): Promise<void> {
  const marked = await env.db.run`
    update versions set state = 'removing' where id = ${version.id} and state = 'storing'`;
  if (marked === 1) await removeMarked(version, env);
}

/** Removes the versions of a canvas that are marked `removing`. */
export async function removeOfCanvas(canvasId: string, env: Env): Promise<void> {
  const marked = await env.db.all<{ id: string }>`
    select id from versions where canvas_id = ${canvasId} and state <> 'stored' and state = 'removing'`;
  for (const { id } of marked) await removeMarked({ id, canvasId }, env);
}

/** Removes every version that is marked `removing`, or that is still being stored but was created before `time` (epoch milliseconds). */
export async function sweepVersions(time: number, env: Env): Promise<void> {
  await env.db.run`
    update versions set state = 'removing' where state <> 'stored' and state = 'storing' and created_at < ${time}`;
  const marked = await env.db.all<{ id: string; canvasId: string }>`
    select id, canvas_id as "canvasId" from versions where state <> 'stored' and state = 'removing'`;
  for (const version of marked) await removeMarked(version, env);
}
