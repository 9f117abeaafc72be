import type { Access, CanvasRole } from "@easel/protocol/types";
import type { Env } from "../env.ts";
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
  role: CanvasRole;
}

/** False when the slug is taken, also by a canvas deleted lately. */
export async function createCanvas(
  canvas: { id: string; slug: string; title: string; tags: string[] },
  ownerId: string,
  { db, clock }: Env,
): Promise<boolean> {
  const { id, slug, title, tags } = canvas;
  const now = clock();
  const made = await db.run`
    insert into canvases (id, slug, title, tags, owner_id, created_by, created_at, updated_at)
    values (${id}, ${slug}, ${title}, ${JSON.stringify(tags)}, ${ownerId}, ${ownerId}, ${now}, ${now})
    on conflict (slug) do nothing`;
  return made === 1;
}

/** A canvas on which the person has a role by ownership or the people list; undefined otherwise. */
export function findCanvas(id: string, person: Caller, { db }: Env): Promise<CanvasRow | undefined> {
  return db.get<CanvasRow>`
    select canvases.*, users.email as owner_email, users.name as owner_name,
      case when owner_id = ${person.id} then 'owner' else canvas_people.role end as role
    from canvases join users on users.id = owner_id
    left join canvas_people on canvas_people.canvas_id = canvases.id and canvas_people.email = ${person.email}
    where canvases.id = ${id} and deleted_at is null and (owner_id = ${person.id} or canvas_people.role is not null)`;
}

/** Canvases that the person owns, edits or was given, newest first, after `cursor`. `q` is looked for in title and slug. */
export function listCanvases(
  person: Caller,
  { q, cursor, limit }: { q: string; cursor: string | null; limit: number },
  { db }: Env,
): Promise<CanvasRow[]> {
  const like = `%${q.toLowerCase().replace(/[%_!]/g, "!$&")}%`;
  return db.all<CanvasRow>`
    select canvases.*, users.email as owner_email, users.name as owner_name,
      case when owner_id = ${person.id} then 'owner' else canvas_people.role end as role
    from canvases join users on users.id = owner_id
    left join canvas_people on canvas_people.canvas_id = canvases.id and canvas_people.email = ${person.email}
    where deleted_at is null and (owner_id = ${person.id} or canvas_people.role is not null)
      and (cast(${cursor} as text) is null or canvases.id < ${cursor}) and (lower(title) like ${like} escape '!' or slug like ${like} escape '!')
    order by canvases.id desc limit ${limit}`;
}

/** What the home page shows: everything published that lets the person in. */
export function listOpenable(person: Caller, { db, clock }: Env) {
  return db.all<{ slug: string; title: string; role: CanvasRole }>`
    select slug, title, case when owner_id = ${person.id} then 'owner'
      when canvas_people.role is not null then canvas_people.role else 'viewer' end as role
    from canvases
    left join canvas_people on canvas_people.canvas_id = canvases.id and canvas_people.email = ${person.email}
    where deleted_at is null and archived_at is null and disabled_at is null and revoked_at is null
      and version_id is not null and (expires_at is null or expires_at > ${clock()})
      and (owner_id = ${person.id} or canvas_people.role is not null or access = 'whole_org')
    order by lower(title), canvases.id limit 200`;
}
