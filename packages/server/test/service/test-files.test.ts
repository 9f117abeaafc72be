import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { FAULTS } from "../mutants/faults.ts";
import { filesOf, filesOfGroup, GROUPS, ROOT } from "../support/import-tests.ts";

const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
const patterns = [...scripts.test.matchAll(/'([^']+\.test\.ts)'/g)].map(([, pattern]) => pattern as string);
const isGroup = (file: string) => file.startsWith("packages/server/test/groups/");

test("`npm test` runs every test file once, alone or in a group", () => {
  assert.ok(patterns.length > 2);
  const names = Object.keys(GROUPS) as (keyof typeof GROUPS)[];
  const started = filesOf(patterns);
  const run = [...started.filter((file) => !isGroup(file)), ...names.flatMap(filesOfGroup)].sort();
  const every = filesOf(["{packages,examples}/**/*.test.ts"]).filter((file) => !isGroup(file));
  assert.deepEqual(run, every);
  assert.deepEqual(
    started.filter(isGroup),
    names.map((name) => `packages/server/test/groups/${name}.test.ts`).sort(),
  );
});

test("the code that each fault of `npm run mutants` changes occurs once in its file", () => {
  const occurrences = ({ file, search }: (typeof FAULTS)[number]) =>
    readFileSync(path.join(ROOT, file), "utf8").split(search).length - 1;
  const stale = FAULTS.filter((fault) => occurrences(fault) !== 1).map(({ title }) => title);
  assert.ok(FAULTS.length > 300);
  assert.deepEqual(stale, []);
});
