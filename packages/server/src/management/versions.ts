import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { LIMITS } from "@easel/protocol/limits";
import type { LeftOut } from "@easel/protocol/types";
import { withBundle } from "../canvases/publishing/bundle.ts";
import { publishStored, type StoredVersion, storeVersion } from "../canvases/publishing/deploy.ts";
import { uploadsOf } from "../canvases/sweep.ts";
import { listVersions, publishVersion } from "../canvases/versions.ts";
import { currentView } from "../canvases/view.ts";
import { isId } from "../crypto/ids.ts";
import { isFull, whileSpace } from "../disk/disk-space.ts";
import { makeDirectory } from "../disk/private-files.ts";
import type { Env } from "../env.ts";
import { brokenOff } from "../http/body.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { act } from "./act.ts";
import { ok } from "./answer-spec.ts";
import { canvas, deployedCanvas, versionList } from "./answers/canvas.ts";
import type { BodySpec } from "./body-spec.ts";

const TYPES = ["application/zip", "application/x-zip-compressed", "application/octet-stream"];

const tooLarge = () => refuse("INVALID_BODY", { message: "bundle too large" }, 413);

async function* upTo(limit: number, source: AsyncIterable<Uint8Array>) {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > limit) tooLarge();
    yield chunk;
  }
}

/**
 * Keeps a body in a file of its own while `use` runs: a zip is read from its end. Few are used at a time; with a long queue of others
 * the answer is 503 `UNAVAILABLE`.
 */
async function withUpload<Result>(
  request: IncomingMessage,
  env: Env,
  use: (file: string) => Promise<Result>,
) {
  env.deploys.requireRoom();
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!TYPES.includes(type)) refuse("INVALID_BODY", { message: "The body must be application/zip." });
  const limit = LIMITS.bundleBytes.value;
  if (Number(request.headers["content-length"] ?? 0) > limit) tooLarge();
  const folder = uploadsOf(env);
  await makeDirectory(folder);
  const file = path.join(folder, `${randomUUID()}.zip`);
  try {
    const staged = createWriteStream(file, { flags: "wx", mode: 0o600 });
    // The rest of a refused body is read and discarded.
    const source = upTo(limit, request.iterator({ destroyOnReturn: false }));
    const body = whileSpace(source, folder, env.config.diskReserve);
    await pipeline(body, staged).catch((error) => {
      throw error instanceof Refusal || isFull(error) || request.errored === null ? error : brokenOff();
    });
    return await env.deploys.run(() => use(file));
  } finally {
    await rm(file, { force: true });
  }
}

/** Stores the uploaded bundle as a version that is not yet published. */
const uploadedVersion: BodySpec<{ stored: StoredVersion; leftOut: LeftOut[]; warnings: string[] }> = {
  type: "application/zip",
  optional: false,
  schema: null,
  read: ({ request, user, params: { id = "" } }, env) =>
    withUpload(request, env, (file) =>
      withBundle(file, async ({ files, leftOut, warnings }) => ({
        stored: await storeVersion(id, user.id, files, env),
        leftOut,
        warnings,
      })),
    ),
};

/** Deploys, and rolling back and forward between versions (management API, section 4). */
export const versions = [
  act({
    name: "canvas.deploy",
    method: "PUT",
    path: "/api/canvases/{id}/bundle",
    summary: "Deploys a zipped folder as a new version and publishes it.",
    details:
      "See [bundles](#bundles). 409 `QUOTA_EXCEEDED`; 503 with `Retry-After` while many other deploys wait.",
    allow: "editor",
    affects: "canvas",
    body: uploadedVersion,
    answer: ok(deployedCanvas),
    async run({ user, canvas: { id }, body: { stored, leftOut, warnings } }, env) {
      await publishStored(stored, env);
      return { body: { ...(await currentView(id, user, env)), leftOut, warnings } };
    },
  }),
  act({
    name: "canvas.versions",
    method: "GET",
    path: "/api/canvases/{id}/versions",
    summary: "Lists the versions of a canvas, newest first.",
    allow: "viewer",
    answer: ok(versionList),
    run: async ({ canvas: { id } }, env) => ({ body: { versions: await listVersions(id, env) } }),
  }),
  act({
    name: "canvas.publish",
    method: "POST",
    path: "/api/canvases/{id}/versions/{version}/publish",
    summary: "Publishes another version: rolls back or forward.",
    allow: "editor",
    affects: "canvas",
    answer: ok(canvas),
    async run({ user, canvas: { id }, params: { version } }, env) {
      if (!isId(version) || !(await publishVersion(id, version, env))) {
        refuse("NOT_FOUND", { message: "The canvas has no such version." });
      }
      return { body: await currentView(id, user, env), audit: { target: version } };
    },
  }),
];
