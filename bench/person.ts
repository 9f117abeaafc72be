/** The sender of a message, as the server describes it. */
export interface User {
  id: string;
  name: string;
  canvasRole: string;
}

/** Returns the name of the person with this number. */
export const nameOf = (user: number): string => `Person ${user}`;

/** Returns the `Cookie` header that identifies the person with this number to a server for comparison, which has no sessions. */
export const cookieOf = (user: number): string => `person=${user}`;

/** Returns the person that a header of `cookieOf` identifies. The description of the person is as long as Easel's. */
export function userOf(cookie = ""): User {
  const user = Number(cookie.slice("person=".length));
  return {
    id: `01a20000-0000-7000-8000-00000000000${user}`,
    name: nameOf(user),
    canvasRole: user === 0 ? "owner" : "viewer",
  };
}
