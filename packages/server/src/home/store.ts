import type { Access, CanvasRole } from "@easel/protocol/types";
import { domainOf, type User } from "../access/principal.ts";
import type { Env } from "../env.ts";

/** The columns of a canvas that the home page needs. Times are epoch milliseconds. */
export interface HomeRow {
  id: string;
  slug: string;
  title: string;
  role: CanvasRole;
  updated_at: number;
  version_id: string | null;
  access: Access;
  expires_at: number | null;
  revoked_at: number | null;
  archived_at: number | null;
  disabled_at: number | null;
  disabled_reason: string | null;
}

/**
 * The part of a list to read: at most `limit` canvases. It begins after the canvas with this `id` and this `updatedAt` (epoch
 * milliseconds), which was the last one on the previous page. Lists begin with the latest change.
 */
export interface Slice {
  updatedAt: number;
  id: string;
  limit: number;
}

/** Lists the user's own canvases, in every state but deleted. */
export async function listOwned(
  user: User,
  { updatedAt, id, limit }: Slice,
  { db }: Env,
): Promise<HomeRow[]> {
  return db.all<HomeRow>`
    select id, slug, title, 'owner' as role, updated_at, version_id, access, expires_at, revoked_at, archived_at,
      disabled_at, disabled_reason
    from canvases
    where owner_id = ${user.id} and deleted_at is null and (updated_at, id) < (${updatedAt}, ${id})
    order by updated_at desc, id desc limit ${limit}`;
}

/**
 * Lists canvases of other owners that are shared with the user. Lists a canvas in every state but deleted if the user is an editor,
 * otherwise only while the user can open it.
 */
export async function listShared(
  user: User,
  { updatedAt, id, limit }: Slice,
  { db, clock }: Env,
): Promise<HomeRow[]> {
  // The e-mail address of a guest comes from the invitation and is not verified, so no roles are looked up for it.
  const [email, invitedTo] = user.kind === "guest" ? [null, user.guestOf] : [user.email, null];
  return db.all<HomeRow>`
    select id, slug, title, granted.role, updated_at, version_id, access, expires_at, revoked_at, archived_at, disabled_at,
      disabled_reason
    from (
      select canvas_id, role from roles where email = ${email}
      union all select id, 'viewer' from canvases where id = ${invitedTo}) as granted
    join canvases on canvases.id = granted.canvas_id
    where owner_id <> ${user.id} and deleted_at is null
      and (granted.role = 'editor' or (archived_at is null and disabled_at is null and revoked_at is null
        and version_id is not null and (expires_at is null or expires_at > ${clock()})))
      and (updated_at, id) < (${updatedAt}, ${id})
    order by updated_at desc, id desc limit ${limit}`;
}

/** Lists the canvases that are listed for the user's whole organisation, except those in the other two lists. Returns none for a guest. */
export async function listForOrganisation(
  user: User,
  { updatedAt, id, limit }: Slice,
  { db, clock, config }: Env,
): Promise<HomeRow[]> {
  if (user.kind === "guest") return [];
  // There is one statement with tenancy and one without, so that each can use an index.
  return config.tenancy
    ? db.all<HomeRow>`
        select id, slug, title, 'viewer' as role, updated_at, version_id, access, expires_at, revoked_at, archived_at,
          disabled_at, disabled_reason
        from canvases
        where org_id = (select org_id from org_domains where domain = ${domainOf(user.email)})
          and discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
          and disabled_at is null and revoked_at is null and version_id is not null
          and (expires_at is null or expires_at > ${clock()}) and owner_id <> ${user.id}
          and not exists (select 1 from grants where grants.canvas_id = canvases.id and grants.email = ${user.email})
          and (updated_at, id) < (${updatedAt}, ${id})
        order by updated_at desc, id desc limit ${limit}`
    : db.all<HomeRow>`
        select id, slug, title, 'viewer' as role, updated_at, version_id, access, expires_at, revoked_at, archived_at,
          disabled_at, disabled_reason
        from canvases
        where discoverability = 'listed' and access = 'whole_org' and deleted_at is null and archived_at is null
          and disabled_at is null and revoked_at is null and version_id is not null
          and (expires_at is null or expires_at > ${clock()}) and owner_id <> ${user.id}
          and not exists (select 1 from grants where grants.canvas_id = canvases.id and grants.email = ${user.email})
          and (updated_at, id) < (${updatedAt}, ${id})
        order by updated_at desc, id desc limit ${limit}`;
}
