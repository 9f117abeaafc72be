/** What the address of the screen can have: the address of a person to share with, as in the mail in which they ask for access. */
export interface SharingSearch {
  add?: string | undefined;
}

/** The length at which a text of the address ends, in UTF-16 units: that of the longest e-mail address. */
const MAX_TEXT = 254;

/** Reads the search parameters of an address, which anybody can write. What `add` is, `proposedIn` tells: the first load has this file. */
export const parseSharingSearch = ({ add }: Record<string, unknown>): SharingSearch =>
  typeof add === "string" && add !== "" ? { add: add.slice(0, MAX_TEXT) } : {};
