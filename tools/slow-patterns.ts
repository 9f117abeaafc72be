import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { analyse } from "scslre";
import { parseSync, Visitor } from "vite";

const ROOT = path.join(import.meta.dirname, "..");

/** A regular expression in a file that can take more than linear time. `line` is counted from 1. */
interface SlowPattern {
  line: number;
  pattern: string;
  /** A text that takes long when it is repeated, or null if none is known. */
  repeated: string | null;
}

const isRepeated = ({ max }: AST.Quantifier) => max === Number.POSITIVE_INFINITY;

/** Whether a repetition matches characters up to the end of the text, or of the line if no line break has to follow. */
function isEndless({ element, parent, ...quantifier }: AST.Quantifier, dotAll: boolean): boolean {
  if (element.type === "CharacterClass") {
    const escapes = element.elements
      .filter(({ type }) => type === "CharacterSet")
      .map(({ raw }) => raw.toLowerCase());
    return element.elements.length === 0 || new Set(escapes).size < escapes.length;
  }
  if (element.type !== "CharacterSet" || element.kind !== "any") return false;
  const siblings = parent.type === "Alternative" ? parent.elements : [];
  const next = siblings[siblings.findIndex(({ start }) => start === quantifier.start) + 1];
  return dotAll || next?.raw !== "\\n";
}

/**
 * Whether a repeated group contains a repetition of all characters, as in `(<.*?>)*`: that repetition can end in as many places as the group
 * has repetitions. `analyse` does not report this.
 */
function hasNestedRepetition(source: string, flags: string): boolean {
  let found = false;
  const groups: AST.Quantifier[] = [];
  const unicode = flags.includes("u");
  const parsed = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode,
    unicodeSets: flags.includes("v"),
  });
  visitRegExpAST(parsed, {
    onQuantifierEnter(quantifier) {
      if (!isRepeated(quantifier)) return;
      found ||= groups.length > 0 && isEndless(quantifier, flags.includes("s"));
      groups.push(quantifier);
    },
    onQuantifierLeave(quantifier) {
      if (groups.at(-1) === quantifier) groups.pop();
    },
  });
  return found;
}

/** Returns the literals of regular expressions in a file that can take more than linear time for a text. */
export function slowPatterns(file: string, code: string): SlowPattern[] {
  const { program, errors } = parseSync(file, code);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const slow: SlowPattern[] = [];
  const check = (source: string, flags: string, start: number) => {
    const { reports } = analyse({ source, flags }, { maxReports: 1 });
    if (reports.length === 0 && !hasNestedRepetition(source, flags)) return;
    const line = code.slice(0, start).split("\n").length;
    slow.push({ line, pattern: `/${source}/${flags}`, repeated: reports[0]?.character.pick ?? null });
  };
  new Visitor({
    Literal(node) {
      if ("regex" in node) check(node.regex.pattern, node.regex.flags, node.start);
    },
  }).visit(program);
  return slow;
}

if (import.meta.main) {
  const files = globSync("{bench,examples,packages,tools}/**/*.{js,ts,tsx}", {
    cwd: ROOT,
    exclude: (name) => /(^|\/)(node_modules|dist)(\/|$)/.test(name),
  });
  for (const file of files.sort()) {
    for (const { line, pattern, repeated } of slowPatterns(
      file,
      readFileSync(path.join(ROOT, file), "utf8"),
    )) {
      const why =
        repeated === null
          ? "repeats a group that repeats any character"
          : `for a long text of ${JSON.stringify(repeated)}`;
      process.stderr.write(`${file}:${line}: ${pattern} can take more than linear time: ${why}\n`);
      process.exitCode = 1;
    }
  }
}
