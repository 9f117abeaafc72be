import type { Handover } from "../../../../api/types.ts";
import { countOf, isolated, listOf } from "../../../../kit/words.ts";
import { credentialWords } from "../credentials.ts";
import type { Share } from "./plan.ts";
import type { Outcome } from "./run.ts";

/** The number of titles that are named. More are counted. */
const NAMED = 5;

/** What somebody owns, such as "2 canvases and 1 team". Empty if it is nothing. */
export function ownedWords({ canvases, teams, nextCursor }: Handover): string {
  const more = nextCursor === null ? "" : " and more";
  return listOf([
    ...(canvases.length === 0 ? [] : [`${countOf(canvases.length, "canvas", "canvases")}${more}`]),
    ...(teams.length === 0 ? [] : [countOf(teams.length, "team")]),
  ]);
}

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

/** Returns what happens to the person who leaves, and to the guests whom they have invited. */
export function leaverWords(
  name: string,
  { deactivate, endGuests }: { deactivate: boolean; endGuests: boolean },
  { sessions, tokens, apps, guests }: Pick<Handover, "sessions" | "tokens" | "apps" | "guests">,
): string[] {
  const who = isolated(name);
  const credentials = credentialWords({ sessions, tokens, apps });
  return [
    ...(deactivate
      ? [
          `Once ${who} owns nothing, they are deactivated: they cannot sign in, and have no role on these canvases any more.`,
          ...(credentials === ""
            ? []
            : [`This ends ${credentials} for good. Reactivating does not bring them back.`]),
        ]
      : [`${who} stays an editor of these canvases and can go on signing in.`]),
    ...(guests === 0
      ? []
      : [
          endGuests
            ? `${countOf(guests, "guest")} whom they invited ${guests === 1 ? "loses" : "lose"} access at once. This cannot be undone.`
            : `${countOf(guests, "guest")} whom they invited ${guests === 1 ? "keeps" : "keep"} access.`,
        ]),
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
