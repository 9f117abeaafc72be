import { LIMITS } from "@easel/protocol/limits";
import type { Access, CanvasRole } from "@easel/protocol/types";
import type { User } from "../access/principal.ts";
import { asKeys, containing, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { countWithin, type Paged, paged } from "../http/paging.ts";
import type { SwitchColumns } from "./capabilities.ts";
import { lockUser, withinCanvases } from "./owner-quotas.ts";
import { claimSlug } from "./publishing/slug-claims.ts";

/** The approximate size in bytes of a canvas as JSON, and of an entry of its people or teams. */
const CANVAS_BYTES = 1024;
const ENTRY_BYTES = 64;

/** A row of `canvases` with its owner, and the role of the user who reads it. */
export interface CanvasRow extends SwitchColumns {
  id: string;
  slug: string;
  title: string;
  tags: string;
  metadata: string | null;
  owner_id: string;
  owner_email: string;
  owner_name: string;
  created_by: string;
  created_at: number;
  updated_at: number;
  version_id: string | null;
  access: Access;
  password_hash: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  archived_at: number | null;
  disabled_at: number | null;
  disabled_reason: string | null;
  gallery_listed: number;
  gallery_templatable: number;
  discoverability: "link_only" | "listed";
  spa: number;
  org_id: string | null;
  runtime_policy: string | null;
  runtime_policy_revision: string | null;
  role: CanvasRole;
}

/**
 * Inserts a canvas. Returns "taken" if its slug is in use or reserved after a deletion or rename, and "full" if the owner's quota of
 * canvases is used up. `org` is its home organisation.
 */
export async function insertCanvas(
  canvas: { id: string; slug: string; title: string; tags: string[]; org: string | null },
  ownerId: string,
  env: Env,
): Promise<"done" | "taken" | "full"> {
  const { id, slug, title, tags, org } = canvas;
  const now = env.clock();
  const steps = [
    lockUser(ownerId),
    claimSlug(slug, id, now),
    sql`insert into canvases (id, slug, title, tags, org_id, owner_id, created_by, created_at, updated_at)
      values (${id}, ${slug}, ${title}, ${JSON.stringify(tags)}, ${org}, ${ownerId}, ${ownerId}, ${now}, ${now})`,
    withinCanvases(id, env),
  ];
  const { length: done } = await env.db.batch(steps);
  return done === steps.length ? "done" : done === steps.length - 1 ? "full" : "taken";
}

/** Reads a canvas on which the user has a role as owner, or by its people or teams. Returns undefined if there is none. */
export function findCanvas(
  id: string,
  user: Pick<User, "id" | "email">,
  { db }: Env,
): Promise<CanvasRow | undefined> {
  return db.get<CanvasRow>`
    select * from (
      select canvases.*, users.email as owner_email, users.name as owner_name,
        case when owner_id = ${user.id} then 'owner'
          else (select role from roles where canvas_id = ${id} and roles.email = ${user.email}) end as role
      from canvases join users on users.id = owner_id
      where canvases.id = ${id} and deleted_at is null) as found
    where role is not null`;
}

/** Reads the facts about a canvas that its error pages may show. Returns undefined if there is no canvas at the slug. */
export function findForErrorPage(slug: string, { db }: Env) {
  return db.get<{
    title: string;
    disabled_reason: string | null;
    owner_name: string;
    owner_email: string;
    owner_deactivated_at: number | null;
  }>`
    select title, disabled_reason, users.name as owner_name, users.email as owner_email,
      users.deactivated_at as owner_deactivated_at
    from canvases join users on users.id = owner_id where slug = ${slug}`;
}

/**
 * Reads a page of the canvases on which the user has a role, newest first, with ids before `cursor`. `q` filters by title and slug. The
 * page ends early if its canvases would make a large response.
 */
export async function listCanvases(
  user: Pick<User, "id" | "email">,
  { q, cursor, limit }: { q: string; cursor: string; limit: number },
  { db }: Env,
): Promise<Paged<CanvasRow>> {
  const like = containing(q);
  const sizes = await db.all<{ id: string; role: CanvasRole; bytes: number }>`
    select id, case when owner_id = ${user.id} then 'owner' else given.role end as role,
      ${CANVAS_BYTES} + coalesce(octet_length(metadata), 0) + coalesce(octet_length(runtime_policy), 0)
      + ${ENTRY_BYTES} * ((select count(*) from canvas_people where canvas_id = canvases.id)
        + (select count(*) from canvas_teams where canvas_id = canvases.id)) as bytes
    from canvases
    left join (select canvas_id, role from roles where email = ${user.email}) as given
      on given.canvas_id = canvases.id
    where deleted_at is null
      and id in (select id from canvases where owner_id = ${user.id}
        union select canvas_id from grants where email = ${user.email})
      and id < ${cursor} and (lower(title) like ${like} escape '!' or slug like ${like} escape '!')
    order by id desc limit ${limit + 1}`;
  const fits = countWithin(sizes, LIMITS.canvasPageBytes.value, ({ bytes }) => Number(bytes));
  const { entries, nextCursor } = paged(sizes, Math.min(limit, fits), ({ id }) => id);
  const roles = new Map(entries.map(({ id, role }) => [id, role]));
  const rows = await db.all<Omit<CanvasRow, "role">>`
    select canvases.*, users.email as owner_email, users.name as owner_name
    from canvases join users on users.id = owner_id
    where canvases.id in (select key from json_each(${asKeys([...roles.keys()])})) and deleted_at is null
    order by canvases.id desc`;
  return { entries: rows.map((row) => ({ ...row, role: roles.get(row.id) ?? "viewer" })), nextCursor };
}
