import { countOf, listOf } from "../../../../kit/words.ts";
import type { Share } from "./plan.ts";
import type { Outcome } from "./run.ts";

/** The number of titles that are named. More are counted. */
const NAMED = 5;

/** Wraps a text in Unicode isolates, so that right-to-left letters do not reorder the sentence around it. */
export const isolated = (text: string): string => `\u2068${text}\u2069`;

/** Returns what somebody will own, such as "bo@acme.test takes 2 canvases: Poll and Board." */
export function shareWords({ to, canvases, teams }: Share, teamCount: number): string {
  const titles = canvases.slice(0, NAMED).map(({ title }) => isolated(title));
  const rest = canvases.length - titles.length;
  const what = [
    ...(canvases.length === 0 ? [] : [countOf(canvases.length, "canvas", "canvases")]),
    ...(teams ? [countOf(teamCount, "team")] : []),
  ];
  const named =
    titles.length === 0 ? "" : `: ${listOf(rest > 0 ? [...titles, countOf(rest, "other")] : titles)}`;
  return `${isolated(to)} takes ${listOf(what)}${named}.`;
}

/** Returns what happens to the person who leaves. */
export function leaverWords(
  name: string,
  {
    deactivate,
    sessions,
    tokens,
    guests,
  }: { deactivate: boolean; sessions: number; tokens: number; guests: number },
): string[] {
  const who = isolated(name);
  if (!deactivate) return [`${who} stays an editor of these canvases and can go on signing in.`];
  const credentials = `${countOf(sessions, "session")} and ${countOf(tokens, "access token")}`;
  return [
    `Once ${who} owns nothing, they are deactivated: they cannot sign in, and have no role on these canvases any more.`,
    `${credentials} end for good. Reactivating does not bring them back.`,
    ...(guests === 0
      ? []
      : [`${countOf(guests, "guest")} whom they have invited can go on. You can end that on their page.`]),
  ];
}

const QUOTAS: Record<string, string> = {
  "canvases.person": "quota of canvases",
  "bundles.bytes.person": "quota for the bytes of versions",
  "files.bytes.person": "quota for the bytes of files",
};

/** Returns why something could not be moved to somebody, and what helps. */
export function leftWords({ code, quota }: Outcome["left"][number], to: string): string {
  const who = isolated(to);
  switch (code) {
    case "QUOTA_EXCEEDED":
      return `The ${QUOTAS[quota ?? ""] ?? "quota"} of ${who} has no room for it. Choose somebody else, or raise the quota on their page.`;
    case "KEY_LIMIT":
      return `${who} has as many of these as one person may have. Choose somebody else.`;
    case "NOT_FOUND":
      return "It is gone, or somebody else owns it by now.";
  }
}
