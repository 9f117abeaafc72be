/** A deliberate mistake in the code that the suite should catch. */
export interface Fault {
  title: string;
  /** The path of the changed file from the root of the checkout. The paths in `tests` start there, too. */
  file: string;
  /** The text that is replaced. It occurs exactly once in the file. */
  search: string;
  replacement: string;
  /** The paths of the test files that should catch the fault. They run first. */
  tests: string[];
}

/** Builds a fault from its parts. */
export const fault = (
  title: string,
  file: string,
  search: string,
  replacement: string,
  ...tests: string[]
): Fault => ({
  title,
  file,
  search,
  replacement,
  tests,
});
