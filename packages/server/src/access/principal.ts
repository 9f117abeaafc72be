/** An authenticated caller: a person who has signed in, or a guest of one canvas. */
export interface User {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  canPublishPublic: boolean;
  /** Id of the only canvas that a guest may open; null for a person who has signed in. */
  guestOf: string | null;
}

/** The caller of a request: a user, or null for an anonymous caller. */
export type Principal = User | null;

/** Whether the caller is a person who has signed in, and so neither a guest nor anonymous. */
export const isMember = (principal: Principal): principal is User => principal?.guestOf === null;

/** Whether the caller is a guest of one canvas. */
export const isGuest = (principal: Principal): principal is User & { guestOf: string } =>
  principal !== null && principal.guestOf !== null;
