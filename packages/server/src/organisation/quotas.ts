import { LIMITS } from "@easel/protocol/limits";
import { maybe, type Step, sql } from "../drivers/db/db.ts";
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

/** The name of a quota, as the specification has it. */
export type QuotaName = keyof typeof QUOTAS;

/** Every quota as it holds now. */
export async function readQuotas({ db }: Env): Promise<Record<QuotaName, number>> {
  const rows = await db.all<{ name: string; value: number }>`select name, value from quotas`;
  const set = new Map(rows.map(({ name, value }) => [name, value]));
  const entries = Object.entries(QUOTAS).map(([name, usual]) => [name, set.get(name) ?? usual]);
  return Object.fromEntries(entries);
}

/** The writes that set quotas; null brings back the usual one, what is left out stays. */
export function quotaSteps(patch: { [Name in QuotaName]?: number | null | undefined }): Step[] {
  return (Object.keys(QUOTAS) as QuotaName[]).flatMap((name): Step[] => {
    const value = patch[name];
    if (value === undefined) return [];
    if (value === null) return [maybe`delete from quotas where name = ${name}`];
    return [
      sql`insert into quotas (name, value) values (${name}, ${value}) on conflict (name) do update set value = excluded.value`,
    ];
  });
}
