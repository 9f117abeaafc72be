import type { Work } from "../async/work.ts";
import { refuse } from "../http/refusal.ts";

/** The most characters of all patterns of a call with `*` or `?`: the time that they take grows with them and with the paths. */
const MAX_PATTERNS_LENGTH = 500;
/** Gets the number of characters that have been compared. */
type Count = (characters: number) => void;

const INSTEAD = "Call `read_files` without `paths` for the list, then name the files.";

const STAR = "*".charCodeAt(0);
const ANY = "?".charCodeAt(0);

/** Whether a name matches a pattern with `*` and `?`. The time is at most the product of the lengths, whatever the pattern. */
function nameMatches(pattern: string, name: string, count: Count): boolean {
  let [at, from] = [0, 0];
  let star = -1;
  let tried = 0;
  let compared = 0;
  while (from < name.length) {
    compared++;
    const wanted = at < pattern.length ? pattern.charCodeAt(at) : Number.NaN;
    if (wanted === STAR) {
      star = at++;
      tried = from;
    } else if (wanted === ANY || wanted === name.charCodeAt(from)) {
      at++;
      from++;
    } else if (star >= 0) {
      // The last star takes one more character. Earlier ones need not: what came before it has matched already.
      at = star + 1;
      from = ++tried;
    } else break;
  }
  count(compared);
  if (from < name.length) return false;
  while (pattern.charCodeAt(at) === STAR) at++;
  return at === pattern.length;
}

/** Whether the segments of a path match those of a pattern, of which `**` stands for any number of segments. */
function segmentsMatch(pattern: string[], path: string[], count: Count): boolean {
  // `reached[n]` says whether the segments of the pattern so far match the first n segments of the path.
  let reached = path.map(() => false);
  reached = [true, ...reached];
  for (const segment of pattern) {
    const next = reached.map(() => false);
    count(path.length);
    for (let end = 0; end <= path.length; end++)
      next[end] =
        segment === "**"
          ? reached[end] === true || (end > 0 && next[end - 1] === true)
          : end > 0 && reached[end - 1] === true && nameMatches(segment, path[end - 1] as string, count);
    reached = next;
  }
  return reached[path.length] === true;
}

const isGlob = (pattern: string): boolean => /[*?]/.test(pattern);

/**
 * Returns a function that says whether the path of a file matches a pattern: the path itself, `dir/` for all that is below a folder, or a
 * pattern with `*` and `?` within a name and `**` for any folders. A pattern without a slash, such as `*.js`, is for files in every folder.
 * `count` is called with what has been compared.
 */
export function pathMatcher(given: string, count: Count = () => {}): (path: string) => boolean {
  const pattern = given.replace(/^(\.?\/)+/, "");
  if (pattern === "" || pattern.endsWith("/")) return (path) => path.startsWith(pattern);
  if (!isGlob(pattern)) return (path) => path === pattern;
  const segments = pattern.includes("/") ? pattern.split("/") : ["**", pattern];
  return (path) => path === pattern || segmentsMatch(segments, path.split("/"), count);
}

/**
 * Returns the files whose paths match any of the patterns, in their order, and the patterns that match none. Counts the compared characters
 * as work. Throws 400 `INVALID_BODY` if the patterns are too long together, or take too much work.
 */
export async function matchingFiles<File extends { path: string }>(
  files: readonly File[],
  given: readonly string[],
  work: Work,
): Promise<{ wanted: File[]; missing: string[] }> {
  if (given.filter(isGlob).join("").length > MAX_PATTERNS_LENGTH)
    refuse("INVALID_BODY", {
      message: `The globs in \`paths\` must have at most ${MAX_PATTERNS_LENGTH} characters together.`,
      hint: INSTEAD,
      field: "paths",
    });
  const count = (characters: number) => work.spend("characters", characters, INSTEAD);
  const patterns = [...new Set(given)].map((each) => ({ given: each, matches: pathMatcher(each, count) }));
  const found = new Set<string>();
  const wanted: File[] = [];
  for (const file of files) {
    await work.pause();
    const matching = patterns.filter(({ matches }) => matches(file.path));
    for (const each of matching) found.add(each.given);
    if (matching.length > 0) wanted.push(file);
  }
  return { wanted, missing: patterns.flatMap(({ given: each }) => (found.has(each) ? [] : [each])) };
}
