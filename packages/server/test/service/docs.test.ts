import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { PAGES, printPage } from "../../src/docs/pages.ts";
import { ACTS } from "../../src/management/acts.ts";
import { primitives } from "../../src/primitives/index.ts";
import { pathOf } from "../../src/primitives/operation.ts";
import { filesOf, ROOT } from "../support/import-tests.ts";
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
  for (const { routes } of primitives)
    for (const [route, handlers] of Object.entries(routes)) {
      const path = pathOf(route);
      const methods = Object.keys(handlers).filter((method) => !["every", "upgrade"].includes(method));
      const rows = page.split("\n");
      for (const method of methods)
        assert.ok(
          rows.some((row) => row.includes(`\`${method} ${path}`)),
          `${method} ${path}`,
        );
      if (handlers.every !== undefined) assert.ok(page.includes(path), path);
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

test("every page of docs/ that the code and the pages name exists", () => {
  const sources = filesOf([
    "packages/*/{src,test}/**/*.ts",
    "examples/**/*.{ts,js,html}",
    "*.md",
    "decisions/*.md",
  ]);
  const dead = sources.flatMap((file) =>
    [...textOf(file).matchAll(/(?<![\w/])docs\/[\w/-]+\.md\b/g)]
      .map(([page]) => page)
      .filter((page) => !existsSync(path.join(ROOT, page)))
      .map((page) => `${file}: ${page}`),
  );
  assert.deepEqual(dead, []);
});
