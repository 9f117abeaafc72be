import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { PAGES, printPage } from "../../src/docs/pages.ts";
import { ACTS } from "../../src/management/acts.ts";

const TEMPLATES = path.join(import.meta.dirname, "../../src/docs/templates");

for (const name of PAGES) {
  test(`docs/${name} is up to date with its template and tables`, () => {
    const file = path.join(import.meta.dirname, "../../../../docs", name);
    assert.equal(readFileSync(file, "utf8"), printPage(name), "run `npm run docs`");
  });
}

test("every template is printed", () => {
  assert.deepEqual(readdirSync(TEMPLATES).sort(), PAGES.toSorted());
});

test("every act is in the docs of the management API", () => {
  const page = printPage("management-api.md");
  for (const { name, method, path: route, summary } of ACTS) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
    assert.ok(row?.includes(`\`${method} ${route}`) && row.includes(summary), name);
  }
});
