/** The sender of a message, as the server describes it. */
export interface User {
  id: string;
  name: string;
  canvasRole: string;
}

/** Returns the name of a person by number. */
export const nameOf = (user: number): string => `Person ${user}`;

/** Returns the `Cookie` header of a person on a server without sessions. */
export const cookieOf = (user: number): string => `person=${user}`;

/** Returns the person of such a cookie, with a description as long as Easel's. */
export function userOf(cookie = ""): User {
  const user = Number(cookie.slice("person=".length));
  return {
    id: `01a20000-0000-7000-8000-00000000000${user}`,
    name: nameOf(user),
    canvasRole: user === 0 ? "owner" : "viewer",
  };
}
