import type { Canvas, Usage } from "../api/types.ts";
import { countOf } from "../kit/words.ts";

/** Returns how often a canvas was opened in the last 30 days, and by whom as a number. `views` are those of these days. */
export function viewsSentence(
  { total, people }: Pick<NonNullable<Usage["views"]>, "total" | "people">,
  { access }: Pick<Canvas, "access">,
): string {
  if (total === 0) return "Nobody has opened it in the last 30 days.";
  const often = total === 1 ? "once" : total === 2 ? "twice" : countOf(total, "time");
  const opened = `Opened ${often} in the last 30 days`;
  if (people === 0) return `${opened}, by nobody who was signed in.`;
  const who = countOf(people, "person", "people");
  return access === "public_link"
    ? `${opened}. ${who} ${people === 1 ? "was" : "were"} signed in.`
    : `${opened}, by ${who}.`;
}
