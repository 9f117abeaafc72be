import {
  CAPABILITIES,
  type Capability,
  type DisabledReason,
  type Switch,
} from "@easel/protocol/capabilities";

/** Whether each capability switch of a canvas is on. */
export type Switches = Record<Switch | "backendEnabled", boolean>;

/** Whether the settings of the deployment allow a capability. A capability that does not depend on these settings is absent. */
export type Deployment = Partial<Record<Capability, boolean>>;

/** Returns the first reason why a capability is off, in the order of the specification (4.1, step 5). Returns null if it is on. */
export function disabledReason(
  capability: Capability,
  switches: Switches,
  deployment: Deployment,
): DisabledReason | null {
  const own = CAPABILITIES[capability].switch;
  if (!switches.backendEnabled) return "backend_off";
  if (own !== null && !switches[own]) return "feature_off";
  if (deployment[capability] === false) return "operator_disabled";
  return null;
}

const switchHint = (what: string, name: string): string =>
  `${what} is switched off for this canvas. Its owner or an editor can switch it on: ` +
  `PATCH /api/canvases/{id}/capabilities with {"${name}":true}, see docs/sharing.md.`;

/** Returns the `hint` of a `CAPABILITY_DISABLED` error: who can switch the capability on, and how. */
export function hintFor(capability: Capability, reason: DisabledReason): string {
  if (reason === "backend_off") return switchHint("The backend", "backendEnabled");
  if (reason === "feature_off") return switchHint(capability, CAPABILITIES[capability].switch ?? capability);
  return CAPABILITIES[capability].operatorHint ?? "An administrator of this instance can turn it on.";
}
