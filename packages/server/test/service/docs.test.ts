import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { PAGES, printPage } from "../../src/docs/pages.ts";
import { ACTS } from "../../src/management/acts.ts";
import { primitives } from "../../src/primitives/index.ts";
import { filesOf, ROOT } from "../areas.ts";
import { anchorOf } from "../support/samples.ts";

const TEMPLATES = path.join(import.meta.dirname, "../../src/docs/templates");

for (const name of PAGES) {
  test(`docs/${name} is up to date with its template and tables`, () => {
    const file = path.join(import.meta.dirname, "../../../../docs", name);
    assert.equal(readFileSync(file, "utf8"), printPage(name), "run `npm run docs`");
  });
}

test("every template is printed", () => {
  const files = readdirSync(TEMPLATES, { recursive: true, encoding: "utf8" });
  assert.deepEqual(files.filter((file) => file.endsWith(".md")).sort(), PAGES.toSorted());
});

test("every act is in the docs of the management API", () => {
  const page = printPage("http/management.md");
  for (const { name, method, path: route, summary } of ACTS) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
    assert.ok(row?.includes(`\`${method} ${route}`) && row.includes(summary), name);
  }
});

test("every route of the runtime API is in its docs", () => {
  const page = printPage("http/runtime.md");
  const rows = page.split("\n");
  for (const { operations, takesEveryMethod } of primitives)
    for (const { method, path } of operations) {
      const found = takesEveryMethod
        ? page.includes(path)
        : rows.some((row) => row.includes(`\`${method} ${path}`));
      assert.ok(found, `${method} ${path}`);
    }
});

/** The Markdown files that are written for this project, without those of installed packages. */
const READ = filesOf([
  "*.md",
  "docs/**/*.md",
  "decisions/*.md",
  "packages/*/README.md",
  "examples/*/README.md",
]);

const textOf = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

