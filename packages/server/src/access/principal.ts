import type { TokenScope } from "@easel/protocol/management";

const EMAIL = /^[^\s\p{Cc}\p{Cf}\p{Cs}@,;<>"]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/u;

/**
 * Normalizes an e-mail address to lower case. Returns null if the address is malformed or its domain is not allowed. An empty list allows
 * all domains.
 */
export function normalEmail(given: string, allowedDomains: string[] = []): string | null {
  // Converts ASCII letters only. The lower case of some other letters is an ASCII letter, so converting them could result in the address of
  // another person.
  const email = given.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (email.length > 254 || !EMAIL.test(email)) return null;
  const allowed =
    allowedDomains.length === 0 || allowedDomains.some((each) => each.toLowerCase() === domainOf(email));
  return allowed ? email : null;
}

/** Returns the domain of a normalized address. */
export const domainOf = (email: string): string => email.slice(email.indexOf("@") + 1);

/** Derives a default name for a user from an e-mail address, such as "Ada Lovelace" from `ada.lovelace@example.com`. */
export function nameOf(email: string): string {
  return email
    .slice(0, email.indexOf("@"))
    .split(/[._+-]+/)
    .filter((part) => part !== "")
    .map((part) => part[0]?.toUpperCase() + part.slice(1))
    .join(" ");
}

/** The limits that a restricted access token puts on the rights of the caller. */
export interface Restriction {
  scope: TokenScope;
  /** Id of the only canvas for which the token is valid; null if it is valid for every canvas. */
  canvasId: string | null;
  /** Id of the client if the token is valid only for canvases that this client has made for the caller. */
  madeBy?: string;
  /** Whether pages may report their errors although the scope is `read`, as in the session of a preview. */
  reportsErrors?: boolean;
}

/** What is known of every caller. All but the id is empty for a visitor. */
interface Identity {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
}

/** A person who has signed in. */
export interface Member extends Identity {
  kind: "member";
  canPublishPublic: boolean;
  /** The former address by which the settings name an administrator; empty if their address names somebody else there. */
  listedAs: string | null;
  /** Whether the provider has put the person into a group of administrators. */
  inAdminGroup: boolean;
  /** Null unless the request has an access token that is restricted. */
  restriction: Restriction | null;
}

/**
 * The operator at the shell of the machine, who may do what administrators may, and is in no database. No request has this caller: nobody can
 * sign in with an address that has no `@`.
 */
export const SHELL: Member = {
  kind: "member",
  id: "shell",
  email: "shell",
  name: "An operator of the service",
  avatarUrl: null,
  canPublishPublic: false,
  listedAs: null,
  inAdminGroup: false,
  restriction: null,
};

/** Returns the id of an administrator who must stay active while they let somebody go; null for the shell, which nobody can deactivate. */
export const administratorId = ({ id }: Pick<Member, "id">): string | null => (id === SHELL.id ? null : id);

/** A guest of one canvas. The e-mail address is the one of the invitation, which nobody has verified. */
export interface Guest extends Identity {
  kind: "guest";
  /** Id of the only canvas that the guest may open. */
  guestOf: string;
  /** Id of the person who has invited the guest. */
  invitedBy: string;
  canPublishPublic: false;
  restriction: null;
}

/** An anonymous caller. */
export interface Visitor extends Identity {
  kind: "visitor";
}

/** A caller who has proved who they are. */
export type User = Member | Guest;

/** The caller of a request. */
export type Principal = User | Visitor;

/**
 * Returns an anonymous caller. In a handler that serves visitors of a Public link, the id contains `network`, the address of the client,
 * for IPv6 that of its /64 network.
 */
export const visitor = (network = ""): Visitor => ({
  kind: "visitor",
  id: `anonymous:${network}`,
  email: "",
  name: "",
  avatarUrl: null,
});

/** The properties of a request to the runtime API on which the restrictions of access tokens depend. */
export interface RuntimeUse {
  /** Whether the request only reads what the service stores. False for WebSockets, AI and Connections. */
  reads: boolean;
  /** Whether the request can also list, create or change other canvases than the one in its path. */
  leavesCanvas: boolean;
  /** Whether the request reports errors of a page and changes nothing that the canvas stores. */
  reportsErrors?: boolean;
}

/** The properties of an act of the management API on which the restrictions of access tokens depend. */
export interface ManagementUse {
  /** Whether the act only reads. */
  reads: boolean;
  /** Whether tokens with the scope `deploy` may perform the act. */
  deploys: boolean;
}

/**
 * Returns why a restricted access token may not send a request to the runtime API, as a sentence for the client. Returns null if it may
 * (decision 040). `canvasId` is null if there is no canvas at the path.
 */
export function runtimeObjection(
  { scope, canvasId: only, reportsErrors: reports = false }: Restriction,
  canvasId: string | null,
  { reads, leavesCanvas, reportsErrors = false }: RuntimeUse,
): string | null {
  if (scope === "deploy") return "This access token can only deploy.";
  if (scope === "read" && !reads && !(reportsErrors && reports)) return "This access token can only read.";
  if (only === null) return null;
  if (only !== canvasId) return "This access token is for another canvas.";
  return leavesCanvas ? "This access token is for one canvas." : null;
}

/**
 * Returns why the scope of a restricted access token does not include an act of the management API, as a sentence for the client. Returns
 * null if the scope includes the act.
 */
export function tokenScopeObjection(
  { scope }: Restriction,
  { reads, deploys }: ManagementUse,
): string | null {
  if (scope === "full") return null;
  if (scope === "deploy") return deploys ? null : "This access token can only deploy.";
  return reads ? null : "This access token can only read.";
}
