import { LIMITS } from "@easel/protocol/limits";
import type { Config } from "../config/config.ts";
import { optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

const MiB = 1024 * 1024;

/** What administrators may limit otherwise, and the limit until they do (specification 8). */
export const QUOTAS = {
  "kv.keys.shared": LIMITS.kvKeysShared.value,
  "kv.keys.user": LIMITS.kvKeysUser.value,
  "files.bytes.file": 25 * MiB,
  "files.bytes.canvas": 1024 * MiB,
  "submissions.canvas": LIMITS.submissionsPerCanvas.value,
  "submissions.author": LIMITS.submissionsPerAuthor.value,
  "collections.records.canvas": LIMITS.recordsPerCanvas.value,
} as const satisfies Record<string, number>;

/** The same for what one person owns; the limit until then is a setting of the deployment. */
export const PERSON_QUOTAS = {
  "canvases.person": ({ quotaCanvases }) => quotaCanvases,
  "bundles.bytes.person": ({ quotaBundleBytes }) => quotaBundleBytes,
  "versions.canvas": ({ versionsKept }) => versionsKept,
} as const satisfies Record<string, (config: Config) => number>;

/** The name of a quota that may differ from person to person. */
export type PersonQuotaName = keyof typeof PERSON_QUOTAS;

/** The name of a quota, as the specification has it. */
export type QuotaName = keyof typeof QUOTAS | PersonQuotaName;

export const PERSON_QUOTA_NAMES = Object.keys(PERSON_QUOTAS) as PersonQuotaName[];
export const QUOTA_NAMES = [...Object.keys(QUOTAS), ...PERSON_QUOTA_NAMES] as QuotaName[];

/** Every quota as it holds now. */
export async function readQuotas({ db, config }: Env): Promise<Record<QuotaName, number>> {
  const rows = await db.all<{ name: string; value: number }>`select name, value from quotas`;
  const set = new Map(rows.map(({ name, value }) => [name, value]));
  const user = PERSON_QUOTA_NAMES.map((name) => [name, PERSON_QUOTAS[name](config)] as const);
  const entries = [...Object.entries(QUOTAS), ...user].map(([name, usual]) => [name, set.get(name) ?? usual]);
  return Object.fromEntries(entries);
}

/** The writes that set quotas; null brings back the usual one, what is left out stays. */
export function quotaSteps(patch: { [Name in QuotaName]?: number | null | undefined }): Step[] {
  return QUOTA_NAMES.flatMap((name): Step[] => {
    const value = patch[name];
    if (value === undefined) return [];
    if (value === null) return [optional`delete from quotas where name = ${name}`];
    return [
      sql`insert into quotas (name, value) values (${name}, ${value}) on conflict (name) do update set value = excluded.value`,
    ];
  });
}

/** The quotas that administrators have set for one person; null where the general ones hold. */
export type PersonQuotas = { [Name in PersonQuotaName]?: number | null | undefined };

/** The writes that set quotas of one person; null brings back that of everyone, what is left out stays. */
export function personQuotaSteps(userId: string, patch: PersonQuotas): Step[] {
  return PERSON_QUOTA_NAMES.flatMap((name): Step[] => {
    const value = patch[name];
    if (value === undefined) return [];
    if (value === null)
      return [optional`delete from user_quotas where user_id = ${userId} and name = ${name}`];
    return [
      sql`insert into user_quotas (user_id, name, value) values (${userId}, ${name}, ${value})
        on conflict (user_id, name) do update set value = excluded.value`,
    ];
  });
}
