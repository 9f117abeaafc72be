import { LIMITS } from "@easel/protocol/limits";
import type { Guest, User } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { isToken, newId, newToken, tokenHash } from "../crypto/ids.ts";
import { joined, type Optional, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { type Paged, paged } from "../http/query.ts";

/** The invitations of guests. */
export const inviteData: CanvasData = {
  tables: { invites: { key: ["id"] } },
  people: {
    invites: {
      ids: ["created_by"],
      emails: ["email"],
      at: "created_at",
      erased: "kept",
      exported: {
        part: "invitations",
        columns: ["id", "canvas_id", "email", "name", "created_at", "revoked_at"],
        order: ["id"],
      },
    },
  },
};

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
  /** Until when the link lets the guest in. Who has entered stays. */
  linkExpiresAt: number;
  revokedAt: number | null;
}

const PREFIX = "guest:";

const DAY_MS = 24 * 60 * 60 * 1000;

/** For how long a link is valid that a release without ends of links has made, in milliseconds. */
const USUAL_MS = 30 * DAY_MS;

/** Returns the latest end of a link that is made now, in epoch milliseconds. */
export const latestLinkEnd = ({ config, clock }: Env): number => clock() + config.inviteDays * DAY_MS;

/** The SQL expression of the end of a link. */
const LINK_END = sql`coalesce(link_expires_at, invites.created_at + cast(${USUAL_MS} as bigint))`;

