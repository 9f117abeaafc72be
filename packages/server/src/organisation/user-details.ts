import type { UserFilter } from "@easel/protocol/management";
import { newId } from "../crypto/ids.ts";
import { containing, joined, optional, type Sql, type Step, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { endingSteps } from "../identity/apps.ts";
import { nearQuota, ownsDeactivated } from "./attention.ts";
import { type PersonQuotas, personQuotaSteps } from "./quotas.ts";

/** A user with rights, number of canvases and quotas. Times are epoch milliseconds. */
export interface UserDetailsRow {
  id: string;
  email: string;
  name: string;
  avatar_url: string | null;
  created_at: number;
  deactivated_at: number | null;
  erased_at: number | null;
  /** Null if it is not known. */
  last_seen_at: number | null;
  can_publish_public: number;
  listed_as: string | null;
  admin_group: number;
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

/** The columns of a user that administrators see. */
const DETAILS = sql`
  select id, email, name, avatar_url, created_at, deactivated_at, erased_at, can_publish_public, listed_as, admin_group,
    (select seen_at from last_seen where user_id = users.id) as last_seen_at,
    (select count(*) from canvases where owner_id = users.id and deleted_at is null) as canvases,
    (select value from user_quotas where user_id = users.id and user_quotas.name = 'canvases.person') as quota_canvases,
    (select value from user_quotas where user_id = users.id and user_quotas.name = 'bundles.bytes.person') as quota_bytes,
    (select value from user_quotas where user_id = users.id and user_quotas.name = 'files.bytes.person') as quota_files,
    (select value from user_quotas where user_id = users.id and user_quotas.name = 'versions.canvas') as quota_versions
  from users where`;

/** The SQL conditions on a row of `users` by which administrators filter. */
const FILTERS: Record<UserFilter, (env: Env) => Sql> = {
  active: () => sql`deactivated_at is null`,
  deactivated: () => sql`deactivated_at is not null`,
  ownersDeactivated: ownsDeactivated,
  quotasNear: nearQuota,
  quotasOwn: () => sql`id in (select user_id from user_quotas)`,
};

/** Returns up to `limit` users whose e-mail address or name contains `q` and whose id is below `cursor`, newest first. `show` filters them. */
export function listUsers(
  { q, cursor, limit, show }: { q: string; cursor: string; limit: number; show?: UserFilter | undefined },
  env: Env,
): Promise<UserDetailsRow[]> {
  const like = containing(q);
  const filter = show === undefined ? [] : [sql`and`, FILTERS[show](env)];
  const found = sql`id < ${cursor} and (lower(email) like ${like} escape '!' or lower(name) like ${like} escape '!')`;
  return env.db.all<UserDetailsRow>(
    ...joined([DETAILS, found, ...filter, sql`order by id desc limit ${limit}`]),
  );
}

/** Finds a user by id. */
export function findUserDetails(id: string, { db }: Env): Promise<UserDetailsRow | undefined> {
  return db.get<UserDetailsRow>(...joined([DETAILS, sql`id = ${id}`]));
}

/**
 * Adds a person who has not signed in yet. A deactivated one cannot sign in until somebody reactivates them. Returns the id, or null if there is
 * a person with the address, in their row or in the directory.
 */
export async function addUser(
  { email, name, deactivated }: { email: string; name: string; deactivated: boolean },
  { db, clock }: Env,
): Promise<string | null> {
  const [id, now] = [newId(), clock()];
  const added = await db.withReserve.run`
    insert into users (id, email, name, created_at, deactivated_at)
    select cast(${id} as text), cast(${email} as text), cast(${name} as text), cast(${now} as bigint),
      cast(${deactivated ? now : null} as bigint)
    where not exists (select 1 from scim_addresses where email = ${email}) on conflict (email) do nothing`;
  return added === 1 ? id : null;
}

/** The statements that delete the sessions, access tokens and connected tools of a user who is deactivated. */
const revocations = (id: string): Step<never>[] => {
  const deactivated = sql`user_id in (select id from users where id = ${id} and deactivated_at is not null)`;
  return [
    optional(...joined([sql`delete from sessions where`, deactivated])),
    ...endingSteps(deactivated),
    optional(...joined([sql`delete from tokens where`, deactivated])),
  ];
};

/**
 * The steps that deactivate a user on behalf of the administrator `by`. They change no row if these are the same, or if `by` has been
 * deactivated meanwhile, so that two administrators who deactivate each other at once do not leave the instance without one. Must follow
 * `lockBoth`.
 */
const deactivation = (id: string, by: string | null, now: number): Step<"not_allowed">[] => [
  step(
    "not_allowed",
    by === null
      ? sql`update users set deactivated_at = coalesce(deactivated_at, ${now}) where id = ${id}`
      : sql`update users set deactivated_at = coalesce(deactivated_at, ${now}) where id = ${id} and id <> ${by}
      and exists (select 1 from users as administrators where id = ${by} and deactivated_at is null)`,
  ),
  ...revocations(id),
];

/** Builds the step that locks the rows of a user and an administrator. */
const lockBoth = (id: string, by: string | null): Sql => {
  const [first, second] = [id, by ?? id].sort() as [string, string];
  return sql`update users set name = name where id in (${first}, ${second})`;
};

/** Changes to a user. A field that is undefined keeps its value. */
export interface UserPatch {
  deactivated?: boolean | undefined;
  canPublishPublic?: boolean | undefined;
  quotas?: PersonQuotas | undefined;
}

/**
 * Changes rights and quotas of a user on behalf of the administrator with the id `by`, or of the identity provider or the shell if it is null. Deactivating a user deletes the user's sessions,
 * access tokens and connected tools, which reactivating does not restore. Changes nothing and returns "not_found" if there is no such user, "erased" for
 * somebody who was erased and is to be reactivated, and "not_allowed" if the administrator deactivates themself, or has been deactivated.
 */
export async function updateUser(
  id: string,
  { deactivated, canPublishPublic, quotas = {} }: UserPatch,
  by: string | null,
  { db, clock }: Env,
): Promise<"done" | "not_found" | "not_allowed" | "erased"> {
  const mayPublish = canPublishPublic === undefined ? null : Number(canPublishPublic);
  const steps: Step<"not_allowed" | "erased">[] = [
    lockBoth(id, by),
    sql`update users set can_publish_public = coalesce(${mayPublish}, can_publish_public) where id = ${id}`,
    ...personQuotaSteps(id, quotas),
  ];
  if (deactivated === true) steps.push(...deactivation(id, by, clock()));
  // A sign-in that was under way during the deactivation may have left a session, which the reactivation must not revive.
  if (deactivated === false)
    steps.push(
      ...revocations(id),
      step("erased", sql`update users set deactivated_at = null where id = ${id} and erased_at is null`),
    );
  // A full disk must not keep an administrator from stopping the person who has filled it.
  const outcome = await db.withReserve.batch(steps);
  return outcome === "unchanged" ? "not_found" : outcome;
}

/**
 * Deactivates a user like `updateUser`, but only if the user owns no canvas that is not deleted. Returns false if nothing has changed.
 */
export async function deactivateWithoutCanvases(
  id: string,
  by: string | null,
  { db, clock }: Env,
): Promise<boolean> {
  const steps: Step<"not_allowed">[] = [
    lockBoth(id, by),
    sql`update users set name = name where id = ${id}
      and not exists (select 1 from canvases where owner_id = ${id} and deleted_at is null)`,
    ...deactivation(id, by, clock()),
  ];
  return (await db.withReserve.batch(steps)) === "done";
}
