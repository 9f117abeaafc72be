import type { Env } from "../env.ts";
import { mailSteps } from "./mail-queue.ts";
import { tokenMail } from "./mails.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** The time between two looks at what people are told without anybody's act, in milliseconds. */
export const NOTICES_MS = 6 * HOUR_MS;
/** How long before its end a token is told. */
const TOKEN_NOTICE_MS = 7 * DAY_MS;

/** Puts mails into the outbox for what nobody causes: access tokens that end soon. */
export async function giveNotice(env: Env, _stop: AbortSignal): Promise<void> {
  await tellTokens(env);
}

/** Puts a mail into the outbox for each access token that ends within a week, once for each token. */
async function tellTokens(env: Env): Promise<void> {
  const now = env.clock();
  const rows = await env.db.all<{ id: string; token: string; ends: number; email: string; name: string }>`
    select tokens.id, tokens.name as token, tokens.expires_at as ends, users.email, users.name from tokens
    join users on users.id = user_id
    where expires_at > ${now} and expires_at <= ${now + TOKEN_NOTICE_MS} and tokens.created_at <= expires_at - ${TOKEN_NOTICE_MS}
      and deactivated_at is null`;
  for (const { id, token, ends, email, name } of rows) {
    const mail = tokenMail({ email, name }, { name: token, ends: Number(ends) }, env);
    for (const step of mailSteps(`token-${id}`, mail, null, env)) await env.db.batch([step]);
  }
}
