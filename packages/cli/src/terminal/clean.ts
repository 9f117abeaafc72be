/** Matches control characters (C0, delete and C1), and characters that break lines or change the direction of text. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Escapes characters that could control a terminal or hide text, such as `\u001b`. Use it for every text from the service, from other
 * people or from file names that becomes part of a line, so that it cannot begin a line of its own.
 */
export const clean = (text: string): string => text.toWellFormed().replace(UNSAFE, escaped);

/**
 * Escapes the same characters except line breaks and tabs. The terminal does so with everything that it prints. JSON stays JSON with the same
 * value, because such characters can only be in its strings.
 */
export const cleanLines = (text: string): string =>
  text
    .toWellFormed()
    .replace(UNSAFE, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
