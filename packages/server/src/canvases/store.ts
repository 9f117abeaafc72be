import type { Access, AuthoredCanvas, CanvasRole, Json } from "@easel/protocol/types";
import type { User } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import { asKeys, type Db, type NamedStep, optional, type Sql, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import type { SwitchColumns } from "./capabilities.ts";
import { lockUser, withinCanvases } from "./owner-quotas.ts";
import { claimSlug } from "./publishing/slug-claims.ts";

/**
 * Builds the batch step that adds 1 to a canvas's counter of rows of one kind, such as records. As the first step of a batch, it locks the
 * counter, so that later steps read the current number.
 */
export const countOne = (canvasId: string, kind: string): Sql => sql`
  insert into counts (canvas_id, kind, rows) values (${canvasId}, ${kind}, 1)
  on conflict (canvas_id, kind) do update set rows = counts.rows + 1`;

/**
 * Builds the batch step that subtracts `by` from a canvas's counter of rows of one kind, such as records. If `by` is 0, it only locks the
 * counter. It changes no row if the canvas has never had a row of this kind.
 */
export const countLess = (canvasId: string, kind: string, by: 0 | 1): Sql =>
  sql`update counts set rows = rows - ${by} where canvas_id = ${canvasId} and kind = ${kind}`;

/** Returns the names of people and of guests of a canvas by id, for its owner and editors. Ids of nobody are missing. */
export async function namesOf(people: string[], canvasId: string, db: Db): Promise<Map<string, string>> {
  if (people.length === 0) return new Map();
  const ids = asKeys([...new Set(people)]);
  // The id of a guest is `guest:` and the id of the invitation.
  const rows = await db.all<{ id: string; name: string }>`
    select id, name from users where id in (select key from json_each(${ids}))
    union all select 'guest:' || id, name from invites where 'guest:' || id in (select key from json_each(${ids}))
      and canvas_id = ${canvasId}`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A row of `canvases` with its owner, and with the role of the user who reads it. */
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
  /** When a page was last opened; 0 if none ever was. */
  last_used_at: number;
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
  authored_from: string | null;
  role: CanvasRole;
}

/** A row of `canvases`. */
export type StoredCanvas = Omit<CanvasRow, "owner_email" | "owner_name" | "role">;

/** A row of `canvases` with the role of the user who reads it, which can also be "admin" (administrator). */
export type ManagedRow = Omit<CanvasRow, "role"> & { role: AuthoredCanvas["viewerRole"] };

/** The name of an additional quota of a canvas that a page creates. */
export type AuthoringQuota = "user_daily" | "user_total";

/**
 * The settings of a canvas that a page creates with the primitive `authoring`, and the steps of a batch that count it against additional
 * quotas. `refuse` throws the error for a quota that is used up.
 */
export interface Authored {
  /** The id of the canvas whose page creates the canvas. */
  from: string;
  access: Access;
  passwordHash: string | null;
  expiresAt: number | null;
  metadata: { [name: string]: Json } | null;
  quotas: NamedStep<AuthoringQuota>[];
  /** Builds the statement that records the creation in the audit log. */
  record?(canvas: { id: string; slug: string }): Sql;
  refuse(quota: AuthoringQuota): never;
}

const PRIVATE: Omit<Authored, "from" | "refuse"> = {
  access: "private",
  passwordHash: null,
  expiresAt: null,
  metadata: null,
  quotas: [],
};

/**
 * Inserts a canvas. `org` is the id of its home organisation, or null. Returns "taken" if the slug is in use, still reserved after a
 * deletion or rename, or kept for another person, "full" if the owner's quota of canvases is used up, or the name of the quota in `authored` that is used up.
 */
export async function insertCanvas(
  canvas: { id: string; slug: string; title: string; tags: string[]; org: string | null },
  ownerId: string,
  env: Env,
  authored?: Authored,
): Promise<"done" | "taken" | "full" | AuthoringQuota> {
  const { id, slug, title, tags, org } = canvas;
  const { access, passwordHash, expiresAt, metadata, quotas } = authored ?? PRIVATE;
  const now = env.clock();
  return env.db.batch([
    step("full", lockUser(ownerId)),
    ...quotas,
    step("taken", claimSlug(slug, id, now, ownerId)),
    step(
      "taken",
      sql`insert into canvases (id, slug, title, tags, org_id, owner_id, created_by, created_at, updated_at, access,
          password_hash, expires_at, metadata, authored, authored_from)
        values (${id}, ${slug}, ${title}, ${JSON.stringify(tags)}, ${org}, ${ownerId}, ${ownerId}, ${now}, ${now}, ${access},
          ${passwordHash}, ${expiresAt}, ${metadata && JSON.stringify(metadata)}, ${Number(authored !== undefined)},
          ${authored?.from ?? null})`,
    ),
    step("full", withinCanvases(id, env)),
    ...(authored?.record === undefined ? [] : [optional(...authored.record({ id, slug }))]),
  ]);
}

/**
 * Reads a canvas with the role of a user. A user has a role as the owner, through the list of people, or through a team. If the user has
 * none, returns the canvas with the role `otherwise`, or undefined if `otherwise` is null.
 */
const readCanvas = <Row>(
  id: string,
  user: Pick<User, "id" | "email">,
  otherwise: "admin" | null,
  { db }: Env,
): Promise<Row | undefined> =>
  db.get<Row>`
    select * from (
      select canvases.*, users.email as owner_email, users.name as owner_name,
        case when owner_id = ${user.id} then 'owner' else coalesce(
          (select role from roles where canvas_id = ${id} and roles.email = ${user.email}),
          cast(${otherwise} as text)) end as role
      from canvases join users on users.id = owner_id
      where canvases.id = ${id} and deleted_at is null) as found
    where role is not null`;

/**
 * Reads a canvas that the user owns, or that is shared with the user or a team of the user. Returns undefined if there is no such canvas.
 */
export const findCanvas = (
  id: string,
  user: Pick<User, "id" | "email">,
  env: Env,
): Promise<CanvasRow | undefined> => readCanvas<CanvasRow>(id, user, null, env);

/** Reads a canvas that the user may manage: as its owner, an editor or an administrator. Returns undefined if there is no such canvas. */
export async function findManaged(
  id: string,
  user: Pick<User, "id" | "email">,
  isAdmin: boolean,
  env: Env,
): Promise<ManagedRow | undefined> {
  const row = await readCanvas<ManagedRow>(id, user, isAdmin ? "admin" : null, env);
  if (row === undefined || row.role === "admin" || manages(row.role)) return row;
  return isAdmin ? { ...row, role: "admin" } : undefined;
}

/** Reads what the error pages of a canvas may show about the canvas and its owner. Returns undefined if no canvas has the slug. */
export function findForErrorPage(slug: string, { db }: Env) {
  return db.get<{
    id: string;
    title: string;
    disabled_reason: string | null;
    owner_id: string;
    owner_name: string;
    owner_email: string;
    owner_deactivated_at: number | null;
  }>`
    select canvases.id, title, disabled_reason, owner_id, users.name as owner_name, users.email as owner_email,
      users.deactivated_at as owner_deactivated_at
    from canvases join users on users.id = owner_id where slug = ${slug}`;
}
