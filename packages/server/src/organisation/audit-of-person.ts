import type { RowView } from "../canvases/canvas-data.ts";
import type { Value } from "../drivers/db/db.ts";

/**
 * The details of an act that the person hears to whom it was done. An act that is not here tells them nothing but that it was done: details
 * can name others, and have notes that were not meant for the person.
 */
const TOLD: Record<string, readonly string[]> = {
  "user.add": ["deactivated"],
  "user.update": ["deactivated", "canPublishPublic", "quotas"],
  "user.end-sessions": ["ended", "session"],
  "user.sign-out": ["sessions", "tokens"],
  "user.end-guests": ["ended", "invite"],
  "user.end-apps": ["ended", "app"],
  "user.unlink": ["accounts"],
};

function toldOf(act: Value | undefined, details: Value | undefined): string | null {
  const names = TOLD[String(act)] ?? [];
  if (typeof details !== "string" || names.length === 0) return null;
  const all = Object.entries(JSON.parse(details) as Record<string, unknown>);
  return JSON.stringify(Object.fromEntries(all.filter(([name]) => names.includes(name))));
}

/** What a person gets of an entry of the audit log whose actor they are: all of it, with their own network address and program. */
export const AS_ACTOR: readonly string[] = [
  ...["id", "at", "actor_id", "act", "canvas_id", "target", "address", "details", "via"],
];

/** What a person gets of an entry whose target they are: not who did it and from where, and of the details only what the act tells them. */
export const AS_TARGET: RowView = {
  columns: ["id", "at", "act", "canvas_id", "details"],
  shown: (row) => ({ ...row, details: toldOf(row.act, row.details) }),
};
