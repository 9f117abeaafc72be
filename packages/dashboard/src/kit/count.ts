const whole = new Intl.NumberFormat("en");

/** Returns a number of things in words, such as "1 file" or "1,280 files". */
export const countOf = (number: number, thing: string): string =>
  `${whole.format(number)} ${thing}${number === 1 ? "" : "s"}`;
