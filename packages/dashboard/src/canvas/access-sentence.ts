import type { Canvas, Me } from "../api/types.ts";
import { dayOf } from "../kit/time-words.ts";
import { isolated, listOf } from "../kit/words.ts";
import { isEditor } from "./state.ts";

type Fields = Pick<
  Canvas,
  "access" | "hasPassword" | "expiresAt" | "people" | "teams" | "owner" | "viewerRole"
>;

/** The number of people and teams that are named. More are counted. */
const NAMED = 3;

/** Returns names as "Ada, Bo and Cy", or "Ada, Bo, Cy and 4 others". */
function namesIn(names: string[]): string {
  const rest = names.length - NAMED;
  // One more name is as short as "1 other".
  if (rest <= 1) return listOf(names);
  return `${names.slice(0, NAMED).join(", ")} and ${rest} others`;
}

const namesOf = ({ people, teams }: Fields, role: "editor" | "viewer"): string[] => [
  ...people.filter((person) => person.role === role).map(({ email, name }) => isolated(name ?? email)),
  ...teams.filter((team) => team.role === role).map(({ name }) => `the team ${isolated(name)}`),
];

const guestsOf = (count: number): string[] =>
  count === 0 ? [] : [count === 1 ? "one invited guest" : `${count} invited guests`];

/** Returns who is in the organisation in which a canvas is shared. Only its owner has certainly the same one. */
function everyone({ owner, viewerRole }: Fields, orgs: Me["orgs"]): string {
  const [org] = orgs;
  if (org === undefined) return "Everyone who signs in";
  if (viewerRole !== "owner") return `Everyone in the organisation of ${isolated(owner.name)} who signs in`;
  return `Everyone ${orgs.length === 1 ? `at ${isolated(org.name)}` : "in its organisation"} who signs in`;
}

/** Returns who may change a canvas: the caller, the owner and the editors. `canvas.people` has no entry for the caller. */
const changersOf = (canvas: Fields): string[] => [
  "you",
  ...(canvas.viewerRole === "owner" ? [] : [isolated(canvas.owner.name)]),
  ...namesOf(canvas, "editor"),
];

/** Returns who may open and change a canvas, for its owner and editors. */
function managersSentence(canvas: Fields, orgs: Me["orgs"], guests: number): string[] {
  const changers = changersOf(canvas);
  const others = [...namesOf(canvas, "viewer"), ...guestsOf(guests)];
  const change = changers.length === 1 ? "only you may change it" : `${namesIn(changers)} may change it`;
  if (canvas.access === "private") {
    if (others.length === 0) return [`Only ${namesIn(changers)} may open and change it`];
    return [`Only ${namesIn([...changers, ...others])} may open it`, change];
  }
  return canvas.access === "public_link"
    ? [ANYONE, change]
    : [
        `${everyone(canvas, orgs)}${others.length === 0 ? "" : `, and ${namesIn(others)},`} may open it`,
        change,
      ];
}

const ANYONE = "Anyone with the address may open it";

/** Returns why the caller may open a canvas, for viewers. */
function viewersSentence(canvas: Fields, orgs: Me["orgs"]): string {
  if (canvas.access === "private")
    return `${isolated(canvas.owner.name)} shares it with you and people they chose`;
  return canvas.access === "public_link" ? ANYONE : `${everyone(canvas, orgs)} may open it`;
}

/**
 * Returns who may open a canvas and who may change it in one sentence, such as "Everyone at Acme who signs in may open it; Ada and Bo may
 * change it; a password is asked." Viewers do not see with whom it is shared: theirs says why they may open it. `orgs` are the
 * organisations of the caller, `guests` is the number of invitations in effect, 0 for viewers.
 */
export function accessSentence(
  canvas: Fields,
  { email, orgs }: Pick<Me, "email" | "orgs">,
  guests: number,
  now = Date.now(),
): string {
  const others = { ...canvas, people: canvas.people.filter((person) => person.email !== email) };
  const parts = isEditor(canvas) ? managersSentence(others, orgs, guests) : [viewersSentence(canvas, orgs)];
  if (canvas.hasPassword) parts.push("a password is asked");
  if (canvas.expiresAt !== null)
    parts.push(`this ${canvas.expiresAt > now ? "ends" : "ended"} on ${dayOf(canvas.expiresAt)}`);
  return `${parts.join("; ")}.`;
}
