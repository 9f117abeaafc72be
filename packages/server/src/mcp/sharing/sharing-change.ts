import { LIMITS } from "@easel/protocol/limits";
import type { InvitationList, NewInvitation, TeamList } from "@easel/protocol/management";
import type { Access, Canvas } from "@easel/protocol/types";
import { normalEmail } from "../../access/principal.ts";
import { refuse } from "../../http/refusal.ts";
import { actNamed } from "../../management/acts.ts";
import { requireMay } from "../confirmation/require-may.ts";
import { type Performer, perform } from "../tool-call.ts";
import type { GrantedRole, Openness } from "./widening.ts";

const readAct = actNamed<Canvas>("canvas.read");
const shareAct = actNamed<Canvas>("canvas.share");
const updateAct = actNamed<Canvas>("canvas.update");
const invitesAct = actNamed<InvitationList>("canvas.invites");
const inviteAct = actNamed<NewInvitation>("canvas.invite");
const uninviteAct = actNamed<undefined>("canvas.uninvite");
const teamsAct = actNamed<TeamList>("team.list");

/** What a tool is asked to change. What is left out stays as it is; null clears. Roles are set for each address or team. */
export interface SharingChange {
  access?: Access | undefined;
  password?: string | null | undefined;
  /** In epoch milliseconds. */
  expiresAt?: number | null | undefined;
  people?: { email: string; role: GrantedRole | "guest" | "none" }[] | undefined;
  /** By their ids. */
  teams?: { id: string; role: GrantedRole | "none" }[] | undefined;
  listed?: boolean | undefined;
  gallery?: boolean | undefined;
  template?: boolean | undefined;
}

/** The sharing settings of a canvas, as they were read. */
export interface SharingNow {
  canvas: Canvas;
  openness: Openness;
  /** The ids of the invitations that are not revoked, by e-mail address. */
  invitations: ReadonlyMap<string, string[]>;
  /** The names of teams by their ids. */
  teamNames: ReadonlyMap<string, string>;
}

const opennessOf = (canvas: Canvas, guests: Iterable<string>): Openness => ({
  access: canvas.access,
  password: canvas.hasPassword ? "kept" : "none",
  expiresAt: canvas.expiresAt,
  people: new Map(canvas.people.map(({ email, role }) => [email, role])),
  teams: new Map(canvas.teams.map(({ id, role }) => [id, role])),
  guests: new Set(guests),
  listed: canvas.discoverability === "listed",
  gallery: canvas.galleryListed,
  template: canvas.galleryTemplatable,
});

/** Returns the ids of the invitations that are not revoked, by e-mail address. */
async function invitationsOf(id: string, by: Performer): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = cursor === null ? {} : { cursor };
    const page: InvitationList = await perform(by, invitesAct, { params: { id }, query });
    for (const invite of page.invites)
      if (invite.revokedAt === null) found.set(invite.email, [...(found.get(invite.email) ?? []), invite.id]);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

/** Reads the sharing settings of a canvas. Throws what `canvas.share` throws for a caller who may not share it. */
export async function readSharingNow(id: string, by: Performer): Promise<SharingNow> {
  await requireMay(shareAct, id, by);
  const canvas = await perform(by, readAct, { params: { id } });
  const invitations = await invitationsOf(id, by);
  const teamNames = new Map(canvas.teams.map((team) => [team.id, team.name]));
  return { canvas, openness: opennessOf(canvas, invitations.keys()), invitations, teamNames };
}

/** Returns the teams that the caller can name, by their ids, besides those with which the canvas is shared. */
export async function teamNamesFor({ teamNames }: SharingNow, by: Performer): Promise<Map<string, string>> {
  // A connection for one canvas sees no teams but those of the canvas.
  if (by.caller.user.restriction?.canvasId != null) return new Map(teamNames);
  const { teams } = await perform(by, teamsAct, { query: { limit: String(LIMITS.pageMax.value) } });
  return new Map([...teamNames, ...teams.map(({ id, name }) => [id, name] as const)]);
}

