import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import type { ManagedRow } from "../store.ts";

/** Whether Public links are on for the instance. `setting` is the value of `publicLinks` in `instance_settings`, null if it has none. */
export const publicLinksOn = (setting: string | null, { config }: Env): boolean =>
  config.publicLinks && setting !== "false";

/**
 * Throws 403 if a canvas may not have a Public link: `PUBLIC_LINKS_DISABLED` if they are off for the instance. If the canvas's owner may
 * not publish them, the owner gets `PUBLIC_NOT_ALLOWED` and an editor `PUBLIC_LINK_OWNER_GATED` (specification 7).
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
