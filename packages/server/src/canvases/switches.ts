import type { Capabilities } from "@easel/protocol/types";
import type { Env } from "../env.ts";

/** Switches and audiences as a patch: what is left out stays. */
export type CapabilityPatch = { [Name in keyof Capabilities]?: Capabilities[Name] | undefined };

const bit = (value: boolean | undefined) => (value === undefined ? null : Number(value));

/** Switches capabilities on and off. */
export async function setCapabilities(
  canvasId: string,
  patch: CapabilityPatch,
  { db, clock }: Env,
): Promise<void> {
  await db.run`
    update canvases set updated_at = ${clock()},
      backend_enabled = coalesce(${bit(patch.backendEnabled)}, backend_enabled),
      kv = coalesce(${bit(patch.kv)}, kv),
      files = coalesce(${bit(patch.files)}, files),
      ai = coalesce(${bit(patch.ai)}, ai),
      realtime = coalesce(${bit(patch.realtime)}, realtime),
      authoring = coalesce(${bit(patch.authoring)}, authoring),
      guest_ai = coalesce(${bit(patch.guestAi)}, guest_ai),
      ai_audience = coalesce(${patch.aiAudience ?? null}, ai_audience),
      connections_audience = coalesce(${patch.connectionsAudience ?? null}, connections_audience),
      authoring_audience = coalesce(${patch.authoringAudience ?? null}, authoring_audience)
    where id = ${canvasId} and deleted_at is null`;
}
