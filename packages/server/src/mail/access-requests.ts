import type { Env } from "../env.ts";
import { isMailed, isOfMember, mailSteps, sendsMail } from "./mail-queue.ts";
import { askedMail, dayOf } from "./mails.ts";

/** A canvas, and its owner, whom a person can ask for access to it. */
export interface Askable {
  id: string;
  title: string;
  owner: { id: string; name: string; email: string };
}

/** The person who asks. */
interface Asker {
  id: string;
  name: string;
  email: string;
}

/** Whether a person can ask for access by mail: `off` if the service or the owner does not want such mails, `asked` if they have done so today (UTC). */
export type Asking = "off" | "open" | "asked";

/** The id of the mail with which a person asks on a day. The same mail is not sent twice. */
const idOf = ({ id }: Askable, by: Asker, now: number): string => `asked-${id}-${by.id}-${dayOf(now)}`;

/** Reads whether a person can ask the owner of a canvas for access by mail. */
export async function askingOf(canvas: Askable, by: Asker, env: Env): Promise<Asking> {
  if (!sendsMail(env) || !isOfMember(canvas.owner.email, env)) return "off";
  const row = await env.db.get<{ asked: number; off: number }>`
    select (select count(*) from outbox where id = ${idOf(canvas, by, env.clock())}) as asked,
      (select count(*) from mails_off where user_id = ${canvas.owner.id} and kind = 'asked') as off`;
  if (Number(row?.asked) > 0) return "asked";
  return Number(row?.off) > 0 ? "off" : "open";
}

/** Asks the owner of a canvas for access by mail. Returns false if the mail is above the limits of mails. */
export async function askByMail(canvas: Askable, by: Asker, env: Env): Promise<boolean> {
  const id = idOf(canvas, by, env.clock());
  const steps = mailSteps(id, askedMail(canvas.owner, canvas, by, env), by.id, env);
  if (steps.length > 0) await env.db.batch(steps);
  return isMailed(id, env);
}
