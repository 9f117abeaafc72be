import { LIMITS } from "@easel/protocol/limits";
import type { CanvasListName, ListedCanvas } from "@easel/protocol/management";
import type { CanvasRole, PublicationStatus } from "@easel/protocol/types";
import { domainOf, type User } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import { asKeys, containing, joined, type Sql, sql, sqlText } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { countWithin, type Paged, paged } from "../http/query.ts";
import { RETENTION_MS } from "./deletion.ts";
import { type CanvasOrder, formatPosition, orderSql, type Position } from "./list-order.ts";
import { hasStatus } from "./publication-status.ts";
import type { CanvasRow } from "./store.ts";
import { viewsFor } from "./view.ts";

/** The approximate size in bytes of a canvas in a JSON response, and of each person or team in it. */
const CANVAS_BYTES = 1024;
const ENTRY_BYTES = 64;

/** Which canvases to list, and from where on. */
export interface ListQuery {
  /** The list; null for the canvases that the user owns and those shared with the user. */
  list: CanvasListName | null;
  order: CanvasOrder;
  /** The position of the last canvas of the previous page; null for the first page. */
  after: Position | null;
  /** The maximum number of canvases. */
  limit: number;
  /** A text that occurs in the title or the slug, in any letter case. */
  q?: string | undefined;
  /** A tag that the canvases have. */
  tag?: string | undefined;
  state?: PublicationStatus | undefined;
}

/** A canvas in a list, with the role of the user. `deleted_at` is null unless the list is the trash. */
export type ListedRow = CanvasRow & {
  deleted_at: number | null;
  /** The number of people who opened the canvas in the last 30 days. */
  viewers: number;
};

/** Where the canvases of a list are read from. */
interface Source {
  from: Sql;
  where: Sql;
  /** The expression of the role of the user. */
  role: Sql;
}

/** The conditions under which viewers can open a canvas, except its end. The indexes of listed canvases have the same. */
const ONLINE =
  "deleted_at is null and archived_at is null and disabled_at is null and revoked_at is null and version_id is not null";
const LISTED = `discoverability = 'listed' and access = 'whole_org' and ${ONLINE}`;

/**
 * Returns the canvases that are shared with the user, each with the strongest role, which comes first in the alphabet. The e-mail address of
 * a guest is not verified: it has no role.
 */
const grantedTo = (user: User): Sql =>
  user.kind === "guest"
    ? sql`select id as canvas_id, 'viewer' as role from canvases where id = ${user.guestOf}`
    : sql`select canvas_id, min(role) as role from grants where email = ${user.email} group by canvas_id`;

/**
 * Returns the source of a list, or null if the list has no canvases. `page` is the end of the statement: the conditions, the order and the
 * number of canvases.
 */
function sourceOf(
  list: ListQuery["list"],
  state: PublicationStatus | undefined,
  user: User,
  page: Sql,
  { clock, config }: Env,
): Source | null {
  const now = clock();
  switch (list) {
    case null:
      return {
        from: joined([
          sql`canvases left join (`,
          grantedTo(user),
          sql`) as granted on canvas_id = canvases.id`,
        ]),
        where: joined([
          sql`deleted_at is null and canvases.id in (
            select id from (select id from canvases where owner_id = ${user.id} and deleted_at is null`,
          page,
          sql`) as owned union select canvas_id from (`,
          grantedTo(user),
          sql`) as given)`,
        ]),
        role: sql`case when owner_id = ${user.id} then 'owner' else granted.role end`,
      };
    case "mine":
      return {
        from: sql`canvases`,
        where: sql`owner_id = ${user.id} and deleted_at is null`,
        role: sql`'owner'`,
      };
    case "trash":
      return {
        from: sql`canvases`,
        where: sql`owner_id = ${user.id} and deleted_at > ${now - RETENTION_MS}`,
        role: sql`'owner'`,
      };
    case "shared":
      return {
        from: joined([sql`(`, grantedTo(user), sql`) as granted join canvases on canvases.id = canvas_id`]),
        where: [
          sqlText(
            `owner_id <> ? and deleted_at is null and (granted.role = 'editor' or (${ONLINE} and (expires_at is null or expires_at > ?)))`,
          ),
          user.id,
          now,
        ],
        role: sql`granted.role`,
      };
    case "organisation":
      // Every canvas in this list is published.
      if (user.kind === "guest" || (state ?? "published") !== "published") return null;
      return {
        from: sql`canvases`,
        where: joined([
          // There is one statement with tenancy and one without, so that each can use an index.
          config.tenancy
            ? sql`org_id = (select org_id from org_domains where domain = ${domainOf(user.email)}) and`
            : sql``,
          [sqlText(`${LISTED} and (expires_at is null or expires_at > ?) and owner_id <> ?`), now, user.id],
          sql`and canvases.id not in (select canvas_id from grants where email = ${user.email})`,
        ]),
        role: sql`'viewer'`,
      };
  }
}

