/** Capability switches of a canvas. While `backendEnabled` is off, all of them count as off. */
export type Switch = "kv" | "files" | "ai" | "realtime" | "authoring";

/**
 * Capabilities of the runtime API (specification 4.1, step 5): the canvas switch that each one needs, and the hint shown when
 * the operator has turned it off for the whole instance. Null: no switch of its own, or nothing that the operator configures.
 */
export const CAPABILITIES = {
  identity: { switch: null, operatorHint: null },
  kv: { switch: "kv", operatorHint: null },
  files: { switch: "files", operatorHint: null },
  ai: {
    switch: "ai",
    operatorHint: "AI has no provider key on this instance; an administrator can add one.",
  },
  realtime: {
    switch: "realtime",
    operatorHint: "Realtime is switched off on this instance (SERVICE_REALTIME).",
  },
  connections: { switch: null, operatorHint: null },
  authoring: {
    switch: "authoring",
    operatorHint: "Authoring is switched off on this instance (SERVICE_AUTHORING).",
  },
} as const satisfies Record<string, { switch: Switch | null; operatorHint: string | null }>;

/** A capability of the runtime API. */
export type Capability = keyof typeof CAPABILITIES;

/** Why a capability is off. The owner or an editor can change the first two. */
export type DisabledReason = "backend_off" | "feature_off" | "operator_disabled";
