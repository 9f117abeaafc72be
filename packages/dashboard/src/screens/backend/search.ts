import type { EntryName } from "./policy/document.ts";

/** What the address of the screen keeps. */
export interface BackendSearch {
  /** The entry of the policy that gets the focus, as `entryAddress` writes it: `collections.ideas`. */
  entry?: string;
}

/** The length at which a text of the address ends, in UTF-16 units. */
const MAX_TEXT = 200;

/** Reads the search parameters of an address, which anybody can write. */
export const parseBackendSearch = ({ entry }: Record<string, unknown>): BackendSearch => ({
  entry: typeof entry === "string" && entry !== "" ? entry.slice(0, MAX_TEXT) : undefined,
});

/** Returns how an address names an entry of the policy. */
export const entryAddress = ({ section, name }: EntryName): string => `${section}.${name}`;

/** Returns the entry of the policy that an address names, one of `sections`. Null if it names none. */
export function entryOfAddress<In extends string>(
  text: string | undefined,
  sections: readonly In[],
): { section: In; name: string } | null {
  const section = sections.find((each) => text?.startsWith(`${each}.`));
  const name = text?.slice((section?.length ?? 0) + 1) ?? "";
  return section === undefined || name === "" ? null : { section, name };
}
