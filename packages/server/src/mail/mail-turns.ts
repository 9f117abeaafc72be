import type { Env } from "../env.ts";

/** The number of people whose turn is read at once. */
const PEOPLE = 20;

/** The turn of a person: their mail that has waited longest; null if none of theirs is due. */
interface Turn {
  /** The id of the person who has caused the mail, or "service". */
  person: string;
  mail: string | null;
}

/** A round of turns, and after whom the next round begins: an empty text after the last person of all. */
interface Round {
  turns: Turn[];
  last: string;
}

/** A mail that is to be sent. */
export interface DueMail {
  id: string;
  recipient: string;
  recipient_name: string;
  subject: string;
  body: string;
  created_at: number;
  tries: number;
  /** 1 if the recipient, or the person who has caused the mail, has been deactivated meanwhile. */
  is_void: number;
}

/** Whether a mail is due. */
export const isMailDue = async ({ db, clock }: Pick<Env, "db" | "clock">): Promise<boolean> =>
  (await db.get`select 1 as found from outbox where due_at <= ${clock()} limit 1`) !== undefined;

/**
 * Reads the turns of the people after `after` who have caused mails that are not sent yet, in the order of their ids. The index leads from person
 * to person, so that the mails that wait behind the first one of each are not read.
 */
export async function nextTurns(after: string, { db, clock }: Pick<Env, "db" | "clock">): Promise<Round> {
  const turns = await db.all<Turn>`
    with recursive people (person, place) as (
      select (select coalesce(caused_by, 'service') from outbox where due_at is not null and coalesce(caused_by, 'service') > ${after}
        order by coalesce(caused_by, 'service') limit 1), 1
      union all
      select (select coalesce(caused_by, 'service') from outbox where due_at is not null and coalesce(caused_by, 'service') > person
        order by coalesce(caused_by, 'service') limit 1), place + 1
      from people where person is not null and place < ${PEOPLE}
    )
    select person, (select id from outbox where coalesce(caused_by, 'service') = person and due_at <= ${clock()} order by due_at limit 1) as mail
    from people where person is not null order by place`;
  return { turns, last: turns.length < PEOPLE ? "" : (turns.at(-1)?.person ?? "") };
}

/** Reads a mail just before it is sent. Undefined if it has been removed meanwhile, as with the erasure of a person. */
export const readMail = (id: string, { db }: Pick<Env, "db">): Promise<DueMail | undefined> =>
  db.get<DueMail>`
    select id, recipient, recipient_name, subject, body, created_at, tries,
      case when exists (select 1 from users where email = recipient and deactivated_at is not null)
        or exists (select 1 from users where users.id = caused_by and deactivated_at is not null) then 1 else 0 end as is_void
    from outbox where id = ${id} and due_at is not null`;