/** Converts a row to the guest of the invitation (specification 5). Returns null if there is no invitation or it is revoked. */
export function guestOf(row: Readonly<InviteRow>): Guest | null {
  if (row.invite_id === null || row.invite_revoked_at !== null) return null;
  return {
    kind: "guest",
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
  user.kind === "guest" ? user.id.slice(PREFIX.length) : null;

/**
 * Creates an invitation to one canvas. Returns its id and the token of its link, of which only a hash is stored. Returns null if the canvas
 * is deleted or has as many invitations as a canvas may have. `mails` returns steps of the same batch.
 */
export async function createInvite(
  canvasId: string,
  { email, name, linkExpiresAt }: Pick<Invite, "email" | "name" | "linkExpiresAt">,
  by: User,
  { db, clock }: Env,
  mails: (made: { id: string; token: string }) => Optional[] = () => [],
): Promise<{ id: string; token: string } | null> {
  const id = newId();
  const token = newToken();
  const steps = [
    // Locks the row of the canvas, so that concurrent requests count each other's invitations.
    sql`update canvases set title = title where id = ${canvasId} and deleted_at is null`,
    sql`
      insert into invites (id, canvas_id, email, name, token_hash, created_at, created_by, link_expires_at)
      select cast(${id} as text), cast(${canvasId} as text), cast(${email} as text), cast(${name} as text),
        cast(${tokenHash(token)} as text), cast(${clock()} as bigint), cast(${by.id} as text),
        cast(${linkExpiresAt} as bigint)
      where (select count(*) from invites where canvas_id = ${canvasId} and revoked_at is null) < ${LIMITS.invitesPerCanvas.value}
        and (select count(*) from invites where canvas_id = ${canvasId} and revoked_at is not null)
          < ${LIMITS.revokedInvitesPerCanvas.value}`,
  ];
  return (await db.batch([...steps, ...mails({ id, token })])) === "done" ? { id, token } : null;
}

/**
 * Gives an invitation that is not revoked another link, in place of the former one. The guest stays the same, with their sessions and what they
 * have entered, and is a guest of `by` from now on. Returns the token, or null if the canvas has no such invitation. `mails` returns steps of the
 * same batch.
 */
export async function renewInvite(
  { id, canvasId, linkExpiresAt }: { id: string; canvasId: string; linkExpiresAt: number },
  by: User,
  { db }: Env,
  mails: (token: string) => Optional[],
): Promise<string | null> {
  const token = newToken();
  const renewed = sql`
    update invites set token_hash = ${tokenHash(token)}, link_expires_at = ${linkExpiresAt}, created_by = ${by.id}
    where id = ${id} and invites.canvas_id = ${canvasId} and invites.revoked_at is null`;
  return (await db.batch([renewed, ...mails(token)])) === "done" ? token : null;
}

/**
 * Finds the guest and the slug of the canvas by the token of an invitation link. Returns null if the token is unknown, the link has expired, the
 * invitation is revoked or the canvas is deleted.
 */
export async function findGuestByToken(
  token: string,
  { db, clock }: Env,
): Promise<{ guest: Guest; slug: string } | null> {
  if (!isToken(token)) return null;
  const row = await db.get<InviteRow & { slug: string }>(
    ...joined([
      sql`select invites.id as invite_id, canvas_id as invite_canvas, email as invite_email, name as invite_name,
      invites.revoked_at as invite_revoked_at, invites.created_by as invite_by, slug
    from invites join canvases on canvases.id = canvas_id
    where token_hash = ${tokenHash(token)} and deleted_at is null and`,
      LINK_END,
      sql`> ${clock()}`,
    ]),
  );
  const guest = row === undefined ? null : guestOf(row);
  return row === undefined || guest === null ? null : { guest, slug: row.slug };
}

/** Finds the row of an invitation by its id. Returns undefined if there is none. */
export const findInviteRow = (id: string, { db }: Env): Promise<InviteRow | undefined> =>
  db.get<InviteRow>`
    select id as invite_id, canvas_id as invite_canvas, email as invite_email, name as invite_name,
      revoked_at as invite_revoked_at, created_by as invite_by
    from invites where id = ${id}`;

/** Reads a page of the invitations of a canvas with ids below `cursor`, newest first. */
export async function listInvites(
  canvasId: string,
  { cursor, limit }: { cursor: string; limit: number },
  { db }: Env,
): Promise<Paged<Invite>> {
  const rows = await db.all<Invite>(
    ...joined([
      sql`select id, email, name, created_at as "createdAt", revoked_at as "revokedAt",`,
      LINK_END,
      sql`as "linkExpiresAt"
      from invites where canvas_id = ${canvasId} and id < ${cursor} order by id desc limit ${limit + 1}`,
    ]),
  );
  return paged(rows, limit, ({ id }) => id);
}

/** Whether a canvas has guests whose invitations are not revoked. */
export const hasInvites = async (canvasId: string, { db }: Env): Promise<boolean> =>
  (await db.get<{ found: number }>`
    select 1 as found from invites where canvas_id = ${canvasId} and revoked_at is null limit 1`) !==
  undefined;

/** Revokes an invitation and ends the guest's sessions. Returns false if the canvas has no such invitation. */
export async function revokeInvite(id: string, canvasId: string, { db, clock }: Env): Promise<boolean> {
  const [known] = await db.withReserve.returning<{ id: string }>`
    update invites set revoked_at = coalesce(revoked_at, ${clock()})
    where id = ${id} and canvas_id = ${canvasId} returning id`;
  if (known === undefined) return false;
  await db.withReserve.run`delete from sessions where invite_id = ${id}`;
  return true;
}

/** A guest whom a person has invited, with the canvas. Times are epoch milliseconds. */
export interface GuestOfPerson {
  id: string;
  email: string;
  name: string;
  createdAt: number;
  canvas: { id: string; title: string; slug: string };
}

/** Reads a page of the invitations that a person has made and that are not revoked, with ids below `cursor`, newest first. */
export async function listGuestsOf(
  userId: string,
  { cursor, limit }: { cursor: string; limit: number },
  { db }: Env,
): Promise<Paged<GuestOfPerson>> {
  type Row = Omit<GuestOfPerson, "canvas"> & { canvas_id: string; title: string; slug: string };
  const rows = await db.all<Row>`
    select invites.id, email, name, invites.created_at as "createdAt", canvas_id, title, slug
    from invites join canvases on canvases.id = canvas_id
    where invites.created_by = ${userId} and invites.revoked_at is null and invites.id < ${cursor}
    order by invites.id desc limit ${limit + 1}`;
  return paged(
    rows.map(({ canvas_id, title, slug, ...guest }) => ({
      ...guest,
      canvas: { id: canvas_id, title, slug },
    })),
    limit,
    ({ id }) => id,
  );
}

/**
 * Revokes the invitations that a person has made, or only the one with the id `invite`, and ends the sessions of these guests. Returns the
 * number of invitations that were in force.
 */
export async function endGuestsOf(
  userId: string,
  invite: string | null,
  { db, clock }: Env,
): Promise<number> {
  const revoked = await db.withReserve.returning<{ id: string }>`
    update invites set revoked_at = ${clock()}
    where created_by = ${userId} and revoked_at is null and (cast(${invite} as text) is null or id = ${invite}) returning id`;
  await db.withReserve.run`delete from sessions where invite_id in (
    select id from invites where created_by = ${userId} and revoked_at is not null)`;
  return revoked.length;
}
