import { optional } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the latest end of an access token that is made at `now`, in epoch milliseconds; null if it may be valid for ever. */
export const latestTokenEnd = (
  now: number,
  { config: { tokenMaxDays } }: Pick<Env, "config">,
): number | null => (tokenMaxDays === null ? null : now + tokenMaxDays * DAY_MS);

/**
 * Gives every access token that would be valid for longer than the settings allow the end that it would have got, if it were made now. Called
 * before the service listens, so that no request sees another end. Tokens of programs that people have connected are short-lived anyway.
 */
export async function limitTokenAges({ config: { tokenMaxDays }, db }: Env): Promise<void> {
  if (tokenMaxDays === null) return;
  const most = tokenMaxDays * DAY_MS;
  await db.withReserve.batch([
    optional`update tokens set expires_at = created_at + ${most}
      where (expires_at is null or expires_at > created_at + ${most})
        and (app_id is null or app_id in (select id from apps where client_id = id))`,
    optional`update apps set expires_at = created_at + ${most}
      where client_id = id and (expires_at is null or expires_at > created_at + ${most})`,
  ]);
}
