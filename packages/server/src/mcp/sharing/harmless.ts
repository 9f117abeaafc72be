import { asKeys } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { areColleagues } from "../../organisation/orgs.ts";
import { type Openness, wideningsOf } from "./widening.ts";

/**
 * Whether a change only lets people view the canvas who have signed in to the service and belong to the organisation of the owner. A form of
 * the program may then ask, which a careless program could answer by itself.
 */
export async function isHarmless(
  before: Openness,
  after: Openness,
  owner: { email: string },
  env: Env,
): Promise<boolean> {
  if (wideningsOf(before, after).some((each) => each !== "people")) return false;
  const added = [...after.people].filter(([email]) => !before.people.has(email));
  if (added.some(([, role]) => role !== "viewer")) return false;
  const emails = added.map(([email]) => email);
  const colleagues = await Promise.all(emails.map((email) => areColleagues(owner.email, email, env)));
  if (colleagues.includes(false)) return false;
  const known = await env.db.all<{ email: string }>`
    select email from users where email in (select key from json_each(${asKeys(emails)})) and deactivated_at is null`;
  return known.length === emails.length;
}
