import { z } from "zod";
import { archiveOf } from "../canvases/publishing/bundle-archive.ts";
import { publishStored, type StoredBundle, storeBundle, tidyUp } from "../canvases/publishing/deploy.ts";
import { withUpload } from "../canvases/publishing/upload.ts";
import { removeOfCanvas } from "../canvases/version-files.ts";
import {
  deleteVersion,
  expectedStep,
  findFile,
  listFiles,
  listVersions,
  publishVersion,
  requireExpected,
  requireVersion,
} from "../canvases/versions.ts";
import { currentView } from "../canvases/view.ts";
import type { Env } from "../env.ts";
import { essenceOf } from "../http/body.ts";
import { selectBytes } from "../http/byte-ranges.ts";
import { disposition } from "../http/disposition.ts";
import { refuse } from "../http/refusal.ts";
import { createPreview } from "../identity/previews.ts";
import { acceptsTokens } from "../identity/tokens.ts";
import type { Message } from "../operations/operation.ts";
import { act, created, Download, download, noContent, ok, type StoredBytes, storedBytes } from "./act.ts";
import { type ActBody, optionalJson, upload } from "./bodies.ts";
import { filePage } from "./list-query.ts";
import { canvas, deployedCanvas, previewLink, versionFiles, versionList } from "./responses/canvas.ts";

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

/**
 * Returns the bytes of a file of a version that a request asks for. Their media type and their headers keep every browser from executing
 * them, wherever they are embedded. Throws 404 `NOT_FOUND` if the canvas has no such file, and 416 `RANGE_NOT_SATISFIABLE`.
 */
async function bytesOf(
  { id }: { id: string },
  version: string,
  path: string,
  message: Message,
  env: Env,
): Promise<StoredBytes> {
  await requireVersion(id, version, env);
  const file = await findFile(id, version, path, env);
  if (file === undefined) return refuse("NOT_FOUND", { message: "The version has no such file." });
  const { sha256, size } = file;
  const { status, headers, size: sent, range, hasBody } = selectBytes(message, size, `"${sha256}"`);
  const open = async () => {
    const bytes = await env.blobs.get(sha256, range);
    // The version may have been deleted meanwhile.
    return bytes ?? refuse("NOT_FOUND", { message: "The version has no such file." });
  };
  const all = {
    ...headers,
    "content-type": "application/octet-stream",
    "content-disposition": disposition("attachment", path.slice(path.lastIndexOf("/") + 1)),
    "content-security-policy": "default-src 'none'; sandbox",
  };
  return { status, headers: all, size: sent, open: hasBody ? open : null };
}

/** The endpoints for the versions of a canvas: deploys, rollbacks, deletions and downloads (docs/publishing.md#versions). */
export const versions = [
  act({
    name: "canvas.deploy",
    method: "PUT",
    path: "/api/canvases/{id}/bundle",
    summary: "Deploys a zipped folder, or a single page, as a new version and publishes it.",
    details:
      "See [bundles](#bundles). 409 `QUOTA_EXCEEDED`; 503 with `Retry-After` while many other deploys of the caller wait. With `expectedVersion`, 409 `VERSION_CONFLICT` with `currentVersion` if another version is published.",
    allow: "editor",
    cost: "cheap",
    affects: "canvas",
    deploys: true,
    query: z.object({
      expectedVersion: z
        .string()
        .optional()
        .meta({ description: "The version that must be the published one." }),
    }),
    body: uploadedVersion,
    response: ok(deployedCanvas),
    errors: ["VERSION_CONFLICT", ["QUOTA_EXCEEDED", 409], "UNAVAILABLE"],
    async run(
      { user, canvas: { id }, query: { expectedVersion }, body: { version, leftOut, warnings } },
      env,
    ) {
      const conditions = expectedVersion === undefined ? [] : [expectedStep(id, expectedVersion)];
      await publishStored(version, env, conditions).catch(async (error) => {
        await requireExpected(id, expectedVersion, env);
        throw error;
      });
      const view = await currentView(id, user, env);
      return { body: { ...view, leftOut, warnings }, audit: { target: version.id } };
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
      "All of them without `limit`, so that a client that deploys compares them with its own: without a difference there is nothing to deploy. `mime` is the media type with which the file is served.",
    allow: "editor",
    query: filePage,
    response: ok(versionFiles),
    run: async ({ canvas: { id }, params: { version }, query }, env) => ({
      body: await listFiles(id, version, query, env),
    }),
  }),
  act({
    name: "canvas.version-file",
    method: "GET",
    path: "/api/canvases/{id}/versions/{version}/file",
    summary: "Returns the bytes of a file of a version.",
    details:
      "As an attachment of the type `application/octet-stream`, which no browser executes; its media type is in the list of files. The `ETag` is its SHA-256. `Range`, `If-Range` and `If-None-Match` apply.",
    allow: "editor",
    cost: "cheap",
    query: z.object({
      path: z
        .string()
        .refine((path) => !path.includes("\0"), "must not contain a NUL character")
        .meta({ description: "The path of the file, as the list of files has it." }),
    }),
    response: storedBytes,
    errors: ["RANGE_NOT_SATISFIABLE"],
    run: async ({ canvas, params: { version }, query: { path }, message }, env) => ({
      body: await bytesOf(canvas, version, path, message, env),
    }),
  }),
  act({
    name: "canvas.preview",
    method: "POST",
    path: "/api/canvases/{id}/versions/{version}/preview",
    summary: "Makes a link that shows a version in the browser that opens it.",
    details:
      "See [previews](../publishing.md#previews). The link works once, until `expiresAt`. With `signedIn`, which a token with the scope `deploy` cannot set, the browser also gets a session in which the caller reads this canvas for ten minutes.",
    allow: "editor",
    deploys: [],
    reads: true,
    body: optionalJson(z.strictObject({ signedIn: z.boolean().optional() })),
    response: created(previewLink),
    async run(
      { user, credential, canvas: { id, slug }, params: { version }, body: { signedIn = false } },
      env,
    ) {
      if (signedIn && !acceptsTokens(env.config))
        refuse("PERMISSION_DENIED", {
          message:
            "This service trusts only its sign-in proxy. Make a link without `signedIn`, and open it signed in.",
        });
      await requireVersion(id, version, env);
      const caller = { user, credential };
      const link = await createPreview(caller, { id, slug }, { version, signedIn }, env);
      const audit = { canvas: id, target: version, ...(signedIn && { details: { signedIn } }) };
      return { body: link, audit };
    },
  }),
  act({
    name: "canvas.publish",
    method: "POST",
    path: "/api/canvases/{id}/versions/{version}/publish",
    summary: "Publishes another version: rolls back or forward.",
    details:
      "With `expectedVersion`, only if that is the published version, null for none; otherwise 409 `VERSION_CONFLICT` with `currentVersion`.",
    allow: "editor",
    affects: "canvas",
    deploys: true,
    body: optionalJson(z.strictObject({ expectedVersion: z.string().nullable().optional() })),
    response: ok(canvas),
    errors: ["VERSION_CONFLICT"],
    async run({ user, canvas: { id }, params: { version }, body: { expectedVersion } }, env) {
      await publishVersion(id, version, expectedVersion, env);
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
