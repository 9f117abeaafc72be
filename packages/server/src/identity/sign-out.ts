import { joined, optional, type Sql, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { endingSteps } from "./apps.ts";

/** What lets a person in, or others for them, counted. */
export interface Credentials {
  /** Unexpired sessions. */
  sessions: number;
  /** Unexpired access tokens. */
  tokens: number;
  /** Unexpired connected tools. */
  apps: number;
  /** Guests whom the person has invited, and whose invitations are not revoked. */
  guests: number;
}

/** Counts what lets a person in, programs for them, and the guests whom they have invited. */
export async function credentialsOf(id: string, { db, clock }: Env): Promise<Credentials> {
  const now = clock();
  const [row] = await db.all<Credentials>`
    select (select count(*) from sessions where user_id = ${id} and expires_at > ${now}) as sessions,
      (select count(*) from tokens where user_id = ${id} and app_id is null and (expires_at is null or expires_at > ${now})) as tokens,
      (select count(*) from apps where user_id = ${id} and (expires_at is null or expires_at > ${now})) as apps,
      (select count(*) from invites where created_by = ${id} and revoked_at is null) as guests`;
  return {
    sessions: Number(row?.sessions),
    tokens: Number(row?.tokens),
    apps: Number(row?.apps),
    guests: Number(row?.guests),
  };
}

/**
 * Builds the steps that end access tokens, connected tools and what a program could still exchange for one, of the people for whom the
 * condition `whose` on `user_id` is true.
 */
const programSteps = (whose: Sql): Step<never>[] => [
  ...endingSteps(whose),
  optional(...joined([sql`delete from tokens where`, whose])),
  optional(...joined([sql`delete from oauth_codes where token_id is null and`, whose])),
  optional(...joined([sql`delete from app_codes where app_id is null and`, whose])),
];

/**
 * Ends every session of a user and, with `tokens`, their access tokens, their connected tools and what a program could still exchange for
 * one. Returns false if there is no such user.
 */
export async function signOutUser(
  id: string,
  { tokens }: { tokens: boolean },
  { db }: Env,
): Promise<boolean> {
  const steps: Step[] = [
    sql`update users set name = name where id = ${id}`,
    optional`delete from sessions where user_id = ${id}`,
    ...(tokens ? programSteps(sql`user_id = ${id}`) : []),
  ];
  return (await db.withReserve.batch(steps)) === "done";
}

/**
 * Ends every session on the instance, those of guests too, except the one with the id `kept`. With `tokens`, also the access tokens and connected
 * tools of everyone. Returns the number of sessions that have ended.
 */
export async function signOutEveryone(
  { kept, tokens }: { kept: string | null; tokens: boolean },
  { db }: Env,
): Promise<number> {
  const ended = await db.withReserve.run`delete from sessions where id <> ${kept ?? ""}`;
  if (tokens) await db.withReserve.batch(programSteps(sql`user_id is not null`));
  return ended;
}
