import { readdir } from "node:fs/promises";
import path from "node:path";
import { until } from "@easel/conformance/patience";
import type { Env } from "../../../src/env.ts";

/** Lists the staging files, in which blobs are written before they are complete. */
export const staged = ({ config }: Pick<Env, "config">): Promise<string[]> =>
  readdir(path.join(config.dataDir, "blobs/staging"));

/** Waits until one upload (`1`) or none (`0`) is being written. */
export const untilStaged = (env: Pick<Env, "config">, count: 0 | 1): Promise<void> =>
  until(`${count} staged files`, async () => (await staged(env)).length === count);

/** Returns everything that uploads have stored: rows, counted bytes, blobs and staging files. */
export async function stored(
  env: Env,
): Promise<{ files: object[]; bytes: object[]; blobs: string[]; staged: string[] }> {
  const blobs = await Array.fromAsync(env.blobs.list(Number.POSITIVE_INFINITY));
  return {
    files: await env.db.all`select * from files order by id`,
    bytes: await env.db.all`select * from file_bytes order by canvas_id`,
    blobs: blobs.sort(),
    staged: await staged(env),
  };
}
