import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import type { CanvasRow } from "../store.ts";

/** Whether public links are on for the instance. `setting` is the row of `instance_settings`, null where there is none. */
export const publicLinksOn = (setting: string | null, { config }: Env): boolean =>
  config.publicLinks && setting !== "false";

/**
 * Refuses a Public link: 403 `PUBLIC_LINKS_DISABLED` where the instance has them off; where the canvas's owner may not publish them,
 * 403 `PUBLIC_NOT_ALLOWED` for the owner and 403 `PUBLIC_LINK_OWNER_GATED` for an editor (specification 7).
 */
export async function requirePublicLinks(
  { owner_id, role }: Pick<CanvasRow, "owner_id" | "role">,
  env: Env,
): Promise<void> {
  const row = await env.db.get<{ can_publish_public: number; public_links: string | null }>`
    select can_publish_public, (select value from instance_settings where name = 'publicLinks') as public_links
    from users where id = ${owner_id}`;
  if (!publicLinksOn(row?.public_links ?? null, env)) refuse("PUBLIC_LINKS_DISABLED");
  if (row?.can_publish_public === 1) return;
  refuse(role === "owner" ? "PUBLIC_NOT_ALLOWED" : "PUBLIC_LINK_OWNER_GATED");
}
