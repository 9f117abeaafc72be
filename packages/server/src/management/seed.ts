import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { RuntimePolicy } from "@easel/protocol/policy";
import { setCapabilities } from "../canvases/capabilities.ts";
import type { BundleFile } from "../canvases/publishing/bundle.ts";
import { publishStored, storeVersion } from "../canvases/publishing/deploy.ts";
import { setSharing } from "../canvases/sharing.ts";
import { insertCanvas } from "../canvases/store.ts";
import { deleteCanvas, patchCanvas } from "../canvases/update.ts";
import { newId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";
import { upsertUser } from "../identity/users.ts";

const EXAMPLES = path.join(import.meta.dirname, "../../../../examples");

/** Users that dev mode creates besides the administrator, who owns the examples. */
const EDITOR = "editor@example.com";
const VIEWER = "viewer@example.com";

/** The parsed `easel.json` of an example. */
interface Manifest {
  title: string;
  policy?: RuntimePolicy;
}

/** Returns the files of an example that browsers need: no docs, tests and manifest. */
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

/** Deploys the example canvases to an empty service in dev mode and lists them for everyone. */
export async function seedExamples(env: Env): Promise<void> {
  if (env.config.authMode !== "dev") return;
  if ((await env.db.get`select 1 as taken from canvases limit 1`) !== undefined) return;
  const now = env.clock();
  const owner = await upsertUser(env.db, env.config.adminEmails[0] ?? "dev@example.com", null, now);
  await upsertUser(env.db, EDITOR, null, now);
  await upsertUser(env.db, VIEWER, null, now);
  const names = (await readdir(EXAMPLES, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  for (const slug of names) {
    const manifest = await readFile(path.join(EXAMPLES, slug, "easel.json"), "utf8").catch(() => null);
    if (owner === null || manifest === null) continue;
    const { title, policy: runtimePolicy } = JSON.parse(manifest) as Manifest;
    const id = newId();
    const canvas = { id, slug, title, tags: ["example"], org: null };
    if ((await insertCanvas(canvas, owner.id, env)) !== "done") continue;
    try {
      const files = await servedFiles(path.join(EXAMPLES, slug));
      await publishStored(await storeVersion(id, owner.id, files, env), env);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      env.log.warn({ err: error }, `the example ${slug} was not deployed`);
      await deleteCanvas(id, env);
      continue;
    }
    await setSharing(id, { access: "whole_org", people: [{ email: EDITOR, role: "editor" }] }, env);
    await patchCanvas(id, { discoverability: "listed" }, env);
    await setCapabilities(id, { backendEnabled: true }, { runtimePolicy, expected: null }, env);
  }
}
