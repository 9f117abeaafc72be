import type { Preset } from "../policy.ts";

/** The parts of a canvas's data that are exported and imported. */
export const DATA_PARTS = ["kv", "collections", "submissions", "files"] as const;
export type DataPart = (typeof DATA_PARTS)[number];

/** The response of `GET /api/canvases/{id}/data`: how much data a canvas stores, for all users together. */
export interface DataSummary {
  /** The number of shared keys. */
  kv: number;
  /** The number of per-user keys, of all users. */
  kvUser: number;
  /** `preset` is null for a collection that the policy no longer configures. */
  collections: { name: string; records: number; bytes: number; preset: Preset | null }[];
  submissions: { name: string; entries: number }[];
  files: { count: number; bytes: number };
}

/** Entries that an import has left out for one reason. `what` names the file in the zip, or the part. */
export interface SkippedData {
  what: string;
  /** An error code, such as `KEY_LIMIT`, or `EXISTS`, `OTHER_AUTHOR` or `UNKNOWN_FILE`. */
  reason: string;
  /** The number of entries that were left out for this reason. */
  count: number;
  /** The number of the first line that was left out, counted from 1. Null if the reason is not about lines. */
  line: number | null;
}

/** The response of `POST /api/canvases/{id}/import`. */
export interface ImportResult {
  /** What happened to entries that exist already. */
  existing: "keep" | "replace";
  imported: Record<DataPart, number>;
  skipped: SkippedData[];
}
