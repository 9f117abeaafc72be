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

/** Returns what the owner or an editor does to switch a capability on. `name` is the switch of the canvas that is off. */
const remedyFor = (capability: Capability, name: string, isDev: boolean): string =>
  isDev
    ? `Add "${capability}" to capabilities in easel.json.`
    : `The owner or an editor adds "${capability}" to capabilities in easel.json and runs \`easel deploy --enable\`, or sends ` +
      `PATCH /api/canvases/{id}/capabilities with {"${name}":true}.`;

/**
 * Returns the `hint` of a `CAPABILITY_DISABLED` error: what is off, who can switch it on, and how. With `isDev`, the reader has the folder
 * of the canvas.
 */
export function hintFor(capability: Capability, reason: DisabledReason, isDev = false): string {
  const { switch: own, operatorHint, operatorRemedy } = CAPABILITIES[capability];
  if (reason === "backend_off")
    return `The backend is switched off for this canvas. ${remedyFor(capability, "backendEnabled", isDev)}`;
  if (reason === "feature_off")
    return `${capability} is switched off for this canvas. ${remedyFor(capability, own ?? capability, isDev)}`;
  const who = isDev ? "Set it before you start easel dev" : "An administrator can change that";
  return operatorHint === null ? `${who}.` : `${operatorHint} ${who}: ${operatorRemedy}.`;
}
