import { MAIL_SWITCHES, type MailSwitches } from "@easel/protocol/management";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { optional } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

/** The kinds of mails that people do not want. */
export const mailSwitchData: CanvasData = {
  otherTables: ["mails_off"],
  people: {
    mails_off: {
      ids: ["user_id"],
      erased: "removed",
      exported: { part: "mails-off", columns: ["kind"], order: ["kind"] },
    },
  },
};

/** Reads which kinds of mails a person gets. */
export async function readMailSwitches(userId: string, { db }: Pick<Env, "db">): Promise<MailSwitches> {
  const rows = await db.all<{ kind: string }>`select kind from mails_off where user_id = ${userId}`;
  const off = new Set(rows.map(({ kind }) => kind));
  const entries = MAIL_SWITCHES.map((kind) => [kind, !off.has(kind)]);
  return Object.fromEntries(entries) as MailSwitches;
}

/** Sets which kinds of mails a person gets. A kind that the patch does not name stays as it is. */
export async function setMailSwitches(
  userId: string,
  patch: { [Kind in keyof MailSwitches]?: boolean | undefined },
  { db }: Pick<Env, "db">,
): Promise<void> {
  const steps = MAIL_SWITCHES.flatMap((kind) => {
    if (patch[kind] === undefined) return [];
    if (patch[kind]) return [optional`delete from mails_off where user_id = ${userId} and kind = ${kind}`];
    return [
      optional`insert into mails_off (user_id, kind) values (${userId}, ${kind}) on conflict do nothing`,
    ];
  });
  if (steps.length > 0) await db.batch(steps);
}
