import type { User } from "../access/principal.ts";
import { isToken, newId, newToken, tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";

/**
 * The columns of an invitation in a query result. The view `session_holders` also has the sessions of users; for these, `invite_id` is
 * null.
 */
export interface InviteRow {
  invite_id: string | null;
  invite_canvas: string;
  invite_email: string;
  invite_name: string;
  invite_revoked_at: number | null;
  invite_by: string;
}

/**
 * An invitation as owners and editors of the canvas see it. Times are epoch milliseconds; `revokedAt` is null unless the invitation is
 * revoked.
 */
export interface Invite {
  id: string;
  email: string;
  name: string;
  createdAt: number;
  revokedAt: number | null;
}

const PREFIX = "guest:";

/** Converts a row to the guest of the invitation (specification 5). Returns null if there is no invitation or it is revoked. */
export function guestOf(row: Readonly<InviteRow>): User | null {
  if (row.invite_id === null || row.invite_revoked_at !== null) return null;
  return {
    id: PREFIX + row.invite_id,
    email: row.invite_email,
    name: row.invite_name,
    avatarUrl: null,
    canPublishPublic: false,
    guestOf: row.invite_canvas,
    invitedBy: row.invite_by,
    restriction: null,
  };
}

/** Returns the id of the invitation of a guest, or null if the user is not a guest. */
export const inviteOf = (user: User): string | null =>
  user.guestOf === null ? null : user.id.slice(PREFIX.length);

/** Creates an invitation to one canvas. Returns its id and the token of its link. Only a hash of the token is stored. */
export async function createInvite(
  canvasId: string,
  { email, name }: { email: string; name: string },
  by: User,
  { db, clock }: Env,
): Promise<{ id: string; token: string }> {
  const id = newId();
  const token = newToken();
  await db.run`
    insert into invites (id, canvas_id, email, name, token_hash, created_at, created_by)
    values (${id}, ${canvasId}, ${email}, ${name}, ${tokenHash(token)}, ${clock()}, ${by.id})`;
  return { id, token };
}

/**
 * Finds the guest and the slug of the canvas by the token of an invitation link. Returns null if the token is unknown, the invitation is
 * revoked or the canvas is deleted.
 */
export async function findGuestByToken(
  token: string,
  { db }: Env,
): Promise<{ guest: User; slug: string } | null> {
  if (!isToken(token)) return null;
  const row = await db.get<InviteRow & { slug: string }>`
    select invites.id as invite_id, canvas_id as invite_canvas, email as invite_email, name as invite_name,
      invites.revoked_at as invite_revoked_at, invites.created_by as invite_by, slug
    from invites join canvases on canvases.id = canvas_id
    where token_hash = ${tokenHash(token)} and deleted_at is null`;
  const guest = row === undefined ? null : guestOf(row);
  return row === undefined || guest === null ? null : { guest, slug: row.slug };
}

/** Lists the invitations of a canvas, newest first. */
export function listInvites(canvasId: string, { db }: Env): Promise<Invite[]> {
  return db.all<Invite>`
    select id, email, name, created_at as "createdAt", revoked_at as "revokedAt"
    from invites where canvas_id = ${canvasId} order by id desc`;
}

/** Revokes an invitation and ends the guest's sessions. Returns false if the canvas has no such invitation. */
export async function revokeInvite(id: string, canvasId: string, { db, clock }: Env): Promise<boolean> {
  const [known] = await db.withReserve.returning<{ id: string }>`
    update invites set revoked_at = coalesce(revoked_at, ${clock()})
    where id = ${id} and canvas_id = ${canvasId} returning id`;
  if (known === undefined) return false;
  await db.withReserve.run`delete from sessions where invite_id = ${id}`;
  return true;
}
