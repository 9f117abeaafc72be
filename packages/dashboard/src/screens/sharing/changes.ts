import type { Canvas } from "../../api/types.ts";
import { ACCESS_NAMES, type Access } from "../../canvas/general-access.ts";

/** With whom a canvas is shared, and on which terms. */
export type Terms = Pick<Canvas, "access" | "hasPassword" | "expiresAt" | "people" | "teams">;
export type ListedRole = "editor" | "viewer";

/** A change of the terms. Of people and teams, it has only those whose role changes; null removes them. */
export interface Change {
  access?: Access;
  /** 8 to 200 characters; null removes the password. */
  password?: string | null;
  /** Epoch milliseconds; null for no end. */
  expiresAt?: number | null;
  people?: { email: string; role: ListedRole | null; name?: string | null }[];
  teams?: { id: string; name: string; role: ListedRole | null }[];
}

type Role = ListedRole | null;

const roleOfPerson = ({ people }: Pick<Terms, "people">, email: string): Role =>
  people.find((each) => each.email === email)?.role ?? null;
const nameOfPerson = ({ people }: Pick<Terms, "people">, email: string): string | null =>
  people.find((each) => each.email === email)?.name ?? null;
const roleOfTeam = ({ teams }: Pick<Terms, "teams">, id: string): Role =>
  teams.find((each) => each.id === id)?.role ?? null;

/** Returns a list in which each changed entry has its new role, or is gone. New entries come last. */
function merged<Entry extends { role: ListedRole }>(
  list: readonly Entry[],
  changed: readonly (Omit<Entry, "role"> & { role: Role })[],
  keyOf: (entry: Omit<Entry, "role">) => string,
): Entry[] {
  const byKey = new Map(list.map((entry) => [keyOf(entry), entry]));
  for (const entry of changed) {
    const { role } = entry;
    if (role === null) byKey.delete(keyOf(entry));
    else byKey.set(keyOf(entry), { ...byKey.get(keyOf(entry)), ...entry, role } as unknown as Entry);
  }
  return [...byKey.values()];
}

/** Returns the terms after a change. Somebody new has the name of the change, if it is known. */
export function applied({ access, password, expiresAt, people, teams }: Change, terms: Terms): Terms {
  const known = new Map(terms.people.map(({ email, name }) => [email, name]));
  const named = ({ email, role, name = null }: NonNullable<Change["people"]>[number]) => ({
    email,
    role,
    name: known.get(email) ?? name,
  });
  return {
    access: access ?? terms.access,
    hasPassword: password === undefined ? terms.hasPassword : password !== null,
    expiresAt: expiresAt === undefined ? terms.expiresAt : expiresAt,
    people:
      people === undefined ? terms.people : merged(terms.people, people.map(named), ({ email }) => email),
    teams: teams === undefined ? terms.teams : merged(terms.teams, teams, ({ id }) => id),
  };
}

/** Returns the body of `canvas.share`, which replaces whole lists: those that were just read, with the change. Lists without a change are left out. */
export function bodyOf(change: Change, read: Terms) {
  const { people, teams } = applied(change, read);
  return {
    ...change,
    ...(change.people !== undefined && { people: people.map(({ email, role }) => ({ email, role })) }),
    ...(change.teams !== undefined && { teams: teams.map(({ id, role }) => ({ id, role })) }),
  } as Omit<Change, "people" | "teams"> & {
    people?: { email: string; role: ListedRole }[];
    teams?: { id: string; role: ListedRole }[];
  };
}

/** Returns the change back to the terms before a change. Null if there is none: nobody knows the password that was removed or replaced. */
export function undoOf(change: Change, before: Terms): Change | null {
  const { access, password, expiresAt, people, teams } = change;
  if (password !== undefined && before.hasPassword) return null;
  // A time that has passed cannot be set.
  if (expiresAt !== undefined && before.expiresAt !== null && before.expiresAt <= Date.now()) return null;
  return {
    ...(access !== undefined && { access: before.access }),
    ...(password !== undefined && { password: null }),
    ...(expiresAt !== undefined && { expiresAt: before.expiresAt }),
    ...(people !== undefined && {
      people: people.map(({ email, name = nameOfPerson(before, email) }) => ({
        email,
        role: roleOfPerson(before, email),
        name,
      })),
    }),
    ...(teams !== undefined && {
      teams: teams.map((team) => ({ ...team, role: roleOfTeam(before, team.id) })),
    }),
  };
}

const ROLES = { editor: "an editor", viewer: "a viewer" } as const;
const isNow = (name: string, role: Role) =>
  role === null ? `${name} is not on the list` : `${name} is ${ROLES[role]}`;

/** Returns what somebody else has changed since `shown` that a change would overwrite, as a sentence. Null if there is nothing. */
export function overtakenBy(
  { access, expiresAt, password, people = [], teams = [] }: Change,
  shown: Terms,
  read: Terms,
): string | null {
  const facts: string[] = [];
  for (const { email, role } of people)
    if (roleOfPerson(shown, email) !== roleOfPerson(read, email) && roleOfPerson(read, email) !== role)
      facts.push(isNow(email, roleOfPerson(read, email)));
  for (const { id, name, role } of teams)
    if (roleOfTeam(shown, id) !== roleOfTeam(read, id) && roleOfTeam(read, id) !== role)
      facts.push(isNow(`Team ${name}`, roleOfTeam(read, id)));
  if (access !== undefined && shown.access !== read.access) facts.push("general access is another one");
  if (expiresAt !== undefined && shown.expiresAt !== read.expiresAt) facts.push("the end is another one");
  if (password !== undefined && shown.hasPassword !== read.hasPassword)
    facts.push(read.hasPassword ? "a password is set" : "the password is removed");
  if (facts.length === 0) return null;
  return `Somebody else has changed this meanwhile: ${facts.join(", ")}. Nothing was saved; look at the list and try again.`;
}

/** Says what a change has done, as a short sentence. */
export function saidOf({ access, password, expiresAt, people = [], teams = [] }: Change): string {
  const names = [
    ...people.map(({ email, name, role }) => ({ name: name ?? email, role })),
    ...teams.map(({ name, role }) => ({ name: `Team ${name}`, role })),
  ];
  const [first] = names;
  if (first !== undefined && names.length === 1) {
    if (first.role === null) return `Removed ${first.name}.`;
    return `${first.name} is ${ROLES[first.role]} now.`;
  }
  if (first !== undefined) return `Shared with ${names.length} more.`;
  if (access !== undefined) return `General access: ${ACCESS_NAMES[access]}.`;
  if (password !== undefined) return password === null ? "The password is removed." : "The password is set.";
  return expiresAt === null ? "Access has no end." : "The end of access is set.";
}
