import type { AuthoredCanvas, PublicationStatus } from "@easel/protocol/types";
import { hasExpired } from "../access/ladder.ts";
import { refuse } from "../http/refusal.ts";

/** What of a canvas decides where it stands in its life. Times are epoch milliseconds. */
export interface Living {
  disabledAt: number | null;
  archivedAt: number | null;
  revokedAt: number | null;
  versionId: string | null;
  expiresAt: number | null;
  access: AuthoredCanvas["access"];
}

/** The same from a row of `canvases`. */
export const livingOf = (row: {
  disabled_at: number | null;
  archived_at: number | null;
  revoked_at: number | null;
  version_id: string | null;
  expires_at: number | null;
  access: Living["access"];
}): Living => ({
  disabledAt: row.disabled_at,
  archivedAt: row.archived_at,
  revokedAt: row.revoked_at,
  versionId: row.version_id,
  expiresAt: row.expires_at,
  access: row.access,
});

/** The publication states in the specification's order (3); the first row that applies is the state. */
export const LIFECYCLE: { status: PublicationStatus; when: (canvas: Living, now: number) => boolean }[] = [
  { status: "disabled", when: ({ disabledAt }) => disabledAt !== null },
  { status: "archived", when: ({ archivedAt }) => archivedAt !== null },
  { status: "unpublished", when: ({ revokedAt }) => revokedAt !== null },
  { status: "draft", when: ({ versionId }) => versionId === null },
  { status: "expired", when: hasExpired },
  { status: "published", when: () => true },
];

/** Where a canvas stands in its life. */
export const publicationStatus = (canvas: Living, now: number): PublicationStatus =>
  LIFECYCLE.find((row) => row.when(canvas, now))?.status ?? "published";

/** Whether visitors without a session may pass the gateway: to an active, unexpired Public link (specification 4.1, step 1). */
export const admitsAnonymous = (
  canvas: Living & { deletedAt: number | null; publicLinks: boolean },
  now: number,
): boolean =>
  canvas.access === "public_link" &&
  canvas.publicLinks &&
  canvas.deletedAt === null &&
  publicationStatus(canvas, now) === "published";

/** The deprecated, frozen `status` (specification 2): revoked, expired, private, live. */
export function legacyStatus(canvas: Living, now: number): AuthoredCanvas["status"] {
  if (canvas.revokedAt !== null) return "revoked";
  if (hasExpired(canvas, now)) return "expired";
  return canvas.access === "private" ? "private" : "live";
}

/** The audience as `accessMode` names it. */
export const accessMode = (access: AuthoredCanvas["access"]): AuthoredCanvas["accessMode"] =>
  access === "private" ? "restricted" : access;

/** Refuses changes to a canvas that an administrator has disabled: 409 `DISABLED` with the reason (specification 7). */
export function requireEnabled(row: { disabled_at: number | null; disabled_reason: string | null }): void {
  if (row.disabled_at === null) return;
  const reason = row.disabled_reason === null ? "" : ` ${row.disabled_reason}`;
  refuse("DISABLED", { message: `An administrator has disabled this canvas.${reason}` }, 409);
}
