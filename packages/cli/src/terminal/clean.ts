/** Matches control characters, and characters that change the direction of text. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Replaces characters that could control a terminal or hide text with `�`. Use it for every text from the service, from other people or
 * from file names.
 */
export const clean = (text: string): string => text.toWellFormed().replace(UNSAFE, "\ufffd");
