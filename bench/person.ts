/** The sender of a message, as the server describes it. */
export interface User {
  id: string;
  name: string;
  canvasRole: string;
}

/** Returns the name of the person with this number. */
export const nameOf = (user: number): string => `Person ${user}`;

/**
 * Returns the value of the `Cookie` header for the person with this number, such as `person=3`. The servers that Easel is compared with
 * have no sessions and identify people by this header.
 */
export const cookieOf = (user: number): string => `person=${user}`;

/**
 * Returns the person that a `Cookie` header such as `person=3` identifies. The JSON text of this person is as long as that of a sender in a
 * message of Easel. So the messages of all servers have comparable sizes.
 */
export function userOf(cookie = ""): User {
  const user = Number(cookie.slice("person=".length));
  return {
    id: `01a20000-0000-7000-8000-00000000000${user}`,
    name: nameOf(user),
    canvasRole: user === 0 ? "owner" : "viewer",
  };
}
