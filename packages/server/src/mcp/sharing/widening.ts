import type { Access } from "@easel/protocol/types";

export type GrantedRole = "viewer" | "editor";

/** The sharing settings of a canvas, as far as its owner and editors decide them: access, roles, guests and listing. */
export interface Openness {
  access: Access;
  /** `kept` is the password that the canvas has, `new` another one. */
  password: "none" | "kept" | "new";
  /** When the access of all but the owner and editors ends, in epoch milliseconds; null for never. */
  expiresAt: number | null;
  /** The roles by e-mail address. */
  people: ReadonlyMap<string, GrantedRole>;
  /** The roles by the id of the team. */
  teams: ReadonlyMap<string, GrantedRole>;
  /** The e-mail addresses of invited guests. */
  guests: ReadonlySet<string>;
  /** Whether the organisation finds it, whether it is in the gallery, and whether others may start from it there. */
  listed: boolean;
  gallery: boolean;
  template: boolean;
}

/** A way in which a canvas is opened to more people, for longer, or with more rights. */
export type Widening =
  | "public_link"
  | "organisation"
  | "people"
  | "teams"
  | "roles"
  | "guests"
  | "password"
  | "end"
  | "listing";

const RANK: Record<GrantedRole, number> = { viewer: 1, editor: 2 };

const rankOf = (role: GrantedRole | undefined) => (role === undefined ? 0 : RANK[role]);

const endOf = ({ expiresAt }: Openness) => expiresAt ?? Number.POSITIVE_INFINITY;

const LISTINGS = ["listed", "gallery", "template"] as const;

/**
 * Returns in which ways a change of settings opens a canvas wider. None: nobody may do after it what they may not do before. Every change of
 * general access but that to `private` counts, because with a Public link pages have no data, and with the organisation they have. Another
 * password counts, because other people know it.
 */
export function wideningsOf(before: Openness, after: Openness): Widening[] {
  const lists = [
    ["people", before.people, after.people],
    ["teams", before.teams, after.teams],
  ] as const;
  const isNew = ([, had, has]: (typeof lists)[number]) => [...has.keys()].some((each) => !had.has(each));
  const isRaised = ([, had, has]: (typeof lists)[number]) =>
    [...has].some(([each, role]) => had.has(each) && rankOf(role) > rankOf(had.get(each)));
  const changesAccess = after.access !== before.access;
  const found: Record<Widening, boolean> = {
    public_link: changesAccess && after.access === "public_link",
    organisation: changesAccess && after.access === "whole_org",
    people: isNew(lists[0]),
    teams: isNew(lists[1]),
    roles: lists.some(isRaised),
    guests: [...after.guests].some((each) => !before.guests.has(each)),
    password: before.password !== "none" && after.password !== before.password,
    end: endOf(after) > endOf(before),
    listing: LISTINGS.some((each) => after[each] && !before[each]),
  };
  return (Object.keys(found) as Widening[]).filter((each) => found[each]);
}

/** Returns the entries of both lists, each with the lower role. */
const common = (one: Openness["people"], other: Openness["people"]): Openness["people"] =>
  new Map(
    [...one].flatMap(([each, role]) => {
      const also = other.get(each);
      return also === undefined ? [] : [[each, rankOf(also) < rankOf(role) ? also : role] as const];
    }),
  );

/** Returns the part of a change of settings that opens nothing wider: `before` with all that `after` narrows. */
export function narrowedBy(before: Openness, after: Openness): Openness {
  const end = Math.min(endOf(before), endOf(after));
  return {
    access: after.access === "private" ? "private" : before.access,
    password: before.password === "none" ? after.password : before.password,
    expiresAt: end === Number.POSITIVE_INFINITY ? null : end,
    people: common(before.people, after.people),
    teams: common(before.teams, after.teams),
    guests: before.guests.intersection(after.guests),
    listed: before.listed && after.listed,
    gallery: before.gallery && after.gallery,
    template: before.template && after.template,
  };
}

/**
 * Returns whether a change needs the person: `never` if it opens nothing wider, `always` if strangers are let in, and otherwise unless the
 * person has waived it for the connected tool.
 */
export function needOfPerson(before: Openness, after: Openness): "never" | "unless waived" | "always" {
  const widenings = wideningsOf(before, after);
  if (widenings.length === 0) return "never";
  const hasStrangers = after.access === "public_link" || after.guests.size > 0;
  const forStrangers = hasStrangers && widenings.some((each) => each === "password" || each === "end");
  return forStrangers || widenings.some((each) => each === "public_link" || each === "guests")
    ? "always"
    : "unless waived";
}
