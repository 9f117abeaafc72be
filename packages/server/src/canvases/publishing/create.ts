import { domainOf, type User } from "../../access/principal.ts";
import { newId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { refuseOver } from "../owner-quotas.ts";
import { type Authored, insertCanvas } from "../store.ts";
import { requireSlug, slugsFor } from "./slug.ts";

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

/** The properties of a canvas to create. */
export interface NewCanvas {
  title: string;
  /** The slug. By default it is derived from the title. */
  slug?: string | undefined;
  tags: string[];
  /** The id of the home organisation. By default it is that of the creator. */
  orgId?: string | undefined;
}

/**
 * Creates a canvas that `user` owns. `authored` is given if a page creates the canvas; it has further settings and quotas, which are
 * checked before the slug. Throws 400 `INVALID_BODY` for an invalid slug or an organisation that the user does not belong to, 409
 * `SLUG_TAKEN` and 409 `QUOTA_EXCEEDED`.
 */
export async function createCanvas(
  user: Pick<User, "id" | "email">,
  { title, slug, tags, orgId }: NewCanvas,
  env: Env,
  authored?: Authored,
): Promise<{ id: string; slug: string }> {
  if (slug !== undefined) requireSlug(slug);
  const org = await homeOfNew(user, orgId, env);
  const id = newId();
  for (const candidate of slug === undefined ? slugsFor(title) : [slug]) {
    const outcome = await insertCanvas({ id, slug: candidate, title, tags, org }, user.id, env, authored);
    if (outcome === "done") return { id, slug: candidate };
    if (outcome === "full") await refuseOver("canvases.person", user.id, env);
    else if (outcome !== "taken") authored?.refuse(outcome);
  }
  return refuse("SLUG_TAKEN");
}
