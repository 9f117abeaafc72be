import type { CanvasData } from "./canvas-data.ts";
import { purgeCanvases, RETENTION_MS } from "./deletion.ts";
import { sweepStaged } from "./staged-deploys.ts";
import { removeAllBlobs, sweepUnused, UNUSED_MS } from "./unused-blobs.ts";
import { sweepVersions } from "./version-files.ts";

const HOUR_MS = 60 * 60 * 1000;

/**
 * The tables that hold data of canvases apart from the data of a primitive such as KV: people lists, teams, versions, staged deploys and
 * slugs. Includes the table `counts`, in which several primitives count their rows.
 */
export const coreData: CanvasData = {
  tables: {
    canvas_people: { key: ["canvas_id", "email"] },
    canvas_teams: { key: ["canvas_id", "team_id"] },
    version_files: {
      key: ["version_id", "path", "encoding"],
      where: "version_id in (select id from versions where canvas_id = ?)",
    },
    versions: { key: ["id"] },
    staged_blobs: {
      key: ["deploy_id", "blob_key"],
      where: "deploy_id in (select id from staged_deploys where canvas_id = ?)",
    },
    staged_deploys: { key: ["id"] },
    bundle_blobs: { key: ["canvas_id", "blob_key"], remove: removeAllBlobs },
    bundle_bytes: { key: ["canvas_id"] },
    slug_claims: { key: ["slug"] },
    counts: { key: ["canvas_id", "kind"] },
  },
  otherTables: ["canvases", "slug_owners", "blob_claims"],
  people: {
    canvases: {
      ids: ["owner_id", "created_by"],
      erased: "kept",
      exported: {
        part: "canvases",
        columns: ["id", "slug", "title", "tags", "created_at", "updated_at", "deleted_at"],
        order: ["id"],
      },
    },
    canvas_people: {
      emails: ["email"],
      erased: "removed",
      exported: { part: "shared-with-them", columns: ["canvas_id", "role"], order: ["canvas_id"] },
    },
    versions: {
      ids: ["created_by"],
      erased: "kept",
      exported: {
        part: "versions",
        columns: ["id", "canvas_id", "created_at", "message", "files", "bytes"],
        order: ["id"],
      },
    },
    staged_deploys: { ids: ["user_id"], erased: "kept", exported: null },
    slug_owners: {
      ids: ["user_id"],
      erased: "kept",
      exported: { part: "slugs", columns: ["slug"], order: ["slug"] },
    },
  },
  blobs: [
    { table: "version_files", column: "blob_key" },
    // `sweepUnused` sets `unused_at` to 0 before it removes a blob.
    { table: "bundle_blobs", column: "blob_key", where: "(uses > 0 or unused_at > 0)", stored: "uses > 0" },
  ],
  cleanUps: [
    {
      what: "deleted canvases",
      keptMs: RETENTION_MS,
      remove: (until, stores) => purgeCanvases(stores, until),
    },
    { what: "versions that were not stored", keptMs: HOUR_MS, remove: sweepVersions },
    { what: "staged deploys", keptMs: 0, remove: (until, stores) => sweepStaged(stores, until) },
    {
      what: "blobs without uses",
      keptMs: UNUSED_MS,
      remove: (until, stores) => sweepUnused(stores, null, until),
    },
  ],
};
