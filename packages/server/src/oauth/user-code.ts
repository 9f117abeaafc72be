import { randomInt } from "node:crypto";

/** The letters of user codes: no vowels, so that no words result, and none that look alike (RFC 8628, section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** Creates a code of 8 letters, which has 34 bits. */
export const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");

/** Formats a user code for people: `WDJB-MJHT`. */
export const formatUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Returns the user code that a person has typed, in any case and with or without dashes and spaces; null if the text is none. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[\s\p{P}]/gu, "");
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : null;
}
