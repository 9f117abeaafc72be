import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { PAGES } from "../../src/docs/pages.ts";

for (const [name, print] of Object.entries(PAGES)) {
  test(`docs/${name} is what its table prints`, async () => {
    const file = path.join(import.meta.dirname, "../../../../docs", name);
    assert.equal(await readFile(file, "utf8"), print(), "run `npm run docs`");
  });
}
