/** Who sent a message, as a server tells everyone. */
export interface Person {
  id: string;
  name: string;
  canvasRole: string;
}

/** What a person is called, by number. */
export const nameOf = (person: number): string => `Person ${person}`;

/** The `Cookie` of a person on a server that knows no sessions. */
export const cookieOf = (person: number): string => `person=${person}`;

/** The person of such a cookie, described at the length at which Easel does it. */
export function personOf(cookie = ""): Person {
  const person = Number(cookie.slice("person=".length));
  return {
    id: `01a20000-0000-7000-8000-00000000000${person}`,
    name: nameOf(person),
    canvasRole: person === 0 ? "owner" : "viewer",
  };
}
