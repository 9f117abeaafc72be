/** The switches of a canvas (`backendEnabled` stands above them all). */
export type Switch = "kv" | "files" | "ai" | "realtime" | "authoring";

/**
 * Every capability with the switch of the canvas that turns it on, and whether the deployment has a say of its own
 * (specification 4.1, step 5). `hint` is what helps when the deployment says no.
 */
export const CAPABILITIES = {
  identity: { switch: null, operator: null },
  kv: { switch: "kv", operator: null },
  files: { switch: "files", operator: null },
  ai: { switch: "ai", operator: "AI has no provider key on this instance; an administrator can add one." },
  realtime: { switch: "realtime", operator: "Realtime is switched off on this instance (SERVICE_REALTIME)." },
  connections: { switch: null, operator: null },
  authoring: {
    switch: "authoring",
    operator: "Authoring is switched off on this instance (SERVICE_AUTHORING).",
  },
} as const satisfies Record<string, { switch: Switch | null; operator: string | null }>;

/** A capability of the runtime API. */
export type Capability = keyof typeof CAPABILITIES;

/** Why a capability is off; the first two are for the owner or an editor to mend. */
export type DisabledReason = "backend_off" | "feature_off" | "operator_disabled";
