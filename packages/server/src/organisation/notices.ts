import { nextTurn } from "../async/next-turn.ts";
import { type PERSON_QUOTAS, usageOfPerson } from "../canvases/owner-quotas.ts";
import { joined, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { alone } from "../instance/jobs.ts";
import { mailSteps, sendsMail } from "../mail/mail-queue.ts";
import { type Mail, quotaMail, tokenMail } from "../mail/mails.ts";
import { NEAR_PERCENT, nearQuota } from "./attention.ts";
import { DAY_MS } from "./days.ts";
import { readQuotas } from "./quotas.ts";

/* What people are told by mail although nobody has done anything: tokens that end soon, quotas that are nearly used up. */

const MINUTE_MS = 60_000;
/** The time between two looks. */
const INTERVAL_MS = 6 * 60 * MINUTE_MS;
/** How long before its end a token is told. */
const TOKEN_NOTICE_MS = 7 * DAY_MS;
/** How many people are looked at in one statement, because each needs sums over their canvases. */
const AT_ONCE = 100;

/**
 * Looks a minute after the start and every six hours, on one process of the instance. Does nothing if mail is off. Returns a function that ends it.
 */
export function startNotices(env: Env): () => Promise<void> {
  if (!sendsMail(env)) return async () => {};
  const stop = new AbortController();
  let running = Promise.resolve();
  const look = () => {
    const options = { every: INTERVAL_MS / 2, stop: stop.signal };
    const work = (lost: AbortSignal) => giveNotice(env, AbortSignal.any([lost, stop.signal]));
    running = alone("notices", work, env, options).then(
      () => {},
      (err) => {
        if (!stop.signal.aborted) env.log.error({ err }, "looking for what to tell by mail failed");
      },
    );
  };
  const first = setTimeout(look, MINUTE_MS).unref();
  const timer = setInterval(look, INTERVAL_MS).unref();
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    stop.abort();
    await running;
  };
}

/** Puts the mails about tokens and quotas into the outbox. A mail whose row is still there is not sent again. Throws if `signal` aborts. */
export async function giveNotice(env: Env, signal: AbortSignal): Promise<void> {
  await tellTokens(env);
  await tellPeople(env, signal);
  await tellCanvases(env, signal);
}

async function put(id: string, mail: Mail, env: Env): Promise<void> {
  const steps = mailSteps(id, mail, null, env);
  if (steps.length > 0) await env.db.batch(steps);
}

/** Puts a mail into the outbox for each access token that ends within a week, once for each token. */
async function tellTokens(env: Env): Promise<void> {
  const now = env.clock();
  const rows = await env.db.all<{ id: string; token: string; ends: number; email: string; name: string }>`
    select tokens.id, tokens.name as token, tokens.expires_at as ends, users.email, users.name from tokens
    join users on users.id = user_id
    where expires_at > ${now} and expires_at <= ${now + TOKEN_NOTICE_MS} and tokens.created_at <= expires_at - ${TOKEN_NOTICE_MS}
      and deactivated_at is null`;
  for (const { id, token, ends, email, name } of rows)
    await put(`token-${id}`, tokenMail({ email, name }, { name: token, ends: Number(ends) }, env), env);
}

/** Puts mails into the outbox for people who use more than 90 % of a quota on what they own. */
async function tellPeople(env: Env, signal: AbortSignal): Promise<void> {
  for (let after = ""; ; ) {
    signal.throwIfAborted();
    const slice = await env.db.all<{ id: string }>`
      select id from users where id > ${after} order by id limit ${AT_ONCE}`;
    const last = slice.at(-1)?.id;
    if (last === undefined) return;
    const some = sql`select id, email, name from users where id > ${after} and id <= ${last} and`;
    const near = await env.db.all<{ id: string; email: string; name: string }>(
      ...joined([some, nearQuota(env)]),
    );
    for (const { id, ...to } of near) {
      const usage = await usageOfPerson(id, env);
      for (const quota of TOLD)
        if (isNear(usage[quota]))
          await put(`quota-${quota}-${id}`, quotaMail(to, { quota, ...usage[quota] }, env), env);
    }
    after = last;
    // SQLite reads within the turn: other requests come in between.
    await nextTurn();
  }
}

/** The quotas of a person that are told: those that `nearQuota` looks at. */
const TOLD = [
  "canvases.person",
  "bundles.bytes.person",
  "files.bytes.person",
] as const satisfies (keyof typeof PERSON_QUOTAS)[];

const isNear = ({ used, limit }: { used: number; limit: number }): boolean =>
  used * 100 > NEAR_PERCENT * limit;

/** Puts mails into the outbox for owners of canvases with uploads of more than 90 % of what one canvas may have. */
async function tellCanvases(env: Env, signal: AbortSignal): Promise<void> {
  const quota = "files.bytes.canvas";
  const limit = (await readQuotas(env))[quota] ?? 0;
  const rows = await env.db.all<{ id: string; title: string; used: number; email: string; name: string }>`
    select canvases.id, title, bytes as used, email, name from file_bytes
    join canvases on canvases.id = canvas_id join users on users.id = owner_id
    where bytes * 100 > ${NEAR_PERCENT * limit} and deleted_at is null`;
  for (const { id, title, used, ...to } of rows) {
    signal.throwIfAborted();
    const mail = quotaMail(to, { quota, canvas: { id, title }, used: Number(used), limit }, env);
    await put(`quota-${quota}-${id}`, mail, env);
  }
}
