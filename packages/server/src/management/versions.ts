import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { LIMITS } from "@easel/protocol/limits";
import { withBundle } from "../canvases/publishing/bundle.ts";
import { publishStored, storeVersion } from "../canvases/publishing/deploy.ts";
import { uploadsOf } from "../canvases/sweep.ts";
import { listVersions, publishVersion } from "../canvases/versions.ts";
import { currentView } from "../canvases/view.ts";
import { isId } from "../crypto/ids.ts";
import { isFull, whileSpace } from "../disk/disk-space.ts";
import { makeDirectory } from "../disk/private-files.ts";
import type { Env } from "../env.ts";
import { brokenOff } from "../http/body.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { act, actWithInput } from "./act.ts";
import { canvasOf, managedCanvas } from "./canvas.ts";
import { ok, type Routes } from "./route.ts";

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

/** Deploying bundles and rolling back and forward between them (management API, section 4). */
export const versions: Routes = {
  "/canvases/:id/bundle": {
    PUT: actWithInput("canvas.deploy", {
      may: managedCanvas,
      input: ({ request, user, params: { id = "" } }, env) =>
        withUpload(request, env, (file) =>
          withBundle(file, async ({ files, leftOut, warnings }) => ({
            stored: await storeVersion(id, user.id, files, env),
            told: { leftOut, warnings },
          })),
        ),
      async run({ user }, { id }, { stored, told }, env) {
        await publishStored(stored, env);
        return ok({ ...(await currentView(id, user, env)), ...told });
      },
    }),
  },
  "/canvases/:id/versions": {
    async GET(call, env) {
      const { id } = await canvasOf(call, env);
      return ok({ versions: await listVersions(id, env) });
    },
  },
  "/canvases/:id/versions/:version/publish": {
    POST: act("canvas.publish", {
      may: managedCanvas,
      async run({ user, params: { version = "" } }, { id }, env) {
        if (!isId(version) || !(await publishVersion(id, version, env))) {
          refuse("NOT_FOUND", { message: "The canvas has no such version." });
        }
        return ok(await currentView(id, user, env), { target: version });
      },
    }),
  },
};