/** Returns a page without its code, in which brackets are no links. */
const proseOf = (file: string) =>
  textOf(file)
    .replaceAll(/^(```|~~~)[\s\S]*?^\1$/gm, "")
    .replaceAll(/`[^`\n]*`/g, "code");

/** Returns the fragments that lead to the headings of a page. */
function anchorsOf(file: string): string[] {
  const text = textOf(file).replaceAll(/^(```|~~~)[\s\S]*?^\1$/gm, "");
  const anchors: string[] = [];
  for (const [, heading = ""] of text.matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading);
    const earlier = anchors.filter((each) => each.replace(/-\d+$/, "") === anchor).length;
    anchors.push(earlier === 0 ? anchor : `${anchor}-${earlier}`);
  }
  return anchors;
}

test("every link of a page leads to a file and a heading that exist", () => {
  const dead: string[] = [];
  let links = 0;
  for (const file of READ)
    for (const [, target = ""] of proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      links += 1;
      const [name = "", fragment] = target.split("#");
      const linked = name === "" ? file : path.posix.join(path.posix.dirname(file), name);
      const exists = existsSync(path.join(ROOT, linked));
      if (!exists || (fragment !== undefined && !anchorsOf(linked).includes(fragment)))
        dead.push(`${file}: ${target}`);
    }
  assert.deepEqual(dead, []);
  assert.ok(links > 100, `${links}`);
});

/** The files that cite the documentation: code, its tests, and pages. */
const CITING = filesOf([
  "packages/*/{src,test,bar}/**/*.{ts,tsx}",
  "examples/**/*.{ts,js,html}",
  "*.md",
  "decisions/*.md",
]);

test("every page of docs/ that the code and the pages name exists, and so does its heading", () => {
  const dead = CITING.flatMap((file) =>
    [...textOf(file).matchAll(/(?<![\w/])(docs\/[\w/-]+\.md)\b(?:#([\w-]+))?/g)]
      .filter(
        ([, page = "", heading]) =>
          !existsSync(path.join(ROOT, page)) || (heading !== undefined && !anchorsOf(page).includes(heading)),
      )
      .map(([citation]) => `${file}: ${citation}`),
  );
  assert.deepEqual(dead, []);
});

/** Returns the rules of each section of the contract, with the title of the section as rule 0; a section has those of its subsections too. */
function rulesOf(contract: string): Map<string, string[]> {
  const rules = new Map<string, string[]>();
  for (const [, chapter = "", part, text = ""] of contract.matchAll(
    /^#+ (\d+)(\.\d+)? (.+\n(?:(?!#).*\n)*)/gm,
  )) {
    const [title = "", ...list] = text.split(/^\d+\. /m);
    if (part !== undefined) rules.get(chapter)?.push(...list);
    rules.set(chapter + (part ?? ""), [title, ...list]);
  }
  return rules;
}

/**
 * Matches the citations of the contract: a section, then its steps or a name that one of its rules has, then perhaps another section. Line
 * breaks in comments are spaces by then.
 */
const CITATION =
  /\bspecification,? \(?(\d[\d.]*\b)(?:, (?:steps? (\d(?:(?:, | and | to )\d\b(?!\.))*)|([^()\d]+)(?=\))))?(?:,? and (\d[\d.]*\b))?/gi;

/** Returns the citations in a text, and those of them that lead to no rule. */
function citationsIn(text: string, rules: Map<string, string[]>): { all: string[]; dead: string[] } {
  const found = [...text.replaceAll(/\n *(?:\*|\/\/)? */g, " ").matchAll(CITATION)];
  const dead = found.filter(([, section = "", steps = "", name = "", other = section]) => {
    const cited = rules.get(section) ?? [];
    const numbers = steps.match(/\d+/g) ?? ["1"];
    const named = name.replaceAll("`", "").toLowerCase();
    return (
      numbers.some((number) => cited[Number(number)] === undefined) ||
      !cited.some((rule) => rule.toLowerCase().includes(named)) ||
      rules.get(other)?.[1] === undefined
    );
  });
  return { all: found.map(([citation]) => citation), dead: dead.map(([citation]) => citation) };
}

test("every citation of the specification leads to a rule of docs/contract.md", () => {
  const rules = rulesOf(textOf("docs/contract.md"));
  const citations = CITING.map((file) => ({ file, ...citationsIn(textOf(file), rules) }));
  assert.deepEqual(
    citations.flatMap(({ file, dead }) => dead.map((citation) => `${file}: ${citation}`)),
    [],
  );
  assert.ok(citations.flatMap(({ all }) => all).length > 150);
});

test("every rule of the contract links to a page that explains it, and is one sentence", () => {
  for (const [, rule = ""] of textOf("docs/contract.md").matchAll(/^\d+\. (.+\n(?: {3}.+\n)*)/gm)) {
    assert.match(rule, /\]\([\w/-]+\.md(#[\w-]+)?\)/, rule);
    assert.doesNotMatch(rule.replaceAll(/`[^`]*`/g, ""), /[.!?] [A-Z]/, rule);
  }
});

test("a citation of a section, step or name that the contract does not have is found", () => {
  const rules = rulesOf(
    "# Contract\n\n## 3 States\n\n## 4 Endpoints\n\n### 4.1 Checks\n\n1. **Sign-in**: a\n   rule.\n2. `B`: a rule.\n",
  );
  const deadIn = (text: string) => citationsIn(text, rules).dead;
  assert.deepEqual(
    deadIn(
      "/** A (specification 4.1, steps 1 and 2), of specification 4 or\n * (specification\n * 4.1, `B`). */",
    ),
    [],
  );
  for (const wrong of [
    "3",
    "4.10",
    "4.1, step 3",
    "4.1, steps 1 to 3",
    "4.1, `NONE`",
    "4.1 and 5",
    "4.1, step 1, and 5",
  ])
    assert.equal(deadIn(`(specification ${wrong})`).length, 1, wrong);
});

test("nothing cites a document that the repository does not have", () => {
  const dead = CITING.filter((file) => /\bmanagement API,\s[\s*]*sections? \d/.test(textOf(file)));
  assert.deepEqual(dead, []);
});

const DECISIONS = filesOf(["decisions/[0-9]*.md"]).map((file) => path.basename(file));

test("every decision that the code and the pages cite exists", () => {
  const numbers = new Set(DECISIONS.map((file) => file.slice(0, 3)));
  const dead = CITING.flatMap((file) =>
    [...textOf(file).matchAll(/\bdecisions?[ /](\d{3})([\w-]*\.md)?/g)]
      .filter(([, number = "", rest]) => (rest ? !DECISIONS.includes(number + rest) : !numbers.has(number)))
      .map(([citation]) => `${file}: ${citation}`),
  );
  assert.deepEqual(dead, []);
});

test("the lines of the log that the pages quote are texts of the service", () => {
  const texts = filesOf(["packages/server/src/**/*.ts"]).map(textOf).join("\n");
  /** A quoted line: words that begin as the lines do. `…` stands for what differs. */
  const QUOTED = /`((?:a|the|node|encrypted)(?: [\w…:]+){2,})`/g;
  const quoted = filesOf(["docs/**/*.md"]).flatMap((page) =>
    [...textOf(page).replaceAll("\n", " ").matchAll(QUOTED)].map(([, line = ""]) => ({ page, line })),
  );
  assert.ok(quoted.length >= 15, `${quoted.length}`);
  const wrong = quoted.filter(({ line }) => {
    const [first = "", ...rest] = line.split(/…|\d+/).map((part) => part.trim());
    return (
      ![...`"\``].some((quote) => texts.includes(quote + first)) ||
      !rest.every((part) => texts.includes(part))
    );
  });
  assert.deepEqual(wrong, []);
});

/** Names in the pages that are no files of the repository: what the build makes, and what the style forbids. */
const NO_FILES = ["dist/", "utils.ts"];

test("every file and folder that the decisions, the threat model and the pages for contributors name exists", () => {
  const known = filesOf(["*.md", "{bench,decisions,docs,examples,packages,tools}/**"]).map(
    (file) => `/${file}`,
  );
  const exists = (name: string) => {
    const ending = name
      .replace(/\/$/, "")
      .replaceAll(/[.]/g, "\\.")
      .replaceAll(/\*|\{\w+\}/g, "[^/]+");
    return known.some((file) => new RegExp(`/${ending}$`).test(file));
  };
  const missing = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "RELEASING.md",
    "docs/threat-model.md",
    "docs/asvs.md",
    ...filesOf(["decisions/*.md"]),
  ].flatMap((page) =>
    [...textOf(page).matchAll(/`(\w[\w.{}*/-]*(?:\.(?:tsx?|sql|md)|\/))`/g)]
      .filter(([, name = ""]) => !NO_FILES.includes(name) && !exists(name))
      .map(([, name]) => `${page}: ${name}`),
  );
  assert.deepEqual(missing, []);
});
