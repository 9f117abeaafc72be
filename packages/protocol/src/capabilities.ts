/** The names of the capability switches of a canvas. While the switch `backendEnabled` of the canvas is off, all of these count as off. */
export type Switch = "kv" | "files" | "ai" | "realtime" | "authoring";

/**
 * The capabilities of the runtime API (specification 4.1, step 5). `switch` is the canvas switch that a capability needs; null if it has
 * none. `operatorHint` says that the operator has turned a capability off for the whole instance, and `operatorRemedy` names the setting;
 * both are null if the operator cannot turn it off.
 */
export const CAPABILITIES = {
  identity: { switch: null, operatorHint: null, operatorRemedy: null },
  kv: { switch: "kv", operatorHint: null, operatorRemedy: null },
  files: { switch: "files", operatorHint: null, operatorRemedy: null },
  ai: {
    switch: "ai",
    operatorHint: "AI has no provider key on this instance.",
    operatorRemedy: "SERVICE_AI_API_KEY",
  },
  realtime: {
    switch: "realtime",
    operatorHint: "Realtime is switched off on this instance.",
    operatorRemedy: "SERVICE_REALTIME",
  },
  connections: { switch: null, operatorHint: null, operatorRemedy: null },
  authoring: {
    switch: "authoring",
    operatorHint: "Authoring is switched off on this instance.",
    operatorRemedy: "SERVICE_AUTHORING",
  },
} as const satisfies Record<
  string,
  { switch: Switch | null; operatorHint: string | null; operatorRemedy: string | null }
>;

/** A capability of the runtime API. */
export type Capability = keyof typeof CAPABILITIES;

/**
 * Why a capability is off. `backend_off`: the switch `backendEnabled` of the canvas is off. `feature_off`: the canvas switch of this
 * capability is off. `operator_disabled`: the operator has turned the capability off for the whole instance.
 */
export type DisabledReason = "backend_off" | "feature_off" | "operator_disabled";
