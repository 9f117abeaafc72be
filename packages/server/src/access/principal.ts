import type { TokenScope } from "@easel/protocol/management";

/** The limits that a restricted access token puts on the rights of the caller. */
export interface Restriction {
  scope: TokenScope;
  /** Id of the only canvas for which the token is valid; null if it is valid for every canvas. */
  canvasId: string | null;
}

/** An authenticated caller: a person who has signed in, or a guest of one canvas. */
export interface User {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  canPublishPublic: boolean;
  /** Id of the only canvas that a guest may open; null for a person who has signed in. */
  guestOf: string | null;
  /** Id of the person who has invited a guest; null for a person who has signed in. */
  invitedBy: string | null;
  /** Null unless the request has an access token that is restricted. */
  restriction: Restriction | null;
}

/** The start of the id of an anonymous caller who is represented as a user. */
const ANONYMOUS = "anonymous:";

/**
 * Returns the user that represents an anonymous caller in a handler that serves visitors of a Public link. Its id contains `network`, the
 * address of the client, for IPv6 that of its /64 network.
 */
export const anonymousUser = (network: string): User => ({
  id: `${ANONYMOUS}${network}`,
  email: "",
  name: "",
  avatarUrl: null,
  canPublishPublic: false,
  guestOf: null,
  invitedBy: null,
  restriction: null,
});

/** Whether a user represents an anonymous caller. */
export const isAnonymous = ({ id }: Pick<User, "id">): boolean => id.startsWith(ANONYMOUS);

/** The caller of a request: a user, or null for an anonymous caller. */
export type Principal = User | null;

/** Whether the caller is a person who has signed in, and so neither a guest nor anonymous. */
export const isMember = <Caller extends Pick<User, "id" | "guestOf">>(
  caller: Caller | null,
): caller is Caller => caller?.guestOf === null && !isAnonymous(caller);

/** Whether the caller is a guest of one canvas. */
export const isGuest = (principal: Principal): principal is User & { guestOf: string } =>
  principal !== null && principal.guestOf !== null;