/** Returns the conditions that a query adds to the source of its list. */
function filtersOf({ list, q = "", tag, state }: ListQuery, user: User, { clock }: Env): Sql[] {
  const { canvasId: only = null, madeBy } = user.restriction ?? {};
  const like = containing(q);
  const filters: Sql[] = [];
  if (only !== null) filters.push(sql`canvases.id = ${only}`);
  if (madeBy !== undefined)
    filters.push(
      sql`canvases.id in (select canvas_id from made_canvases where user_id = ${user.id} and client_id = ${madeBy})`,
    );
  if (state !== undefined && list !== "organisation") filters.push(hasStatus(state, clock()));
  if (tag !== undefined)
    filters.push(
      sql`exists (select 1 from canvas_tags where canvas_tags.canvas_id = canvases.id and tag = ${tag})`,
    );
  if (q !== "")
    filters.push(
      list === "trash"
        ? sql`(lower(title) like ${like} escape '!' or slug like ${like} escape '!' or exists (select 1 from slug_claims
            where slug_claims.canvas_id = canvases.id and until = 0 and slug_claims.slug like ${like} escape '!'))`
        : sql`(lower(title) like ${like} escape '!' or slug like ${like} escape '!')`,
    );
  return filters;
}

/**
 * Reads a page of a list of canvases:
 *
 * - `mine`: those that the user owns, in every state but deleted.
 * - `shared`: those of others that are shared with the user by name or through a team: in every state but deleted if the user is an editor,
 *   otherwise while the user can open them.
 * - `organisation`: those that are listed for the whole organisation of the user, and in none of the lists above. The role is "viewer".
 * - `trash`: those that the user has deleted and can restore. A draft (a canvas without a version) has its former slug.
 * - null: all that the user owns or that are shared with the user, in every state but deleted.
 *
 * The page has fewer than `limit` canvases if the response would be too large otherwise. With an access token that is valid for one canvas,
 * it contains at most this canvas, and for the canvases of one client only those. The rows of other canvases are not read: each list is read along an index, from the position on. Only
 * those that are shared with the user, or that the user owns and filters, are read at once.
 */
export async function listCanvases(user: User, query: ListQuery, env: Env): Promise<Paged<ListedRow>> {
  const { list, limit, after } = query;
  const order = orderSql(query.order, after);
  const page = joined([
    ...[...filtersOf(query, user, env), ...order.isAfter].flatMap((condition) => [sql`and`, condition]),
    [sqlText(`order by ${order.by} limit ?`), limit + 1],
  ]);
  const source = sourceOf(list, query.state, user, page, env);
  if (source === null) return { entries: [], nextCursor: null };
  const rows = await env.db.all<Position & { role: CanvasRole; bytes: number }>(
    ...joined([
      sql`select canvases.id,`,
      source.role,
      [
        sqlText(`as role, ${order.key} as key, ${CANVAS_BYTES} + coalesce(octet_length(metadata), 0)
          + coalesce(octet_length(runtime_policy), 0)
          + ${ENTRY_BYTES} * ((select count(*) from canvas_people where canvas_people.canvas_id = canvases.id)
            + (select count(*) from canvas_teams where canvas_teams.canvas_id = canvases.id)) as bytes from`),
      ],
      source.from,
      sql`where`,
      source.where,
      page,
    ]),
  );
  const fits = countWithin(rows, LIMITS.canvasPageBytes.value, ({ bytes }) => Number(bytes));
  const { entries, nextCursor } = paged(rows, Math.min(limit, fits), (row) =>
    formatPosition(query.order, row),
  );
  return { entries: await readRows(entries, list === "trash", env), nextCursor };
}

/** Reads canvases by their ids, in the same order, except those that have been deleted or restored since. */
async function readRows(
  entries: { id: string; role: CanvasRole }[],
  deleted: boolean,
  { db }: Env,
): Promise<ListedRow[]> {
  if (entries.length === 0) return [];
  const rows = await db.all<Omit<ListedRow, "role"> & { freed: string | null }>`
    select canvases.*, users.email as owner_email, users.name as owner_name,
      coalesce((select rows from counts where counts.canvas_id = canvases.id and kind = 'viewers'), 0) as viewers,
      case when deleted_at is not null
        then (select slug from slug_claims where slug_claims.canvas_id = canvases.id and until = 0) end as freed
    from canvases join users on users.id = owner_id
    where canvases.id in (select key from json_each(${asKeys(entries.map(({ id }) => id))}))`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return entries.flatMap(({ id, role }) => {
    const row = byId.get(id);
    if (row === undefined || (row.deleted_at !== null) !== deleted) return [];
    return { ...row, slug: row.freed ?? row.slug, role };
  });
}

/** Returns how a canvas is used, for its owner and editors. What a viewer may not know includes when others have opened it. */
const useOf = (
  { role, last_used_at, viewers }: ListedRow,
  { config }: Env,
): Pick<ListedCanvas, "lastUsedAt" | "people30"> =>
  config.pageViews && manages(role)
    ? { lastUsedAt: last_used_at || null, people30: Number(viewers) }
    : { lastUsedAt: null, people30: null };

/** Converts the rows of a list to canvases as the management API returns them. */
export async function viewsOfList(rows: ListedRow[], env: Env): Promise<ListedCanvas[]> {
  const views = await viewsFor(rows, env);
  return views.map((view, index) => {
    const row = rows[index] as ListedRow;
    const deletedAt = row.deleted_at;
    const listed = { ...view, ...useOf(row, env) };
    return deletedAt === null ? listed : { ...listed, deletedAt, purgeAt: deletedAt + RETENTION_MS };
  });
}
