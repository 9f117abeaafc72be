import type { Team } from "../../api/types.ts";
import { type Access, CONSEQUENCES, everyoneBy } from "../../canvas/general-access.ts";
import { countOf, listOf } from "../../kit/words.ts";
import { applied, type Change, type Terms } from "./changes.ts";

/** What is asked before a change. `act` is the label of the button that makes it. */
export interface Question {
  title: string;
  text: string[];
  act: string;
}

/** The general accesses, the fewest people first. */
const WIDTHS: readonly Access[] = ["private", "whole_org", "public_link"];

/** Says whom a password or an end concerns: everybody but the owner and the editors, and guests only the end. Null if there is nobody. */
function concerned({ people, teams, access }: Terms, guests: number, organisation: string): string | null {
  const viewers = people.filter(({ role }) => role === "viewer").length;
  const viewing = teams.filter(({ role }) => role === "viewer").length;
  const kinds = [
    viewers > 0 && countOf(viewers, "viewer"),
    viewing > 0 && `${countOf(viewing, "team")} of viewers`,
    guests > 0 && countOf(guests, "guest"),
    everyoneBy(access, organisation),
  ].filter((kind) => typeof kind === "string");
  return kinds.length === 0 ? null : listOf(kinds);
}

const when = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

/** Returns a time as "3 March 2027 at 17:00 CET", in the zone of the browser. */
export const momentOf = (at: number): string => when.format(at);

/** What the sentences need besides the terms: the guests who may enter, and the name of the organisation. */
export interface Around {
  guests: number;
  organisation: string;
}

/**
 * Returns what to ask before a change that lets more people in: a wider general access, no password any more, or a later end, where it
 * concerns somebody. Null for all other changes. Adding somebody is such an act itself.
 */
export function widening(
  change: Change,
  terms: Terms,
  { guests, organisation }: Around,
  now = Date.now(),
): Question | null {
  const after = applied(change, terms);
  if (WIDTHS.indexOf(after.access) > WIDTHS.indexOf(terms.access)) {
    const { people, teams } = terms;
    const listed = [
      people.length > 0 && countOf(people.length, "person", "people"),
      teams.length > 0 && countOf(teams.length, "team"),
      guests > 0 && countOf(guests, "guest"),
      everyoneBy(terms.access, organisation),
    ].filter((kind) => typeof kind === "string");
    const before = `Now it opens for ${listOf(["the owner", ...listed])}.`;
    return after.access === "whole_org"
      ? {
          title: "Let the whole organisation in?",
          text: [before, `After this, ${everyoneBy("whole_org", organisation)} can open it as a viewer.`],
          act: "Let them in",
        }
      : {
          title: "Open it to the internet?",
          text: [
            before,
            `After this, ${CONSEQUENCES.public_link(organisation)}`.replace("this, A", "this, a"),
          ],
          act: "Open it to anyone",
        };
  }
  if (terms.hasPassword && !after.hasPassword) {
    const who = concerned(after, 0, organisation);
    if (who === null) return null;
    return {
      title: "Remove the password?",
      text: [`Now a password is asked of ${who}. After this, it opens for them without one.`],
      act: "Remove the password",
    };
  }
  if (terms.expiresAt !== null && (after.expiresAt === null || after.expiresAt > terms.expiresAt)) {
    const who = concerned(after, guests, organisation);
    if (who === null) return null;
    const end = after.expiresAt === null ? "has no end" : `ends on ${momentOf(after.expiresAt)}`;
    return {
      title: after.expiresAt === null ? "Remove the end?" : "Let it end later?",
      text: [
        `Access ${terms.expiresAt <= now ? "ended" : "ends"} on ${momentOf(terms.expiresAt)} for ${who}. After this, it ${end}.`,
      ],
      act: after.expiresAt === null ? "Remove the end" : "Let it end later",
    };
  }
  return null;
}

/** Whether an address is an editor by the list, or by a team of which it is known to be a member. */
function isEditorBy(
  { people, teams }: Terms,
  email: string,
  known: readonly Pick<Team, "id" | "members">[],
): boolean {
  const isMember = (id: string) => known.some((team) => team.id === id && team.members.includes(email));
  return (
    people.some((each) => each.email === email && each.role === "editor") ||
    teams.some(({ id, role }) => role === "editor" && isMember(id))
  );
}

/** Returns what to ask before a change by which an editor takes the role of an editor from themself; null for all other changes. */
export function leaving(
  change: Change,
  terms: Terms,
  email: string,
  known: readonly Pick<Team, "id" | "members">[],
): Question | null {
  const after = applied(change, terms);
  if (!isEditorBy(terms, email, known) || isEditorBy(after, email, known)) return null;
  return {
    title: "Give up your own role?",
    text: [
      "You are an editor by this entry. After this, you cannot change the canvas or see this screen.",
      "Only the owner or another editor can make you an editor again.",
    ],
    act: "Give it up",
  };
}
