/*
 * Cells of CSV files whose texts anybody may have written. A spreadsheet runs a cell as a formula that begins with one of some signs. It may split
 * a line at other characters than the file was written with, as Excel does at semicolons in most of Europe; a quote in the middle of such a
 * cell quotes nothing, so that each part of the text becomes a cell.
 */

/** Signs with which a formula begins. */
const SIGN = "[=+\\-@\uff1d\uff0b\uff0d\uff20]";

/** Where a formula can begin after a separator: quotes before it are dropped. The comma is that of the file, and JSON has numbers after it. */
const AFTER_SEPARATOR = `(?<=[;|\\t\\r\\n])MARK(?=["']*${SIGN})|(?<=,)MARK(?='*${SIGN})(?!'*-\\d[\\d.eE+-]*(?:[,}\\]]|$))`;

/** Where a formula can begin: also a cell that begins with a tab or a line break is run by some programs. */
const BEGINNING = `^MARK(?='*(?:${SIGN}|[\\t\\r\\n]))`;

const patternWith = (mark: string): RegExp =>
  new RegExp(`${BEGINNING}|${AFTER_SEPARATOR}`.replaceAll("MARK", mark), "g");

const UNGUARDED = patternWith("");
const GUARDED = patternWith("'");

/**
 * Returns a text in which no spreadsheet finds a formula: an apostrophe stands before each place where one could begin, at the beginning and after
 * each character that separates cells (comma, semicolon, tab, bar and line breaks).
 */
export const guardCell = (text: string): string => text.replace(UNGUARDED, "'");

/** Returns the text that `guardCell` was given. */
export const unguardCell = (text: string): string => text.replace(GUARDED, "");
