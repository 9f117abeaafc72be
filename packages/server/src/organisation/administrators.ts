import { asKeys } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { isListed } from "../identity/users.ts";

interface Row {
  id: string;
  email: string;
  listed_as: string | null;
  admin_group: number;
  deactivated_at: number | null;
}

/**
 * Whether a person is an administrator, and nobody else who can sign in is one: no other active person, and no address in the settings with which
 * nobody has signed in yet.
 */
export async function isLastAdministrator(id: string, { db, config }: Env): Promise<boolean> {
  const listed = asKeys(config.adminEmails);
  const rows = await db.all<Row>`
    select id, email, listed_as, admin_group, deactivated_at from users
    where email in (select key from json_each(${listed})) or listed_as in (select key from json_each(${listed})) or admin_group = 1`;
  const administrators = rows.filter(
    ({ email, listed_as: listedAs, admin_group: group, deactivated_at: deactivatedAt }) =>
      deactivatedAt === null && isListed({ email, listedAs, inAdminGroup: group === 1 }, config),
  );
  const taken = new Set(rows.flatMap(({ email, listed_as: listedAs }) => [email, listedAs]));
  return (
    administrators.some((each) => each.id === id) &&
    administrators.length === 1 &&
    config.adminEmails.every((email) => taken.has(email))
  );
}
