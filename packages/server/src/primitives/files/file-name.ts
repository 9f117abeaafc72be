import { LIMITS } from "@easel/protocol/limits";

const NAME_LENGTH = LIMITS.fileNameLength.value;

/** The name of a file that was uploaded without one. */
const DEFAULT_NAME = "upload";

/**
 * Matches control characters, line breaks, and invisible characters that change the direction of text. The latter can make the name of a
 * program look like the name of a picture.
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Returns a file name without the path before it, hidden characters, and spaces around it. Returns an empty text if nothing but dots is left.
 * Uploads and renames clean names instead of refusing them: names come from the disks of people, where marks of direction are common in
 * right-to-left scripts, and a refusal would cost an upload that has been sent.
 */
function cleaned(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const name = last.replace(HIDDEN, "").trim();
  return /^\.*$/.test(name) ? "" : name;
}

/** Returns the cleaned name of an uploaded file, of at most 255 characters, or `upload` if nothing is left. */
export const storedName = (given: string | undefined): string =>
  cleaned(cut(cleaned(given ?? ""))) || DEFAULT_NAME;

/** Returns the cleaned name for a rename. Returns null if that does not have 1 to 255 characters (specification 4.4). */
export function newName(given: unknown): string | null {
  const name = typeof given === "string" ? cleaned(given) : "";
  return name !== "" && name.length <= NAME_LENGTH ? name : null;
}

/** Returns the name under which a browser saves a file. Replaces slashes, which names from earlier renames can contain. */
export const downloadName = (name: string): string => name.replace(/[/\\]/g, "_");

/** Shortens a name to 255 characters, and keeps an extension of up to 20 characters. */
function cut(name: string): string {
  if (name.length <= NAME_LENGTH) return name;
  const [extension = ""] = /\.[^.]{1,20}$/.exec(name) ?? [];
  // Never cuts a surrogate pair in two.
  return name.slice(0, NAME_LENGTH - extension.length).replace(/[\ud800-\udbff]$/, "") + extension;
}
