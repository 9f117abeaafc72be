/** Whether a name matches a pattern with `*` and `?`. The time is at most the product of the lengths, whatever the pattern. */
function nameMatches(pattern: string, name: string): boolean {
  let [at, from] = [0, 0];
  let star = -1;
  let tried = 0;
  while (from < name.length) {
    if (pattern[at] === "*") {
      star = at++;
      tried = from;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[from])) {
      at++;
      from++;
    } else if (star >= 0) {
      // The last star takes one more character. Earlier ones need not: what came before it has matched already.
      at = star + 1;
      from = ++tried;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

/** Whether the segments of a path match those of a pattern, of which `**` stands for any number of segments. */
function segmentsMatch(pattern: string[], path: string[]): boolean {
  // `reached[n]` says whether the segments of the pattern so far match the first n segments of the path.
  let reached = path.map(() => false);
  reached = [true, ...reached];
  for (const segment of pattern) {
    const next = reached.map(() => false);
    for (let end = 0; end <= path.length; end++)
      next[end] =
        segment === "**"
          ? reached[end] === true || (end > 0 && next[end - 1] === true)
          : end > 0 && reached[end - 1] === true && nameMatches(segment, path[end - 1] as string);
    reached = next;
  }
  return reached[path.length] === true;
}

/**
 * Returns a function that says whether the path of a file matches a pattern: the path itself, `dir/` for all that is below a folder, or a
 * pattern with `*` and `?` within a name and `**` for any folders. A pattern without a slash, such as `*.js`, is for files in every folder.
 */
export function pathMatcher(given: string): (path: string) => boolean {
  const pattern = given.replace(/^(\.?\/)+/, "");
  if (pattern === "" || pattern.endsWith("/")) return (path) => path.startsWith(pattern);
  if (!/[*?]/.test(pattern)) return (path) => path === pattern;
  const segments = pattern.includes("/") ? pattern.split("/") : ["**", pattern];
  return (path) => path === pattern || segmentsMatch(segments, path.split("/"));
}
