import type { PersonQuotaName, PersonUsage } from "./usage.ts";

/** A person as `GET /api/people` finds them. */
export interface FoundPerson {
  email: string;
  name: string;
  avatarUrl: string | null;
}

/** The response of `GET /api/people`. */
export interface FoundPeople {
  people: FoundPerson[];
}

/** A user as administrators see them. */
export interface AdminUser {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  createdAt: number;
  deactivatedAt: number | null;
  /** When their name and address were replaced, because somebody asked for it; null for everybody else. */
  erasedAt: number | null;
  /** When the person last used the service, to the hour; null if that was before it was recorded. */
  lastSeenAt: number | null;
  canPublishPublic: boolean;
  isAdmin: boolean;
  /** Number of canvases that the user owns. */
  canvases: number;
  /** The quotas that are set for this user only, by name. If a quota is null, the quota of the instance applies to the user. */
  quotas: Record<PersonQuotaName, number | null>;
}

/** The response of `GET /api/admin/users`; `nextCursor` is null on the last page. */
export interface AdminUserList {
  users: AdminUser[];
  nextCursor: string | null;
}

/** A user as administrators see them, with what they use and what lets them in. */
export interface AdminUserDetails extends AdminUser {
  /** The use and the limit of each quota on what a person owns in all. */
  usage: PersonUsage["quotas"];
  /** The number of unexpired sessions. */
  sessions: number;
  /** The number of unexpired access tokens. */
  tokens: number;
  /** The number of unexpired connected tools. */
  apps: number;
  /** The number of guests whom the user has invited, and whose invitations are not revoked. */
  guests: number;
}

/** A guest whom a user has invited to a canvas. */
export interface InvitedGuest {
  /** The id of the invitation. */
  id: string;
  email: string;
  name: string;
  createdAt: number;
  canvas: { id: string; title: string; slug: string };
}

/** The response of `GET /api/admin/users/{id}/guests`, newest first; `nextCursor` is null on the last page. */
export interface InvitedGuestList {
  guests: InvitedGuest[];
  nextCursor: string | null;
}

/** An account at an identity provider by which a user is recognised. */
export interface Identity {
  issuer: string;
  subject: string;
  createdAt: number;
}

/** The response of `GET /api/admin/users/{id}/identities`, newest first. */
export interface IdentityList {
  identities: Identity[];
}

/** How many were ended. */
export interface EndedCount {
  ended: number;
}

/** A canvas that can be handed over. `editors` are at most 20 addresses of active members who edit it. */
export interface HandoverCanvas {
  id: string;
  slug: string;
  title: string;
  editors: string[];
}

/** A team that a person has created, with the number of its members. */
export interface HandoverTeam {
  id: string;
  name: string;
  members: number;
}

/** What a person owns. `nextCursor` continues the list of canvases; `teams` are all of them on each page. */
export interface HandoverPreview {
  canvases: HandoverCanvas[];
  nextCursor: string | null;
  teams: HandoverTeam[];
  sessions: number;
  tokens: number;
  apps: number;
  guests: number;
}

/** What a handover has done. */
export interface HandoverResult {
  /** The number of canvases and teams that it has moved. */
  moved: number;
  /** The ids of canvases and teams that it could not move, and why. `quota` is the one that the new owner would exceed. */
  left: { id: string; code: "NOT_FOUND" | "QUOTA_EXCEEDED" | "KEY_LIMIT"; quota: PersonQuotaName | null }[];
  /** The number of canvases that the person still owns. */
  remaining: number;
  /** Whether the person is deactivated now. */
  deactivated: boolean;
}

/** What an erasure has done. It has erased nothing if something is `left`, or `remaining` is not 0. */
export interface ErasureResult extends Omit<HandoverResult, "deactivated"> {
  erased: boolean;
}

/** What the list of people can show alone. */
export const USER_FILTERS = [
  "active",
  "deactivated",
  "ownersDeactivated",
  "quotasNear",
  "quotasOwn",
] as const;
export type UserFilter = (typeof USER_FILTERS)[number];
