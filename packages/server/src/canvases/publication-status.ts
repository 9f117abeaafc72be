import type { AuthoredCanvas, PublicationStatus } from "@easel/protocol/types";
import { hasExpired } from "../access/ladder.ts";
import { type Sql, sqlText } from "../drivers/db/db.ts";
import { refuse } from "../http/refusal.ts";

/** The fields of a canvas that determine its publication status. Times are epoch milliseconds. */
export interface StatusFields {
  disabledAt: number | null;
  archivedAt: number | null;
  revokedAt: number | null;
  versionId: string | null;
  expiresAt: number | null;
  access: AuthoredCanvas["access"];
}

/** Converts a row of `canvases` to status fields. */
export const statusFieldsOf = (row: {
  disabled_at: number | null;
  archived_at: number | null;
  revoked_at: number | null;
  version_id: string | null;
  expires_at: number | null;
  access: StatusFields["access"];
}): StatusFields => ({
  disabledAt: row.disabled_at,
  archivedAt: row.archived_at,
  revokedAt: row.revoked_at,
  versionId: row.version_id,
  expiresAt: row.expires_at,
  access: row.access,
});

/**
 * The publication states in the order of specification 3, each with its condition. The first one whose condition holds is the state of a
 * canvas.
 */
export const PUBLICATION_STATUSES: {
  status: PublicationStatus;
  when: (canvas: StatusFields, now: number) => boolean;
  /** The condition on a row of `canvases`. A `?` in it stands for the time `now`. */
  sql: string;
}[] = [
  { status: "disabled", when: ({ disabledAt }) => disabledAt !== null, sql: "disabled_at is not null" },
  { status: "archived", when: ({ archivedAt }) => archivedAt !== null, sql: "archived_at is not null" },
  { status: "unpublished", when: ({ revokedAt }) => revokedAt !== null, sql: "revoked_at is not null" },
  { status: "draft", when: ({ versionId }) => versionId === null, sql: "version_id is null" },
  { status: "expired", when: hasExpired, sql: "expires_at <= ?" },
  { status: "published", when: () => true, sql: "1 = 1" },
];

/** Returns the publication status of a canvas at the time `now`, in epoch milliseconds. */
export const publicationStatus = (canvas: StatusFields, now: number): PublicationStatus =>
  PUBLICATION_STATUSES.find((row) => row.when(canvas, now))?.status ?? "published";

const STATUS_SQL = `case ${PUBLICATION_STATUSES.map((row) => `when ${row.sql} then '${row.status}'`).join(" ")} end = ?`;

/** Returns the SQL condition that a row of `canvases` has a publication status at the time `now`, in epoch milliseconds. */
export const hasStatus = (status: PublicationStatus, now: number): Sql => [sqlText(STATUS_SQL), now, status];

/** Returns the id of the version that a canvas publishes, or null if there is none, because it is a draft or unpublished. */
export const publishedVersion = ({ revokedAt, versionId }: StatusFields): string | null =>
  revokedAt === null ? versionId : null;

/**
 * Whether callers who are not signed in may open a canvas: only if it is published and its Public link is active (specification 4.1, step
 * 1).
 */
export const admitsAnonymous = (
  canvas: StatusFields & { deletedAt: number | null; publicLinks: boolean },
  now: number,
): boolean =>
  canvas.access === "public_link" &&
  canvas.publicLinks &&
  canvas.deletedAt === null &&
  publicationStatus(canvas, now) === "published";

/** Returns the deprecated field `status` of a canvas (specification 2): the first of revoked, expired, private and live that applies. */
export function legacyStatus(canvas: StatusFields, now: number): AuthoredCanvas["status"] {
  if (canvas.revokedAt !== null) return "revoked";
  if (hasExpired(canvas, now)) return "expired";
  return canvas.access === "private" ? "private" : "live";
}

/** Converts the field `access` of a canvas to its field `accessMode` (specification 2). */
export const accessMode = (access: AuthoredCanvas["access"]): AuthoredCanvas["accessMode"] =>
  access === "private" ? "restricted" : access;

/** Throws 409 `DISABLED`, with the reason, if an administrator has disabled the canvas (specification 7). */
export function requireEnabled(row: { disabled_at: number | null; disabled_reason: string | null }): void {
  if (row.disabled_at === null) return;
  const reason = row.disabled_reason === null ? "" : ` ${row.disabled_reason}`;
  refuse("DISABLED", { message: `An administrator has disabled this canvas.${reason}` }, 409);
}
