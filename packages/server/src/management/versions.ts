import { z } from "zod";
import { archiveOf } from "../canvases/publishing/bundle-archive.ts";
import { publishStored, type StoredBundle, storeBundle, tidyUp } from "../canvases/publishing/deploy.ts";
import { withUpload } from "../canvases/publishing/upload.ts";
import { removeOfCanvas } from "../canvases/version-files.ts";
import {
  deleteVersion,
  listFiles,
  listVersions,
  publishVersion,
  requireVersion,
} from "../canvases/versions.ts";
import { currentView } from "../canvases/view.ts";
import type { Env } from "../env.ts";
import { essenceOf } from "../http/body.ts";
import { refuse } from "../http/refusal.ts";
import { act, Download, download, noContent, ok } from "./act.ts";
import { type ActBody, upload } from "./bodies.ts";
import { canvas, deployedCanvas, versionFiles, versionList } from "./responses/canvas.ts";

const TYPES = ["application/zip", "application/x-zip-compressed", "application/octet-stream", "text/html"];

/** The request body of a deploy. Reading it stores the bundle as a version that is not published yet. */
const uploadedVersion: ActBody<StoredBundle> = upload(
  { type: "application/zip, text/html", schema: z.any(), tooLarge: ["INVALID_BODY", 413] },
  async (bytes, { caller: { user }, params: { id = "" }, signal }, env) => {
    if (!TYPES.includes(essenceOf(bytes.type)))
      refuse("INVALID_BODY", { message: "The body must be application/zip or text/html." });
    env.deploys.requireRoom(user.id);
    const store = (file: string) => storeBundle(id, user.id, file, env, signal());
    return withUpload(bytes.stream(), bytes.size, env, store);
  },
);

/** Returns the files of a version as a zip to download. Throws 404 `NOT_FOUND` if the canvas has no such version. */
async function downloadOf(
  { id, slug }: { id: string; slug: string },
  version: string,
  env: Env,
): Promise<Download> {
  await requireVersion(id, version, env);
  const { size, open } = await archiveOf(version, env);
  // Checked again, because the version may have been deleted meanwhile: a deletion marks the version before it removes the files.
  await requireVersion(id, version, env);
  const headers = { "content-disposition": `attachment; filename="${slug}.zip"` };
  return new Download(size === null ? headers : { ...headers, "content-length": String(size) }, open());
}

/** The endpoints for the versions of a canvas: deploys, rollbacks, deletions and downloads (docs/publishing.md#versions). */
export const versions = [
  act({
    name: "canvas.deploy",
    method: "PUT",
    path: "/api/canvases/{id}/bundle",
    summary: "Deploys a zipped folder, or a single page, as a new version and publishes it.",
    details:
      "See [bundles](#bundles). 409 `QUOTA_EXCEEDED`; 503 with `Retry-After` while many other deploys of the caller wait.",
    allow: "editor",
    affects: "canvas",
    deploys: true,
    body: uploadedVersion,
    response: ok(deployedCanvas),
    errors: [["QUOTA_EXCEEDED", 409], "UNAVAILABLE"],
    async run({ user, canvas: { id }, body: { version, leftOut, warnings } }, env) {
      await publishStored(version, env);
      return { body: { ...(await currentView(id, user, env)), leftOut, warnings } };
    },
  }),
  act({
    name: "canvas.versions",
    method: "GET",
    path: "/api/canvases/{id}/versions",
    summary: "Lists the versions of a canvas, newest first.",
    details: "`changed` counts the files that differ from the version that was stored before it.",
    allow: "viewer",
    response: ok(versionList),
    run: async ({ canvas: { id } }, env) => ({ body: { versions: await listVersions(id, env) } }),
  }),
  act({
    name: "canvas.version-files",
    method: "GET",
    path: "/api/canvases/{id}/versions/{version}/files",
    summary: "Lists the files of a version, sorted by path, with their hashes.",
    details:
      "A client that deploys compares them with its own: without a difference there is nothing to deploy.",
    allow: "editor",
    response: ok(versionFiles),
    run: async ({ canvas: { id }, params: { version } }, env) => ({
      body: { files: await listFiles(id, version, env) },
    }),
  }),
  act({
    name: "canvas.publish",
    method: "POST",
    path: "/api/canvases/{id}/versions/{version}/publish",
    summary: "Publishes another version: rolls back or forward.",
    allow: "editor",
    affects: "canvas",
    deploys: true,
    response: ok(canvas),
    async run({ user, canvas: { id }, params: { version } }, env) {
      await publishVersion(id, version, env);
      return { body: await currentView(id, user, env), audit: { target: version } };
    },
  }),
  act({
    name: "canvas.delete-version",
    method: "DELETE",
    path: "/api/canvases/{id}/versions/{version}",
    summary: "Deletes a version that is not the published one.",
    details: "409 `VERSION_LIVE` for the published one, also while the canvas is unpublished.",
    allow: "editor",
    affects: "canvas",
    response: noContent,
    errors: ["VERSION_LIVE"],
    async run({ canvas: { id }, params: { version } }, env) {
      await deleteVersion(id, version, env);
      await tidyUp(removeOfCanvas(id, env), env);
      return { body: undefined, audit: { target: version } };
    },
  }),
  act({
    name: "canvas.download",
    method: "GET",
    path: "/api/canvases/{id}/bundle",
    summary: "Returns the files of the current version as a zip that deploys again.",
    details:
      "404 `NOT_FOUND` for a canvas without a version. Two downloads of a person run at once, further ones wait; 503 with `Retry-After` while eight wait.",
    allow: "editor",
    response: download("application/zip"),
    errors: ["UNAVAILABLE"],
    run: async ({ canvas }, env) => ({ body: await downloadOf(canvas, canvas.version_id ?? "", env) }),
  }),
  act({
    name: "canvas.download-version",
    method: "GET",
    path: "/api/canvases/{id}/versions/{version}/bundle",
    summary: "Returns the files of a version as a zip that deploys again.",
    allow: "editor",
    response: download("application/zip"),
    errors: ["UNAVAILABLE"],
    run: async ({ canvas, params: { version } }, env) => ({ body: await downloadOf(canvas, version, env) }),
  }),
];
