import { containing, optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { type PersonQuotas, personQuotaSteps } from "./quotas.ts";

/** Someone who has signed in, as administrators see them. */
export interface SupervisedUser {
  id: string;
  email: string;
  name: string;
  avatar_url: string | null;
  created_at: number;
  deactivated_at: number | null;
  can_publish_public: number;
  /** How many canvases they own. */
  canvases: number;
  /** The quotas that administrators have set for this person. */
  quota_canvases: number | null;
  quota_bytes: number | null;
  quota_versions: number | null;
}

/** People, newest first, from before `cursor`. `q` is looked for in e-mail address and name. */
export function listUsers(
  { q, cursor, limit }: { q: string; cursor: string; limit: number },
  { db }: Env,
): Promise<SupervisedUser[]> {
  const like = containing(q);
  return db.all<SupervisedUser>`
    select id, email, name, avatar_url, created_at, deactivated_at, can_publish_public,
      (select count(*) from canvases where owner_id = users.id and deleted_at is null) as canvases,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'canvases.person') as quota_canvases,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'bundles.bytes.person') as quota_bytes,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'versions.canvas') as quota_versions
    from users where id < ${cursor} and (lower(email) like ${like} escape '!' or lower(name) like ${like} escape '!')
    order by id desc limit ${limit}`;
}

/** Someone by id; undefined when there is nobody. */
export function findSupervisedUser(id: string, { db }: Env): Promise<SupervisedUser | undefined> {
  return db.get<SupervisedUser>`
    select id, email, name, avatar_url, created_at, deactivated_at, can_publish_public,
      (select count(*) from canvases where owner_id = users.id and deleted_at is null) as canvases,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'canvases.person') as quota_canvases,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'bundles.bytes.person') as quota_bytes,
      (select value from user_quotas where user_id = users.id and user_quotas.name = 'versions.canvas') as quota_versions
    from users where id = ${id}`;
}

/**
 * Changes what someone may do; what is left out stays. Deactivating ends their sessions and access tokens for good:
 * reactivating brings none back. False when there is nobody with this id.
 */
export async function setUser(
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
  // A sign-in under way while its person is deactivated may leave a session behind: it ends before they are back.
  const ended: Step[] = [
    optional`delete from sessions where user_id in (select id from users where id = ${id} and deactivated_at is not null)`,
    optional`delete from tokens where user_id in (select id from users where id = ${id} and deactivated_at is not null)`,
  ];
  if (deactivated === true) {
    steps.push(
      sql`update users set deactivated_at = coalesce(deactivated_at, ${clock()}) where id = ${id}`,
      ...ended,
    );
  }
  if (deactivated === false) {
    steps.push(...ended, sql`update users set deactivated_at = null where id = ${id}`);
  }
  return (await db.batch(steps)).length === steps.length;
}
