import { LIMITS } from "@easel/protocol/limits";
import type { AppInfo, TokenScope } from "@easel/protocol/management";
import type { User } from "../access/principal.ts";
import { asKeys, joined, type Sql, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { type Paged, paged } from "../http/query.ts";
import { endingSteps } from "./apps.ts";

interface Row {
  id: string;
  clientName: string;
  clientHost: string | null;
  redirectHost: string | null;
  verified: number;
  isToken: number;
  scope: TokenScope;
  ownOnly: number;
  confirms: number;
  createdAt: number;
  usedAt: number | null;
  expiresAt: number | null;
  canvasId: string | null;
  title: string | null;
  slug: string | null;
}

const infoOf = ({ clientName, clientHost, verified, canvasId, title, slug, ...row }: Row): AppInfo => ({
  ...row,
  client: { name: clientName, host: clientHost, verified: verified === 1 },
  isToken: row.isToken === 1,
  ownOnly: row.ownOnly === 1,
  confirms: row.confirms === 1,
  canvas: canvasId === null ? null : { id: canvasId, title, slug },
});

/** Reads a page of the connected tools of a person that have not expired, with ids below `cursor`, newest first. */
export async function listApps(
  { id, email }: Pick<User, "id" | "email">,
  { cursor, limit }: { cursor: string; limit: number },
  { db, clock }: Env,
): Promise<Paged<AppInfo>> {
  const rows = await db.all<Row>`
    select apps.id, client_name as "clientName", client_host as "clientHost", redirect_host as "redirectHost", verified,
      case when client_id = apps.id then 1 else 0 end as "isToken", scope, own_only as "ownOnly", confirms,
      apps.created_at as "createdAt", used_at as "usedAt", apps.expires_at as "expiresAt", apps.canvas_id as "canvasId", title, slug
    from apps left join canvases on canvases.id = apps.canvas_id and deleted_at is null
      and (owner_id = ${id} or canvases.id in (select canvas_id from grants where email = ${email}))
    where user_id = ${id} and apps.id < ${cursor} and (apps.expires_at is null or apps.expires_at > ${clock()})
    order by apps.id desc limit ${limit + 1}`;
  return paged(rows.map(infoOf), limit, (app) => app.id);
}

/**
 * Ends at most `limit` of the connected tools for which the condition `which` on `apps` is true, at once. Returns their number. A full disk does
 * not keep anybody from ending them.
 */
async function endSome(which: Sql, limit: number, { db }: Env): Promise<number> {
  const found = await db.all<{ id: string }>(
    ...joined([sql`select id from apps where`, which, sql`order by id limit ${limit}`]),
  );
  if (found.length === 0) return 0;
  const ids = asKeys(found.map(({ id }) => id));
  await db.withReserve.batch(endingSteps(sql`id in (select key from json_each(${ids}))`));
  return found.length;
}

/**
 * Ends connected tools of a person: the one with this id, or all if it is null, with the codes that programs could still exchange for one.
 * Returns how many have ended.
 */
export async function endApps(id: string | null, userId: string, env: Env): Promise<number> {
  const ofUser = sql`user_id = ${userId}`;
  if (id === null) await deleteCodes(ofUser, env);
  return endSome(
    id === null ? ofUser : joined([ofUser, sql`and id = ${id}`]),
    LIMITS.appsPerPerson.value,
    env,
  );
}

/** Deletes the authorization codes for which the condition `which` on `app_codes` is true and that have connected no tool yet. */
async function deleteCodes(which: Sql, { db }: Env): Promise<void> {
  await db.withReserve.run(...joined([sql`delete from app_codes where app_id is null and`, which]));
}

/** How many connected tools end at once, so that none of the statements takes long. */
const AT_ONCE = 500;

/** Ends the connected tools that all people have of one program, with its codes. Returns how many have ended. */
export async function endAppsOfClient(clientId: string, env: Env): Promise<number> {
  await deleteCodes(sql`client_id = ${clientId}`, env);
  let ended = 0;
  for (;;) {
    const some = await endSome(sql`client_id = ${clientId} and client_id <> id`, AT_ONCE, env);
    ended += some;
    if (some < AT_ONCE) return ended;
  }
}
