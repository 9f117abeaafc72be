import { ERRORS } from "@easel/protocol/errors";
import type { Access, Canvas } from "@easel/protocol/types";
import { clean } from "../terminal/clean.ts";
import { formatTime } from "../terminal/format.ts";

/** What a Public link does not have, in a sentence. It is also the message of the error that such a page gets. */
export const PUBLIC_LINK_LIMIT: string = ERRORS.STATIC_ONLY.message;

/** Names the people who may enter with each access, as the end of a sentence. */
const WHO: Record<Exclude<Access, "private">, string> = {
  whole_org: "Everyone who can sign in may enter",
  public_link: "Everyone who has the address may enter, without a sign-in",
};

/** Whether a canvas is on the home pages of everyone who can sign in. */
export const isListed = ({ access, discoverability }: Pick<Canvas, "access" | "discoverability">): boolean =>
  access === "whole_org" && discoverability === "listed";

/** Says in sentences who may enter a canvas, who finds it, and until when. */
export function whoMayEnter(canvas: Canvas): string[] {
  const { access, hasPassword, people, teams, expiresAt } = canvas;
  const password = hasPassword ? " and has the password" : "";
  const ends =
    expiresAt === null ? [] : [`For all but owner and editors this ends ${formatTime(expiresAt)}.`];
  if (access === "private") {
    if (people.length + teams.length === 0) return ["Only you may enter; `easel share` lets others in."];
    const listed = [...people.map(({ email }) => email), ...teams.map(({ name }) => `team ${name}`)];
    const more = listed.length > 3 ? ` and ${listed.length - 3} more` : "";
    return [`The owner, ${listed.slice(0, 3).map(clean).join(", ")}${more} may enter.`, ...ends];
  }
  if (!Object.hasOwn(WHO, access)) return [];
  const sentence = `${WHO[access].replace(" may enter", `${password} may enter`)}.`;
  if (access === "public_link") return [sentence, PUBLIC_LINK_LIMIT, ...ends];
  const found = isListed(canvas)
    ? "It is listed on their home pages; `easel share --unlisted` takes it off."
    : "It is on nobody's home page; `easel share --access whole_org` lists it.";
  return [sentence, found, ...ends];
}
