import { randomInt } from "node:crypto";

/** The letters of user codes. They have no vowels, so that they form no words, and no letters that look alike (RFC 8628, section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** Creates a user code of 8 letters, which has 34 bits of entropy. */
export const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");

/** Formats a user code for people: `WDJB-MJHT`. */
export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/**
 * Reads a user code that a person has typed, in any case, with or without dashes and spaces. Returns null if the text is not a user code.
 */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[\s\p{P}]/gu, "");
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : null;
}
