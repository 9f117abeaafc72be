import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { assetPath } from "../config/assets.ts";
import type { Env } from "../env.ts";
import { RecordStore } from "../primitives/collections/store.ts";
import { FileStore } from "../primitives/files/store.ts";
import { SubmissionStore } from "../primitives/submissions/store.ts";

const FILE = path.join(assetPath("examples"), "first-data.json");
/** The folder of the first files. */
const FILES = path.join(assetPath("examples"), "first-files");

/** The time between two records or files, in ms, so that pages do not show that all were written at once. */
const APART_MS = 37 * 60_000;

const by = z.enum(["owner", "editor", "viewer"]);
const lists = z.record(z.string(), z.array(z.strictObject({ by, value: z.json() })));
const groups = z.record(z.string(), z.array(z.strictObject({ by, name: z.string(), mime: z.string() })));
const firstData = z.record(
  z.string(),
  z.strictObject({ collections: lists.optional(), submissions: lists.optional(), files: groups.optional() }),
);

/** The ids of the users who have written the first data of the examples. */
export type Authors = Record<"owner" | "editor" | "viewer", string>;

/** Reads the data that the examples have at first, and returns a function that stores that of one example. */
export async function firstDataOf(
  env: Env,
  authors: Authors,
): Promise<(slug: string, canvas: string) => Promise<void>> {
  const data = firstData.parse(JSON.parse(await readFile(FILE, "utf8")));
  return async (slug, canvas) => {
    const { collections = {}, submissions = {}, files = {} } = data[slug] ?? {};
    const now = env.clock();
    for (const [name, list] of Object.entries(collections))
      for (const [index, { by, value }] of list.entries()) {
        const at = now - (list.length - index) * APART_MS;
        await new RecordStore(env.db, canvas, name, authors[by]).create(value as Json, at);
      }
    for (const [name, list] of Object.entries(submissions))
      for (const { by, value } of list)
        await new SubmissionStore(env.db, canvas, name).put(
          authors[by],
          JSON.stringify(value),
          now - APART_MS,
        );
    for (const [group, list] of Object.entries(files))
      for (const [index, { by, name, mime }] of list.entries()) {
        const { key, size } = await env.blobs.put(createReadStream(path.join(FILES, name)));
        const author = { owner_id: authors[by], uploaded_by: authors[by] };
        const created_at = now - (list.length - index) * APART_MS;
        const scope = `group:${group}` as const;
        await new FileStore(env, canvas).create({
          ...author,
          scope,
          record_id: null,
          name,
          mime,
          size,
          blob_key: key,
          created_at,
        });
      }
  };
}
