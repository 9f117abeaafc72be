import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { readAll } from "../async/chunks.ts";
import {
  addFiles,
  cancelDeploy,
  finishDeploy,
  missingBlobs,
  type ReceivedFiles,
  receiveFile,
  receiveFiles,
  stageDeploy,
} from "../canvases/publishing/staging.ts";
import { currentView } from "../canvases/view.ts";
import { printable } from "../http/field-schemas.ts";
import { type Part, partsOf } from "../http/multipart.ts";
import { refuse } from "../http/refusal.ts";
import { bytes } from "../primitives/description.ts";
import { act, created, noContent, ok } from "./act.ts";
import { type ActBody, json, optionalJson, upload } from "./bodies.ts";
import { finishedDeploy, missingFiles, stagedDeploy, uploadedFiles } from "./responses/canvas.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hexadecimal digits");

const Manifest = z.strictObject({
  files: z
    .array(z.strictObject({ path: z.string(), sha256, size: z.int().min(0) }))
    .max(LIMITS.bundleEntries.value),
  expectedVersion: z.string().nullish(),
  message: z.string().max(LIMITS.deployMessageLength.value).nullish(),
  releaseId: printable.min(1).max(LIMITS.releaseIdLength.value).nullish(),
});

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/** Reads the files of a form, whose parts are named by their hashes. Throws 400 `INVALID_BODY` or 413 `BODY_TOO_LARGE` at the limits. */
async function readForm(parts: AsyncGenerator<Part>): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  let left: number = LIMITS.uploadBytes.value;
  for await (const { name, body } of parts) {
    if (!/^[0-9a-f]{64}$/.test(name)) invalid("Each part must be named by the SHA-256 of its bytes.");
    if (files.has(name)) invalid(`\`${name}\` is sent twice.`);
    if (files.size === LIMITS.uploadFiles.value)
      invalid(`The body has more than ${LIMITS.uploadFiles.value} files.`);
    const bytes = await readAll(body, left, () => refuse("BODY_TOO_LARGE"));
    left -= bytes.length;
    files.set(name, bytes);
  }
  return files;
}

/** The maximum size in bytes of a form without the bytes of its files: some hundred for each, and room for long names. */
const MAX_OVERHEAD = 256 * 1024;

/** The request body of an upload: the bytes of one file. */
const bytesOfFile: ActBody<ReceivedFiles> = upload(
  { type: "application/octet-stream", schema: bytes },
  (source, { caller: { user }, params: { id = "", deploy = "", sha256: key = "" } }, env) => {
    const deployKey = { id: deploy, canvasId: id, userId: user.id };
    return receiveFile(deployKey, key, source.size, source.stream(), env);
  },
);

/** The request body of an upload of several files: a form with a part for each, named by its hash. */
const formOfFiles: ActBody<ReceivedFiles> = upload(
  { type: "multipart/form-data", schema: z.record(sha256, bytes), tooLarge: "BODY_TOO_LARGE" },
  async (source, { caller: { user }, params: { id = "", deploy = "" } }, env) => {
    if (source.size > LIMITS.uploadBytes.value + MAX_OVERHEAD) refuse("BODY_TOO_LARGE");
    const files = await readForm(partsOf(source));
    return receiveFiles({ id: deploy, canvasId: id, userId: user.id }, files, env);
  },
);

