import type { Access, CanvasRole } from "@easel/protocol/types";
import { sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { containing } from "../kit/like.ts";
import { claimSlug } from "./slug-claims.ts";
import type { SwitchColumns } from "./switches.ts";

/** Who asks, as far as roles go by it. */
interface Caller {
  id: string;
  email: string;
}

/** A row of `canvases` with its owner and the asking person's place on the people list. */
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
  org_id: string | null;
  runtime_policy: string | null;
  runtime_policy_revision: string | null;
  role: CanvasRole;
}

/** False when the slug is taken, also by a canvas deleted or renamed lately. `org` is its home organisation. */
export async function createCanvas(
  canvas: { id: string; slug: string; title: string; tags: string[]; org: string | null },
  ownerId: string,
  { db, clock }: Env,
): Promise<boolean> {
  const { id, slug, title, tags, org } = canvas;
  const now = clock();
  const steps = [
    claimSlug(slug, id, now),
    sql`insert into canvases (id, slug, title, tags, org_id, owner_id, created_by, created_at, updated_at)
      values (${id}, ${slug}, ${title}, ${JSON.stringify(tags)}, ${org}, ${ownerId}, ${ownerId}, ${now}, ${now})`,
  ];
  return (await db.batch(steps)).length === steps.length;
}

/** A canvas on which the person has a role by ownership or the people list; undefined otherwise. */
export function findCanvas(id: string, person: Caller, { db }: Env): Promise<CanvasRow | undefined> {
  return db.get<CanvasRow>`
    select * from (
      select canvases.*, users.email as owner_email, users.name as owner_name,
        case when owner_id = ${person.id} then 'owner'
          else (select min(role) from grants where canvas_id = ${id} and grants.email = ${person.email}) end as role
      from canvases join users on users.id = owner_id
      where canvases.id = ${id} and deleted_at is null) as found
    where role is not null`;
}

/** Canvases that the person owns, edits or was given, newest first, from before `cursor`. `q` is looked for in title and slug. */
export function listCanvases(
  person: Caller,
  { q, cursor, limit }: { q: string; cursor: string; limit: number },
  { db }: Env,
): Promise<CanvasRow[]> {
  const like = containing(q);
  return db.all<CanvasRow>`
    select canvases.*, users.email as owner_email, users.name as owner_name,
      case when owner_id = ${person.id} then 'owner' else given.role end as role
    from canvases join users on users.id = owner_id
    left join (select canvas_id, min(role) as role from grants where email = ${person.email} group by canvas_id) as given
      on given.canvas_id = canvases.id
    where deleted_at is null
      and canvases.id in (select id from canvases where owner_id = ${person.id}
        union select canvas_id from grants where email = ${person.email})
      and canvases.id < ${cursor} and (lower(title) like ${like} escape '!' or slug like ${like} escape '!')
    order by canvases.id desc limit ${limit}`;
}
