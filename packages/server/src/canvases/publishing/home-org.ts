import { domainOf } from "../../access/email.ts";
import type { User } from "../../access/principal.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";

/** Reads the organisations to which an e-mail address belongs according to its domain. */
export function orgsOf(email: string, { db }: Env): Promise<{ id: string; name: string }[]> {
  return db.all<{ id: string; name: string }>`
    select orgs.id, name from org_domains join orgs on orgs.id = org_id where domain = ${domainOf(email)}`;
}

/**
 * Returns the id of the home organisation of a new canvas: `orgId`, or if it is undefined, an organisation to which the creator belongs.
 * Returns null if `orgId` is undefined and there is no such organisation. Throws 400 `INVALID_BODY` with the reason `org_forbidden` if the
 * creator does not belong to `orgId`, or if the service does not use organisations.
 */
export async function homeOfNew(
  creator: Pick<User, "email">,
  orgId: string | undefined,
  env: Env,
): Promise<string | null> {
  const orgs = env.config.tenancy ? await orgsOf(creator.email, env) : [];
  if (orgId === undefined) return orgs[0]?.id ?? null;
  if (orgs.some(({ id }) => id === orgId)) return orgId;
  return refuse("INVALID_BODY", {
    reason: "org_forbidden",
    message: "You do not belong to this organisation.",
  });
}

/**
 * Returns the id of the organisation that must become the home of a canvas before it is shared with a whole organisation. Returns undefined
 * if the canvas has a home already, or if the service does not use organisations. Throws 409 `ORG_REQUIRED` if the owner belongs to none.
 */
export async function missingHome(
  { org_id, owner_email }: { org_id: string | null; owner_email: string },
  env: Env,
): Promise<string | undefined> {
  if (!env.config.tenancy || org_id !== null) return undefined;
  const [org] = await orgsOf(owner_email, env);
  return org?.id ?? refuse("ORG_REQUIRED");
}
