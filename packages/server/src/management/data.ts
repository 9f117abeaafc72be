import type { Capability } from "@easel/protocol/capabilities";
import { LIMITS } from "@easel/protocol/limits";
import { DATA_PARTS, type DataPart, type DataSummary, type ImportResult } from "@easel/protocol/management";
import { z } from "zod";
import { manages } from "../access/roles.ts";
import { withUpload } from "../canvases/publishing/upload.ts";
import { findCanvas } from "../canvases/store.ts";
import type { Env } from "../env.ts";
import { essenceOf, refuseLargeBody } from "../http/body.ts";
import { firstValue } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { readmit } from "../pipeline/admit.ts";
import { callerOf } from "../primitives/caller.ts";
import type { RuntimeCaller } from "../primitives/primitive.ts";
import { exportArchive } from "../primitives/transfer/export-archive.ts";
import { importData } from "../primitives/transfer/import-data.ts";
import { TRANSFERS } from "../primitives/transfer/transfers.ts";
import { act, Download, download, ok } from "./act.ts";
import { type ActBody, upload } from "./bodies.ts";
import type { ActCaller } from "./callers.ts";
import { dataSummary, importResult } from "./responses/canvas.ts";

/**
 * Returns a function that checks the caller's access in the same way as for a request to the runtime API of the canvas. It also requires
 * that the caller is still the owner or an editor. If `capability` is null, no capability has to be on.
 */
function accessTo(
  { id, slug }: { id: string; slug: string },
  { user, credential, passes, address }: Omit<ActCaller, "readmit" | "via">,
  reads: boolean,
  env: Env,
) {
  const use = { reads, leavesCanvas: false };
  const admission = { user, credential, passes, canvas: { id, slug }, use };
  return async function access(capability: Capability | null): Promise<RuntimeCaller> {
    const admitted = await readmit(admission, capability, env);
    if (!manages(admitted.role)) refuse("PERMISSION_DENIED");
    const caller = callerOf(admitted, { use, address }, capability, env);
    return { ...caller, readmit: () => access(capability) };
  };
}

const isPart = (text: string): text is DataPart => (DATA_PARTS as readonly string[]).includes(text);

const ExportQuery = z.object({
  what: z
    .string()
    .meta({ description: `Parts, separated by commas: ${DATA_PARTS.join(", ")}. All by default.` })
    .optional()
    .transform((what) => what?.split(",") ?? [...DATA_PARTS])
    .refine((parts): parts is DataPart[] => parts.every(isPart), {
      message: `may name ${DATA_PARTS.join(", ")}, separated by commas`,
    }),
});

const EXISTING = ["keep", "replace"] as const;

const ImportQuery = z.object({
  existing: z
    .enum(EXISTING)
    .default("keep")
    .meta({ description: "Whether keys, submissions and records that exist already are kept or replaced." }),
});

const TYPES = ["application/zip", "application/x-zip-compressed", "application/octet-stream"];
const BYTES = LIMITS.importBytes.value;
const SIZE_LIMIT = { bytes: BYTES, refuse: () => refuseLargeBody(BYTES) };

/** The request body of an import. Reading it imports the data, and checks access again before each write. */
const uploadedData: ActBody<ImportResult> = upload(
  { type: "application/zip", schema: z.any(), tooLarge: "BODY_TOO_LARGE" },
  async (bytes, { caller, params: { id = "" }, query, signal }, env) => {
    const { user } = caller;
    if (!TYPES.includes(essenceOf(bytes.type)))
      refuse("INVALID_BODY", { message: "The body must be application/zip." });
    const { slug } = (await findCanvas(id, user, env)) ?? refuse("NOT_FOUND");
    const access = accessTo({ id, slug }, caller, false, env);
    const existing = firstValue(query, "existing") === "replace" ? "replace" : "keep";
    env.imports.requireRoom(user.id);
    const use = (file: string) => importData(file, existing, user.id, access, env, signal());
    return withUpload(bytes.stream(), bytes.size, env, use, SIZE_LIMIT);
  },
);

/** The endpoints that list, export and import the data of a canvas (docs/http/management.md#exports-and-imports). */
export const data = [
  act({
    name: "canvas.data",
    method: "GET",
    path: "/api/canvases/{id}/data",
    summary: "Returns how much data a canvas stores, of all people.",
    details:
      "`kvUser` counts the keys of all people. `preset` is null for a collection that the policy no longer configures.",
    allow: "editor",
    response: ok(dataSummary),
    async run({ canvas, work }, env) {
      const subject = { id: canvas.id, policyRevision: canvas.runtime_policy_revision, phases: null };
      const parts = await work.all(
        TRANSFERS.map(
          ({ summary }) =>
            () =>
              summary(subject, env),
        ),
      );
      return { body: Object.assign({}, ...parts) as DataSummary };
    },
  }),
  act({
    name: "canvas.export",
    method: "GET",
    path: "/api/canvases/{id}/export",
    summary: "Returns the data of a canvas that the caller may read, as a zip.",
    details:
      "See [exports and imports](#exports-and-imports). It contains what the runtime API gives the caller: of the keys per person only their own. A part whose capability is off is left out, and `manifest.json` says so. The audit log records it. Two downloads of a person run at once, further ones wait; 503 with `Retry-After` while eight wait.",
    allow: "editor",
    audited: true,
    deploys: false,
    query: ExportQuery,
    response: download("application/zip"),
    errors: ["DISABLED", "ARCHIVED", "UNAVAILABLE"],
    async run(call, env) {
      const {
        canvas: { id, slug },
        query: { what },
      } = call;
      const access = accessTo({ id, slug }, call, true, env);
      // Checked before the response begins: later, an error could only abort the stream.
      await access(null);
      const stream = exportArchive(what, { id, slug }, access, env);
      const headers = { "content-disposition": `attachment; filename="${slug}-data.zip"` };
      return { body: new Download(headers, stream), audit: { canvas: id, details: { what } } };
    },
  }),
  act({
    name: "canvas.import",
    method: "POST",
    path: "/api/canvases/{id}/import",
    summary: "Imports data from the zip of an export.",
    details:
      "See [exports and imports](#exports-and-imports). Writes what the caller may write through the runtime API, within the same limits, and returns what was left out. Records and files get the caller as their author. May be sent again after a failure. 503 with `Retry-After` while other imports of the caller wait.",
    allow: "editor",
    cost: "cheap",
    affects: "canvas",
    query: ImportQuery,
    body: uploadedData,
    response: ok(importResult),
    errors: ["UNAVAILABLE"],
    async run({ body }) {
      const { existing, imported } = body;
      return { body, audit: { details: { existing, imported } } };
    },
  }),
];
