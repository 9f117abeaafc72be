import type { CanvasData } from "../canvases/canvas-data.ts";
import { type Optional, optional } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import type { Mail } from "./mails.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many mails one person may cause, how many of these to one address, and how many one address may get of all, on any day. */
const MAILS_PER_DAY = { causedBy: 200, pair: 20, recipient: 100 } as const;

/** The mails to be sent, and those of the last two weeks. */
export const outboxData: CanvasData = {
  otherTables: ["outbox"],
  people: {
    outbox: {
      ids: ["caused_by"],
      emails: ["recipient"],
      at: "created_at",
      erased: "removed",
      exported: { part: "mails", columns: ["id", "kind", "recipient", "created_at"], order: ["id"] },
    },
  },
  cleanUps: [
    {
      what: "mails",
      keptMs: 14 * DAY_MS,
      remove: (until, { db }) => db.withReserve.run`delete from outbox where created_at <= ${until}`,
    },
  ],
};

/** Whether the service sends mails. */
export const sendsMail = ({ config }: Pick<Env, "config">): boolean => config.smtpUrl !== null;

/** Whether people with an address may sign in here by its domain, so that a mail to them is no mail to a stranger. */
export function isOfMember(email: string, { config }: Pick<Env, "config">): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const { allowedEmailDomains: allowed } = config;
  return allowed.length === 0 || allowed.some((each) => each.toLowerCase() === domain);
}

/**
 * Returns the steps that put a mail into the outbox, for the batch of the act that causes it; none if mail is off. A mail above the limits of its
 * cause or its recipient, to a person who may not sign in, or of a kind that they do not want, is left out. A second mail with the same id is, too.
 */
export function mailSteps(
  id: string,
  { kind, recipient, recipientName, subject, body, isForGuest }: Mail,
  causedBy: string | null,
  env: Pick<Env, "config" | "clock">,
): Optional[] {
  if (!sendsMail(env) || !(isForGuest || isOfMember(recipient, env))) return [];
  const now = env.clock();
  const since = now - DAY_MS;
  return [
    optional`
      insert into outbox (id, kind, recipient, recipient_name, subject, body, caused_by, created_at, due_at)
      select cast(${id} as text), cast(${kind} as text), cast(${recipient} as text), cast(${recipientName} as text),
        cast(${subject} as text), cast(${body} as text), cast(${causedBy} as text), cast(${now} as bigint), cast(${now} as bigint)
      from (select count(*) as caused, count(case when recipient = ${recipient} then 1 end) as pair
        from outbox where caused_by = ${causedBy ?? ""} and created_at > ${since}) as own
      where caused < ${MAILS_PER_DAY.causedBy} and pair < ${MAILS_PER_DAY.pair}
        and (select count(*) from outbox where recipient = ${recipient} and created_at > ${since}) < ${MAILS_PER_DAY.recipient}
        and not exists (select 1 from users where email = ${recipient} and (deactivated_at is not null
          or exists (select 1 from mails_off where user_id = users.id and mails_off.kind = ${kind})))
      on conflict (id) do nothing`,
  ];
}

/** Whether a mail with this id is in the outbox, or was. */
export const isMailed = async (id: string, env: Pick<Env, "config" | "db">): Promise<boolean> =>
  sendsMail(env) && (await env.db.get`select 1 as found from outbox where id = ${id}`) !== undefined;