/** The endpoints for deploys whose files are uploaded apart (docs/http/management.md#staged-deploys). */
export const stagedDeploys = [
  act({
    name: "canvas.stage",
    method: "POST",
    path: "/api/canvases/{id}/deploys",
    summary: "Begins a staged deploy and returns which files to upload.",
    details:
      "See [staged deploys](#staged-deploys). 409 `VERSION_CONFLICT` with `currentVersion`, 409 `QUOTA_EXCEEDED`, 409 `KEY_LIMIT` while ten are open.",
    allow: "editor",
    deploys: true,
    body: json(Manifest, LIMITS.manifestBytes.value),
    response: created(stagedDeploy),
    errors: ["VERSION_CONFLICT", ["QUOTA_EXCEEDED", 409], "KEY_LIMIT"],
    audited: false,
    async run({ user, canvas: { id }, body: { files, ...options }, work }, env) {
      const listed = files.map(({ path, sha256, size }) => ({ path, key: sha256, size }));
      return { body: await stageDeploy(id, user.id, { files: listed, ...options }, work, env) };
    },
  }),
  act({
    name: "canvas.stage-read",
    method: "GET",
    path: "/api/canvases/{id}/deploys/{deploy}",
    summary: "Returns which files of a staged deploy have not been uploaded yet.",
    details: "Only for the person who began it. 404 `NOT_FOUND` once it has expired or been published.",
    allow: "editor",
    response: ok(missingFiles),
    async run({ user, canvas: { id }, params: { deploy } }, env) {
      return { body: { missing: await missingBlobs({ id: deploy, canvasId: id, userId: user.id }, env) } };
    },
  }),
  act({
    name: "canvas.stage-cancel",
    method: "DELETE",
    path: "/api/canvases/{id}/deploys/{deploy}",
    summary: "Ends a staged deploy without publishing it.",
    details: "Only for the person who began it. 404 `NOT_FOUND` once it has expired or been published.",
    allow: "editor",
    deploys: true,
    response: noContent,
    audited: false,
    async run({ user, canvas: { id }, params: { deploy } }, env) {
      await cancelDeploy({ id: deploy, canvasId: id, userId: user.id }, env);
      return { body: undefined };
    },
  }),
  act({
    name: "canvas.stage-file",
    method: "PUT",
    path: "/api/canvases/{id}/deploys/{deploy}/blobs/{sha256}",
    summary: "Uploads the bytes of a file of a staged deploy.",
    details:
      "May be sent again. 400 `INVALID_BODY` for bytes of another hash or size, 404 for a hash that is not of the deploy.",
    allow: "editor",
    cost: "cheap",
    params: z.object({ sha256 }),
    deploys: true,
    body: bytesOfFile,
    response: noContent,
    audited: false,
    uploads: true,
    async run({ user, canvas: { id }, params: { deploy }, body: received }, env) {
      await addFiles({ id: deploy, canvasId: id, userId: user.id }, received, env);
      return { body: undefined };
    },
  }),
  act({
    name: "canvas.stage-files",
    method: "POST",
    path: "/api/canvases/{id}/deploys/{deploy}/blobs",
    summary: "Uploads the bytes of several files of a staged deploy.",
    details:
      "A form with a part for each file, named by its SHA-256: at most 250 files and 1 MiB. May be sent again. `refused` has the files whose bytes have another hash or size (`INVALID_BODY`), or whose hash is not of the deploy (`NOT_FOUND`).",
    allow: "editor",
    cost: "cheap",
    deploys: true,
    body: formOfFiles,
    response: ok(uploadedFiles),
    errors: [["QUOTA_EXCEEDED", 409]],
    audited: false,
    uploads: true,
    async run({ user, canvas: { id }, params: { deploy }, body: received }, env) {
      await addFiles({ id: deploy, canvasId: id, userId: user.id }, received, env);
      const { uploaded, refused } = received;
      return { body: { uploaded, refused } };
    },
  }),
  act({
    name: "canvas.stage-finish",
    method: "POST",
    path: "/api/canvases/{id}/deploys/{deploy}/finish",
    summary: "Stores a staged deploy as a new version, and publishes it unless `publish` is false.",
    details:
      "`storedVersion` is this version; `canvas.publish` publishes it later. May be sent again, where only the first request decides about `publish`. If the published version has the `releaseId` of the deploy, nothing is stored and `unchanged` is true. Otherwise 409 `BLOBS_MISSING` with `missing`, 409 `VERSION_CONFLICT` with `currentVersion`.",
    allow: "editor",
    cost: "cheap",
    affects: "canvas",
    deploys: true,
    body: optionalJson(z.strictObject({ publish: z.boolean().default(true) })),
    response: ok(finishedDeploy),
    errors: ["BLOBS_MISSING", "VERSION_CONFLICT", ["QUOTA_EXCEEDED", 409], "UNAVAILABLE"],
    async run({ user, canvas: { id }, params: { deploy }, body: { publish }, signal }, env) {
      const deployKey = { id: deploy, canvasId: id, userId: user.id };
      const { version, ...outcome } = await finishDeploy(deployKey, publish, env, signal());
      const { unchanged } = outcome;
      const details = { ...(unchanged && { unchanged }), ...(!publish && { publish }) };
      return {
        body: { ...(await currentView(id, user, env)), storedVersion: version, ...outcome },
        audit: { target: version, ...(Object.keys(details).length > 0 && { details }) },
      };
    },
  }),
];
