import type { CanvasRole, Identity } from "../types.ts";

/** An invitation of a guest to one canvas. */
export interface Invitation {
  id: string;
  email: string;
  name: string;
  createdAt: number;
  /** Until when the link lets the guest in. A guest who has entered stays until the invitation is revoked. */
  linkExpiresAt: number;
  revokedAt: number | null;
}

/** The response of `GET /api/canvases/{id}/invites`, newest first; `nextCursor` is null on the last page. */
export interface InvitationList {
  invites: Invitation[];
  nextCursor: string | null;
}

/** A new invitation; `url` contains its secret and is returned only once. */
export interface NewInvitation {
  id: string;
  email: string;
  url: string;
  linkExpiresAt: number;
  /** Whether the service sends the link to the guest by mail. */
  mailed: boolean;
}

/** The rules that decide who may open a canvas, in the order in which they are checked. */
export const ACCESS_RULES = [
  "signed_in",
  "exists",
  "archived",
  "disabled",
  "other_guest",
  "rung",
  "expired",
  "password",
  "static_only",
  "published",
  "backend",
] as const;
export type AccessRule = (typeof ACCESS_RULES)[number];

/** The errors with which these rules refuse. */
export const ACCESS_REFUSALS = [
  "NOT_AUTHENTICATED",
  "NOT_FOUND",
  "ARCHIVED",
  "DISABLED",
  "NOT_INVITED",
  "OWNER_ONLY",
  "SHARE_EXPIRED",
  "PASSWORD_REQUIRED",
  "STATIC_ONLY",
  "CAPABILITY_DISABLED",
] as const;
export type AccessRefusal = (typeof ACCESS_REFUSALS)[number];

/**
 * One rule as it applies to a person. `closes` is what the rule refuses to them: it is empty unless the outcome is `refused`. `because` is a
 * sentence for people.
 */
export interface AccessStep {
  rule: AccessRule;
  outcome: "passed" | "refused" | "not_reached";
  closes: ("pages" | "api")[];
  because: string;
}

/** A way in which a person has a role on a canvas. `team` is the name of the team, and absent if the caller does not see the team. */
export interface AccessGrant {
  via: "owner" | "person" | "team" | "organisation" | "invitation" | "link";
  role: CanvasRole;
  team?: string | undefined;
}

/** The response of `GET /api/canvases/{id}/access`: what a person may do on a canvas, and why. */
export interface AccessExplanation {
  /**
   * Who is explained. `unknown` is an address with which nobody has signed in, as far as the caller may know. `name` is null unless the
   * caller may know it.
   */
  subject: {
    kind: "member" | "unknown" | "guest" | "anonymous";
    email: string | null;
    name: string | null;
  };
  /** Whether the pages of the canvas open. */
  pages: boolean;
  /** Whether the runtime API answers. */
  api: boolean;
  /** The role of the person, which they also have while another rule refuses them. */
  role: CanvasRole | null;
  /** The error of the first rule that refuses pages or API; null if both open. */
  code: AccessRefusal | null;
  /** The rules in their order. */
  steps: AccessStep[];
  /** All ways in which the person has a role. The first one gives the strongest. */
  grants: AccessGrant[];
  /** As in `GET /me` of this person once they have entered the password. All false if another rule than the password closes the API. */
  permissions: Identity["permissions"];
  /** As in `GET /me`, and empty whenever no permission is given because the API is closed. */
  resources: Identity["resources"];
}
