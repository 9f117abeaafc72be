import type { previewOrganisation } from "../../../api/admin.ts";
import { countOf, listOf } from "../../../kit/words.ts";

export type Preview = Awaited<ReturnType<typeof previewOrganisation>>;
type Moved = Preview["joining"];

/** The number of people who are named. More are counted. */
const NAMED = 5;

/** Wraps a text in Unicode isolates, so that right-to-left letters do not reorder the sentence around it. */
const isolated = (text: string): string => `\u2068${text}\u2069`;

/** Returns the domains in a text, one a line or separated by commas or spaces, in lower case. People also write them as `@acme.test`. */
export const domainsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((each) => each.replace(/^@/, "").toLowerCase())
      .filter((each) => each !== ""),
  ),
];

/** Returns what is wrong with the first domain that cannot be one, or null. */
export function domainFault(domains: readonly string[]): string | null {
  const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  const bad = domains.find((each) => each.length > 253 || !new RegExp(`^${label}(\\.${label})*$`).test(each));
  if (bad !== undefined) return `“${isolated(bad)}” is not a domain, such as acme.com, in ASCII letters.`;
  return domains.length > 100 ? "An organisation has at most 100 domains." : null;
}

function movedWords({ count, people }: Moved, what: string): string[] {
  if (count === 0) return [];
  const names = people.slice(0, NAMED).map(({ email }) => isolated(email));
  const rest = count - names.length;
  return [
    `${countOf(count, "person", "people")} ${what}: ${listOf(rest > 0 ? [...names, countOf(rest, "other")] : names)}.`,
  ];
}

/** Whether a change would change anybody's access. */
export const changesAccess = ({ joining, leaving, taken }: Preview): boolean =>
  joining.count > 0 || leaving.count > 0 || taken.length > 0;

/** Returns what a change of domains would mean, a sentence each. */
export function previewWords({ joining, leaving, taken, canvases }: Preview): string[] {
  const shared = countOf(canvases, "canvas that all members may open", "canvases that all members may open");
  const open = canvases === 0 ? "" : `, which opens ${shared}`;
  const close = canvases === 0 ? "" : `, which closes ${shared}`;
  return [
    ...taken.map(
      ({ domain, org }) => `${isolated(domain)} moves here from ${isolated(org.name)}, which loses it.`,
    ),
    ...movedWords(joining, `${joining.count === 1 ? "becomes a member" : "become members"}${open}`),
    ...movedWords(
      leaving,
      `${leaving.count === 1 ? "is" : "are"} not ${leaving.count === 1 ? "a member" : "members"} any more${close}`,
    ),
  ];
}
