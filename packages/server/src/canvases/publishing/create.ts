import type { User } from "../../access/principal.ts";
import { newId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { refuseOver } from "../owner-quotas.ts";
import { type Authored, insertCanvas } from "../store.ts";
import { homeOfNew } from "./home-org.ts";
import { requireSlug, slugsFor } from "./slug.ts";

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