/** Returns the settings after a change. */
export function openedBy(
  { access, password, expiresAt, people = [], teams = [], listed, gallery, template }: SharingChange,
  { canvas, openness }: SharingNow,
): Openness {
  const [roles, guests, ofTeams] = [
    new Map(openness.people),
    new Set(openness.guests),
    new Map(openness.teams),
  ];
  for (const { email: given, role } of people) {
    const email =
      normalEmail(given) ??
      refuse("INVALID_BODY", { message: `${JSON.stringify(given)} is not an e-mail address.` });
    if (email === canvas.owner.email)
      refuse("INVALID_BODY", { message: "The owner needs no place on the list." });
    if (role === "viewer" || role === "editor") roles.set(email, role);
    else if (role === "guest") guests.add(email);
    else {
      roles.delete(email);
      guests.delete(email);
    }
  }
  for (const { id, role } of teams)
    if (role === "none") ofTeams.delete(id);
    else ofTeams.set(id, role);
  // A canvas that is made private leaves the gallery.
  const leaves = access === "private";
  return {
    access: access ?? openness.access,
    password: password === undefined ? openness.password : password === null ? "none" : "new",
    expiresAt: expiresAt === undefined ? openness.expiresAt : expiresAt,
    people: roles,
    teams: ofTeams,
    guests,
    listed: listed ?? openness.listed,
    gallery: gallery ?? (openness.gallery && !leaves),
    template: template ?? (openness.template && !leaves),
  };
}

const isSameList = (one: Openness["people"], other: Openness["people"]) =>
  one.size === other.size && [...one].every(([each, role]) => other.get(each) === role);

/** Returns the body of `canvas.share` for a change of settings, or null if it has nothing to do. */
function shareBody(before: Openness, after: Openness, password: string | null | undefined) {
  const body = {
    ...(after.access !== before.access && { access: after.access }),
    ...(after.password !== before.password && { password: password ?? null }),
    ...(after.expiresAt !== before.expiresAt && { expiresAt: after.expiresAt }),
    ...(!isSameList(after.people, before.people) && {
      people: [...after.people].map(([email, role]) => ({ email, role })),
    }),
    ...(!isSameList(after.teams, before.teams) && {
      teams: [...after.teams].map(([id, role]) => ({ id, role })),
    }),
  };
  return Object.keys(body).length === 0 ? null : body;
}

/** Returns the body of `canvas.update` for a change of settings, or null if it has nothing to do. */
function updateBody(before: Openness, after: Openness) {
  const body = {
    ...(after.listed !== before.listed && { discoverability: after.listed ? "listed" : "link_only" }),
    ...(after.gallery !== before.gallery && { galleryListed: after.gallery }),
    ...(after.template !== before.template && { galleryTemplatable: after.template }),
  };
  return Object.keys(body).length === 0 ? null : body;
}

/** Throws what the acts would throw for a caller who may not invite or end the invitations of guests, if a change of settings does. */
export async function requireMayInvite(
  { canvas, openness }: SharingNow,
  after: Openness,
  by: Performer,
): Promise<void> {
  if (openness.guests.symmetricDifference(after.guests).size > 0) await requireMay(inviteAct, canvas.id, by);
}

/** Whether a change of settings changes anything. */
export const changes = (before: Openness, after: Openness): boolean =>
  shareBody(before, after, null) !== null ||
  updateBody(before, after) !== null ||
  before.guests.symmetricDifference(after.guests).size > 0;

/** The link of a new invitation, for the person who passes it on. */
export interface GuestLink {
  email: string;
  url: string;
}

/**
 * Saves a change of settings by the acts of the person: first what narrows and widens the settings together, on the condition that they are
 * still those that were read. Throws 409 `SHARE_CONFLICT` if they are not; nothing has changed then. Returns the links of new guests.
 */
export async function saveChange(
  { canvas, openness: before, invitations }: SharingNow,
  after: Openness,
  password: string | null | undefined,
  by: Performer,
): Promise<GuestLink[]> {
  const { id, sharingRevision: expectedSharing } = canvas;
  const share = shareBody(before, after, password);
  if (share !== null) await perform(by, shareAct, { params: { id }, body: { ...share, expectedSharing } });
  const update = updateBody(before, after);
  if (update !== null) await perform(by, updateAct, { params: { id }, body: update });
  for (const email of before.guests.difference(after.guests))
    for (const invite of invitations.get(email) ?? [])
      await perform(by, uninviteAct, { params: { id, invite } });
  const links: GuestLink[] = [];
  for (const email of after.guests.difference(before.guests)) {
    const { url } = await perform(by, inviteAct, { params: { id }, body: { email } });
    links.push({ email, url });
  }
  return links;
}
