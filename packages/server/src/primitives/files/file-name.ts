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
 * Returns the name under which an uploaded file is stored: the last part of the path that the client sends, without hidden characters, of
 * at most 255 characters. A name that is empty or consists of dots becomes `upload`.
 */
export function storedName(given: string | undefined): string {
  const last = given?.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const name = cut(last.replace(HIDDEN, "").trim());
  return /^\.*$/.test(name) ? DEFAULT_NAME : name;
}

/** Returns the name under which a browser saves a file. Replaces slashes, which the name can contain after a rename. */
export const downloadName = (name: string): string => name.replace(/[/\\]/g, "_");

/** Shortens a name to 255 characters, and keeps an extension of up to 20 characters. */
function cut(name: string): string {
  if (name.length <= NAME_LENGTH) return name;
  const [extension = ""] = /\.[^.]{1,20}$/.exec(name) ?? [];
  // Never cuts a surrogate pair in two.
  return name.slice(0, NAME_LENGTH - extension.length).replace(/[\ud800-\udbff]$/, "") + extension;
}

/**
 * Returns the trimmed new name for a rename, or null if it is invalid. A valid name is a text of 1 to 255 characters without hidden
 * characters.
 */
export function newName(given: unknown): string | null {
  if (typeof given !== "string" || !given.isWellFormed()) return null;
  const name = given.trim();
  return name !== "" && name.length <= NAME_LENGTH && name.search(HIDDEN) === -1 ? name : null;
}
