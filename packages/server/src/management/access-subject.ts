import type { AccessExplanation } from "@easel/protocol/management";
import { domainOf, nameOf, normalEmail, type Principal, type User, visitor } from "../access/principal.ts";
import { type Listing, listingsOf, visibleTeams } from "../canvases/sharing.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { findInviteRow, guestOf } from "../identity/guests.ts";
import { findUserRow, type UserRow, userOf } from "../identity/users.ts";
import { areColleagues } from "../organisation/orgs.ts";

/** Who asks about a person. An administrator sees all people and invitations of the instance, an editor those that other acts show, too. */
export interface Asker {
  user: User;
  isAdministrator: boolean;
}

/** The person whose access is explained. */
export interface Subject extends Pick<AccessExplanation, "subject"> {
  /** As whom the service would treat the person: as an anonymous caller if they cannot sign in. */
  principal: Principal;
  /** Why a person who is not anonymous cannot sign in, as a sentence; null if they can. */
  cannotSignIn: string | null;
  /** The roles that the people list and the teams give them. A team has no name if the asker does not see it. */
  listings: { role: Listing["role"]; team: { name: string | undefined } | null }[];
}

export const ANONYMOUS: Subject = {
  subject: { kind: "anonymous", email: null, name: null },
  principal: visitor(),
  cannotSignIn: null,
  listings: [],
};

/**
 * Returns the guest of an invitation. Throws 404 `NOT_FOUND` if there is no such invitation or, for an editor, if it is for another canvas.
 */
export async function guestOfInvite(
  invite: string,
  canvasId: string,
  { isAdministrator }: Asker,
  env: Env,
): Promise<Subject> {
  const row = (await findInviteRow(invite, env)) ?? refuse("NOT_FOUND");
  if (!isAdministrator && row.invite_canvas !== canvasId) refuse("NOT_FOUND");
  const guest = guestOf(row);
  return {
    subject: { kind: "guest", email: row.invite_email, name: row.invite_name },
    principal: guest ?? visitor(),
    cannotSignIn: guest === null ? "Their invitation is revoked." : null,
    listings: [],
  };
}

/**
 * Returns the member with an e-mail address. Somebody of whom the asker may not know counts as an address with which nobody has signed in: they
 * would get the same access (decision 089).
 */
export async function memberAt(
  email: string,
  canvas: { id: string; ownerId: string },
  { user, isAdministrator }: Asker,
  env: Env,
): Promise<Subject> {
  const [row, listed] = await Promise.all([findUserRow(email, env), listingsOf(canvas.id, email, env)]);
  const teams = listed.flatMap(({ team }) => team?.id ?? []);
  const visible = teams.length === 0 ? [] : await visibleTeams(teams, user, env);
  const listings = listed.map(({ role, team }) => ({
    role,
    team: team && { name: visible.includes(team.id) ? team.name : undefined },
  }));
  const isShown =
    isAdministrator ||
    row?.id === canvas.ownerId ||
    listings.some(({ team }) => team === null || team.name !== undefined) ||
    (await areColleagues(user.email, email, env));
  const known = isShown || listings.length > 0 ? row : undefined;
  const cannotSignIn = whyNoSignIn(email, known, env);
  return {
    subject: {
      kind: known === undefined ? "unknown" : "member",
      email,
      name: (isShown && known?.name) || null,
    },
    principal: cannotSignIn === null ? (userOf(known) ?? newMember(email)) : visitor(),
    cannotSignIn,
    listings,
  };
}

/** Returns why a person cannot sign in, as a sentence, or null if they can. */
function whyNoSignIn(email: string, row: UserRow | undefined, { config }: Env): string | null {
  if (normalEmail(email, config.allowedEmailDomains) === null)
    return `People with an address at ${domainOf(email)} cannot sign in to this service.`;
  if (row !== undefined && row.deactivated_at !== null)
    return "An administrator has deactivated their account.";
  return null;
}

/** Returns the member that a first sign-in with an address makes, without the id. */
const newMember = (email: string): Principal => ({
  kind: "member",
  id: "",
  email,
  name: nameOf(email),
  avatarUrl: null,
  canPublishPublic: true,
  listedAs: null,
  inAdminGroup: false,
  restriction: null,
});
