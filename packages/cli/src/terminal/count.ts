/** Formats a number of things, such as `1 file` or `3 files`. */
export const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? "" : "s"}`;
