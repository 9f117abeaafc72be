import type { Access } from "@easel/protocol/types";
import type { GrantedRole, Openness } from "./widening.ts";

/** One thing that changes, in words. */
export interface ChangeInWords {
  what: string;
  from: string;
  to: string;
}

const ACCESS: Record<Access, string> = {
  private: "only people and teams that are named",
  whole_org: "everyone in the organisation",
  public_link: "everyone who has the link, without signing in",
};

const ROLES: Record<GrantedRole | "none", string> = {
  viewer: "can view",
  editor: "can edit and share",
  none: "no access of their own",
};

const endText = (expiresAt: number | null): string =>
  expiresAt === null
    ? "no end"
    : `until ${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const PASSWORD: Record<Openness["password"], string> = {
  none: "none",
  kept: "needed",
  new: "a new one is needed",
};

function listChanges(
  before: Openness["people"],
  after: Openness["people"],
  nameOf: (key: string) => string,
): ChangeInWords[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [had, has] = [before, after].map((list) => ROLES[list.get(key) ?? "none"]) as [string, string];
    return had === has ? [] : [{ what: nameOf(key), from: had, to: has }];
  });
}

const either = (what: string, had: boolean, has: boolean): ChangeInWords[] =>
  had === has ? [] : [{ what, from: had ? "yes" : "no", to: has ? "yes" : "no" }];

/** Returns what changes between two states of the settings, in words. */
export function changesInWords(
  before: Openness,
  after: Openness,
  teamNames: ReadonlyMap<string, string>,
): ChangeInWords[] {
  const text = (what: string, from: string, to: string) => (from === to ? [] : [{ what, from, to }]);
  return [
    ...text("Who may open it", ACCESS[before.access], ACCESS[after.access]),
    ...listChanges(before.people, after.people, (email) => email),
    ...listChanges(before.teams, after.teams, (id) => `the team ${teamNames.get(id) ?? id}`),
    ...[...before.guests.symmetricDifference(after.guests)].map((email) => ({
      what: `the guest ${email}`,
      from: before.guests.has(email) ? "has a link of their own" : "not invited",
      to: after.guests.has(email) ? "gets a link of their own" : "not invited",
    })),
    ...text("Password", PASSWORD[before.password], PASSWORD[after.password]),
    ...text("End", endText(before.expiresAt), endText(after.expiresAt)),
    ...either("Listed for the organisation", before.listed, after.listed),
    ...either("In the gallery", before.gallery, after.gallery),
    ...either("Others may start from it", before.template, after.template),
  ];
}
