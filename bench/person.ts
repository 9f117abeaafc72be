/** Who sent a message, as a server tells everyone. */
export interface User {
  id: string;
  name: string;
  canvasRole: string;
}

/** What a person is called, by number. */
export const nameOf = (user: number): string => `Person ${user}`;

/** The `Cookie` of a person on a server that knows no sessions. */
export const cookieOf = (user: number): string => `person=${user}`;

/** The person of such a cookie, described at the length at which Easel does it. */
export function userOf(cookie = ""): User {
  const user = Number(cookie.slice("person=".length));
  return {
    id: `01a20000-0000-7000-8000-00000000000${user}`,
    name: nameOf(user),
    canvasRole: user === 0 ? "owner" : "viewer",
  };
}
