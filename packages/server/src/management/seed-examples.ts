import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { inParallel } from "../async/task-pool.ts";
import { setCapabilities } from "../canvases/capabilities.ts";
import type { BundleFile } from "../canvases/publishing/bundle.ts";
import { publishStored, storeVersion } from "../canvases/publishing/deploy.ts";
import { type EaselJson, easelJson } from "../canvases/publishing/easel-json.ts";
import { setSharing } from "../canvases/sharing.ts";
import { insertCanvas } from "../canvases/store.ts";
import { deleteCanvas, patchCanvas } from "../canvases/update.ts";
import type { StoredVersion } from "../canvases/versions.ts";
import { assetPath } from "../config/assets.ts";
import { newId } from "../crypto/ids.ts";
import { putClaimed } from "../drivers/blob-references.ts";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";
import { upsertUser } from "../identity/users.ts";
import { alone } from "../instance/jobs.ts";
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
        const { key, size, claim } = await putClaimed(createReadStream(path.join(FILES, name)), env);
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
          claim,
          created_at,
        });
      }
  };
}

const EXAMPLES = assetPath("examples");

/** The e-mail addresses of two users that dev mode creates. It also creates the administrator, who owns the examples. */
const EDITOR = "editor@example.com";
const VIEWER = "viewer@example.com";

/** The number of examples that are stored in parallel. Each spends most of its time waiting for the disk. */
const AT_ONCE = 4;

/** Returns the files of an example that browsers need: all except docs, tests and `easel.json`. */
async function servedFiles(folder: string): Promise<BundleFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const served = entries.filter(
    (entry) => entry.isFile() && !/\.(md|test\.ts)$|^easel\.json$/.test(entry.name),
  );
  return Promise.all(
    served.map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return {
        path: path.relative(folder, file).split(path.sep).join("/"),
        size: (await stat(file)).size,
        open: async () => createReadStream(file),
      };
    }),
  );
}

/**
 * Deploys the example canvases with their first data, and lists them for everyone. With `only`, deploys the canvases of these names, without
 * data. Does nothing unless the service runs in dev mode and has no canvases. `stop` ends the wait for another process that does this.
 */
export async function seedExamples(env: Env, stop?: AbortSignal, only?: readonly string[]): Promise<void> {
  if (env.config.authMode !== "dev" || (await hasCanvases(env))) return;
  await alone(
    "seed",
    async () => {
      if (!(await hasCanvases(env))) await seed(env, only);
    },
    env,
    stop === undefined ? {} : { stop },
  );
}

const hasCanvases = async ({ db }: Env) =>
  (await db.get`select 1 as taken from canvases limit 1`) !== undefined;

async function seed(env: Env, only: readonly string[] | undefined): Promise<void> {
  const now = env.clock();
  const owner = await upsertUser(env.db, env.config.adminEmails[0] ?? "dev@example.com", null, now);
  const editor = await upsertUser(env.db, EDITOR, null, now);
  const viewer = await upsertUser(env.db, VIEWER, null, now);
  const names = (await readdir(EXAMPLES, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((name) => only?.includes(name) ?? true);
  if (owner === null || editor === null || viewer === null) return;
  const fill =
    only === undefined
      ? await firstDataOf(env, { owner: owner.id, editor: editor.id, viewer: viewer.id })
      : async () => {};
  const stored = await inParallel(names, AT_ONCE, (slug) => storeExample(slug, owner.id, env));
  // Published one after the other, so that lists by date show the examples in the order of their names.
  for (const example of stored) {
    if (example === null) continue;
    await fill(example.slug, example.id);
    await publishExample(example, env);
  }
}

interface Example {
  id: string;
  slug: string;
  settings: EaselJson;
  version: StoredVersion;
}

/**
 * Creates the canvas of an example and stores its files. Returns null if its `easel.json` is missing, its slug is taken or its files are
 * refused.
 */
async function storeExample(slug: string, ownerId: string, env: Env): Promise<Example | null> {
  const folder = path.join(EXAMPLES, slug);
  const text = await readFile(path.join(folder, "easel.json"), "utf8").catch(() => null);
  if (text === null) return null;
  const settings = easelJson.parse(JSON.parse(text));
  const { title = slug } = settings;
  const id = newId();
  if ((await insertCanvas({ id, slug, title, tags: ["example"], org: null }, ownerId, env)) !== "done")
    return null;
  try {
    const version = await storeVersion(id, ownerId, await servedFiles(folder), env);
    return { id, slug, settings, version };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    env.log.warn({ err: error }, `the example ${slug} was not deployed`);
    await deleteCanvas(id, env);
    return null;
  }
}

async function publishExample({ id, settings, version }: Example, env: Env): Promise<void> {
  const { spa, policy = null, capabilities = [] } = settings;
  await publishStored(version, env);
  await setSharing(id, { access: "whole_org", people: [{ email: EDITOR, role: "editor" }] }, env);
  await patchCanvas(id, { discoverability: "listed", spa }, env);
  // The backend is on in every example, so that people can try all capabilities that a new canvas has.
  const switches = { backendEnabled: true, ...(capabilities.includes("authoring") && { authoring: true }) };
  await setCapabilities(id, switches, { runtimePolicy: policy, expected: null }, env);
}
