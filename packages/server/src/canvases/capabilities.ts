import { CAPABILITIES, type Capability, type DisabledReason } from "@easel/protocol/capabilities";
import type { Audience, RuntimePolicy } from "@easel/protocol/policy";
import type { Capabilities, CapabilitiesOff } from "@easel/protocol/types";
import { disabledReason } from "../access/ladder.ts";
import { newId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { changeCanvas } from "./change-canvas.ts";

/**
 * The columns of the table `canvases` for capabilities: switches, which are 0 or 1, and audiences, which say who may use a capability
 * (`editors` or `viewers`).
 */
export interface SwitchColumns {
  backend_enabled: number;
  kv: number;
  files: number;
  ai: number;
  realtime: number;
  authoring: number;
  guest_ai: number;
  ai_audience: Audience;
  connections_audience: Audience;
  authoring_audience: Audience;
}

/** Converts the switches and audiences in a row of `canvases` to the form of the API, where switches are booleans. */
export const capabilitiesOf = (row: Readonly<SwitchColumns>): Capabilities => ({
  backendEnabled: row.backend_enabled === 1,
  kv: row.kv === 1,
  files: row.files === 1,
  ai: row.ai === 1,
  realtime: row.realtime === 1,
  authoring: row.authoring === 1,
  aiAudience: row.ai_audience,
  connectionsAudience: row.connections_audience,
  authoringAudience: row.authoring_audience,
  guestAi: row.guest_ai === 1,
});

/** Returns the reason why a capability is off on a canvas, or null if it is on (specification 4.1, step 5). */
export const whyOff = (
  capability: Capability,
  { capabilities }: { capabilities: Capabilities },
  { config: { aiApiKey, realtime, authoring } }: Env,
): DisabledReason | null =>
  disabledReason(capability, capabilities, { ai: aiApiKey !== null, realtime, authoring });

/** Returns the capabilities that are off, each with the reason. */
export const reasonsOff = (canvas: { capabilities: Capabilities }, env: Env): CapabilitiesOff =>
  Object.fromEntries(
    (Object.keys(CAPABILITIES) as Capability[]).flatMap((name) => {
      const reason = whyOff(name, canvas, env);
      return reason === null ? [] : [[name, reason]];
    }),
  );

/** Returns the capabilities that are on. */
export const capabilitiesOn = (canvas: { capabilities: Capabilities }, env: Env): Set<Capability> =>
  new Set((Object.keys(CAPABILITIES) as Capability[]).filter((name) => whyOff(name, canvas, env) === null));

/** Changes to the switches and audiences of capabilities. A field that is left out keeps its value. */
export type CapabilityPatch = { [Name in keyof Capabilities]?: Capabilities[Name] | undefined };

const bit = (value: boolean | undefined) => (value === undefined ? null : Number(value));

/**
 * A change of a canvas's policy document. `runtimePolicy` is the new document; null removes the stored one, and undefined keeps it.
 * `expected` is the revision that the stored document must have: null if there must be none, undefined if any will do.
 */
export interface PolicyChange {
  runtimePolicy?: RuntimePolicy | null | undefined;
  expected?: string | null | undefined;
}

/**
 * Saves switches, audiences and the policy document. Saves nothing and returns false if the stored revision of the policy is not the
 * expected one, or the canvas is deleted.
 */
export async function setCapabilities(
  canvasId: string,
  patch: CapabilityPatch,
  { runtimePolicy, expected }: PolicyChange,
  { db, clock }: Env,
): Promise<boolean> {
  const now = clock();
  const changed = await db.run(
    ...changeCanvas(now)`
      runtime_policy = case when cast(${Number(runtimePolicy === undefined)} as integer) = 1 then runtime_policy
        else cast(${runtimePolicy == null ? null : JSON.stringify(runtimePolicy)} as text) end,
      runtime_policy_revision = coalesce(${runtimePolicy === undefined ? null : newId()}, runtime_policy_revision),
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
    where id = ${canvasId} and deleted_at is null and (cast(${Number(expected === undefined)} as integer) = 1
      or runtime_policy_revision is not distinct from cast(${expected ?? null} as text))`,
  );
  return changed === 1;
}
