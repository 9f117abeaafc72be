import {
  CAPABILITIES,
  type Capability,
  type DisabledReason,
  type Switch,
} from "@easel/protocol/capabilities";

/** The switches of a canvas. */
export type Switches = Record<Switch | "backendEnabled", boolean>;

/** What the deployment itself allows, where it has a say. */
export type Deployment = Partial<Record<Capability, boolean>>;

/** Why a capability is off on a canvas, in the order of the specification's table (4.1, step 5); null when it is on. */
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

/** What helps against a reason. */
export function hintFor(capability: Capability, reason: DisabledReason): string {
  if (reason === "backend_off")
    return "The owner or an editor can turn the backend on in the canvas's Backend settings.";
  if (reason === "feature_off")
    return `The owner or an editor can turn ${capability} on in the canvas's Backend settings.`;
  return CAPABILITIES[capability].operator ?? "An administrator of this instance can turn it on.";
}
