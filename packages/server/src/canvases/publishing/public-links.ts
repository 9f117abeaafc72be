import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import type { ManagedRow } from "../store.ts";

/**
 * Whether Public links are on for the instance. `setting` is the value of the row `publicLinks` in the table `instance_settings`, or null
 * if there is no such row.
 */
export const publicLinksOn = (setting: string | null, { config }: Env): boolean =>
  config.publicLinks && setting !== "false";

/**
 * Throws 403 if a canvas may not have a Public link. The code is `PUBLIC_LINKS_DISABLED` if Public links are off for the instance. If only
 * the canvas's owner may not use them, the code is `PUBLIC_NOT_ALLOWED` for a caller who is the owner, and `PUBLIC_LINK_OWNER_GATED` for an
 * editor (specification 7).
 */
export async function requirePublicLinks(
  { owner_id, role }: Pick<ManagedRow, "owner_id" | "role">,
  env: Env,
): Promise<void> {
  const row = await env.db.get<{ can_publish_public: number; public_links: string | null }>`
    select can_publish_public, (select value from instance_settings where name = 'publicLinks') as public_links
    from users where id = ${owner_id}`;
  if (!publicLinksOn(row?.public_links ?? null, env)) refuse("PUBLIC_LINKS_DISABLED");
  if (row?.can_publish_public === 1) return;
  refuse(role === "owner" ? "PUBLIC_NOT_ALLOWED" : "PUBLIC_LINK_OWNER_GATED");
}
