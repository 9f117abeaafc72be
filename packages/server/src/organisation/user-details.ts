import { containing, optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { type PersonQuotas, personQuotaSteps } from "./quotas.ts";

/** A user with rights, number of canvases and quotas. Times are epoch milliseconds. */
export interface UserDetailsRow {
  id: string;
  email: string;
  name: string;
  avatar_url: string | null;
  created_at: number;
  deactivated_at: number | null;
  can_publish_public: number;
  /** Number of canvases that the user owns, without deleted ones. */
  canvases: number;
  /** The maximum number of canvases that this user may own. Null if the limit of the instance applies. */
  quota_canvases: number | null;
  /** The maximum size of all bundles of this user, in bytes. Null if the limit of the instance applies. */
  quota_bytes: number | null;
  /** The maximum size of all files that pages upload to the canvases of this user, in bytes. Null if the limit of the instance applies. */
  quota_files: number | null;
  /** The maximum number of versions of each canvas of this user. Null if the limit of the instance applies. */
  quota_versions: number | null;
}

/** Returns up to `limit` users whose e-mail address or name contains `q` and whose id is below `cursor`, newest first. */
export function listUsers(
  { q, cursor, limit }: { q: string; cursor: string; limit: number },
  { db }: Env,
): Promise<UserDetailsRow[]> {
  const like = containing(q);
  return db.all<UserDetailsRow>`
    select id, email, name, avatar_url, created_at, deactivated_at, can_publish_public,
      (select count(*) from canvases where owner_id = users.id and deleted_at is null) as canvases,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'canvases.person') as quota_canvases,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'bundles.bytes.person') as quota_bytes,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'files.bytes.person') as quota_files,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'versions.canvas') as quota_versions
    from users where id < ${cursor} and (lower(email) like ${like} escape '!' or lower(name) like ${like} escape '!')
    order by id desc limit ${limit}`;
}

/** Finds a user by id. */
export function findUserDetails(id: string, { db }: Env): Promise<UserDetailsRow | undefined> {
  return db.get<UserDetailsRow>`
    select id, email, name, avatar_url, created_at, deactivated_at, can_publish_public,
      (select count(*) from canvases where owner_id = users.id and deleted_at is null) as canvases,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'canvases.person') as quota_canvases,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'bundles.bytes.person') as quota_bytes,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'files.bytes.person') as quota_files,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'versions.canvas') as quota_versions
    from users where id = ${id}`;
}

/**
 * Changes rights and quotas of a user; a field that is undefined keeps its value. Deactivating a user deletes the user's sessions and
 * access tokens, which reactivating does not restore. Returns false if there is no such user.
 */
export async function updateUser(
  id: string,
  {
    deactivated,
    canPublishPublic,
    quotas = {},
  }: {
    deactivated?: boolean | undefined;
    canPublishPublic?: boolean | undefined;
    quotas?: PersonQuotas | undefined;
  },
  { db, clock }: Env,
): Promise<boolean> {
  const mayPublish = canPublishPublic === undefined ? null : Number(canPublishPublic);
  const steps: Step[] = [
    sql`update users set can_publish_public = coalesce(${mayPublish}, can_publish_public) where id = ${id}`,
    ...personQuotaSteps(id, quotas),
  ];
  // Runs before a reactivation, too: a sign-in that was under way during the deactivation may have left a session.
  const revocations: Step[] = [
    optional`delete from sessions where user_id in (select id from users where id = ${id} and deactivated_at is not null)`,
    optional`delete from tokens where user_id in (select id from users where id = ${id} and deactivated_at is not null)`,
  ];
  if (deactivated === true) {
    steps.push(
      sql`update users set deactivated_at = coalesce(deactivated_at, ${clock()}) where id = ${id}`,
      ...revocations,
    );
  }
  if (deactivated === false) {
    steps.push(...revocations, sql`update users set deactivated_at = null where id = ${id}`);
  }
  // A full disk must not keep an administrator from stopping the person who has filled it.
  return (await db.withReserve.batch(steps)) === "done";
}
