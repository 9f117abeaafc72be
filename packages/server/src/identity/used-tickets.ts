import { tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";

/** What a person has answered to a question. */
export type TicketAnswer = "allowed" | "refused";

/** What is answered once: a ticket, or another text that stands for a question, until the time when the answer no longer matters. */
export interface Answerable {
  id: string;
  /** In epoch milliseconds. */
  expires: number;
}

/** Records an answer. Returns false if there is one already that still matters, also of a request at the same time on another node. */
export async function recordAnswer(
  { id, expires }: Answerable,
  answer: TicketAnswer,
  { db, clock }: Env,
): Promise<boolean> {
  const recorded = await db.withReserve.run`
    insert into used_tickets (hash, expires_at, answer) values (${tokenHash(id)}, ${expires}, ${answer})
    on conflict (hash) do update set expires_at = ${expires}, answer = ${answer} where used_tickets.expires_at <= ${clock()}`;
  return recorded === 1;
}

/** Takes an answer back whose act was refused and has changed nothing, so that the person can answer again. */
export async function withdrawAnswer({ id }: Answerable, { db }: Env): Promise<void> {
  await db.withReserve.run`delete from used_tickets where hash = ${tokenHash(id)}`;
}

/** Returns the answer of the person. Returns null if there is none, or if it no longer matters. */
export async function answerTo(id: string, { db, clock }: Env): Promise<TicketAnswer | null> {
  const row = await db.get<{ answer: TicketAnswer | null }>`
    select answer from used_tickets where hash = ${tokenHash(id)} and expires_at > ${clock()}`;
  return row?.answer ?? null;
}
