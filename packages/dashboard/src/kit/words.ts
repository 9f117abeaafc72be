const whole = new Intl.NumberFormat("en");
const conjunction = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** Returns a number of things in words, such as "1 file", "1,280 files" or "2 people". */
export const countOf = (number: number, thing: string, things = `${thing}s`): string =>
  `${whole.format(number)} ${number === 1 ? thing : things}`;

/** Joins texts as "a, b and c". */
export const listOf = (texts: readonly string[]): string => conjunction.format(texts);

/** Wraps a name in Unicode isolates, so that one in right-to-left letters does not reorder the sentence around it. */
export const isolated = (name: string): string => `\u2068${name}\u2069`;
