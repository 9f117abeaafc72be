import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { AREA_NAMES, AREAS, areasOf, filesOf, groupsOf, ROOT, testsOf } from "../areas.ts";
import { FAULTS } from "../mutants/faults.ts";

const every = filesOf(["{packages,examples}/**/*.test.ts"]);

test("every test file belongs to one area, and `npm test` runs it once", () => {
  assert.ok(every.length > 300);
  assert.deepEqual(AREA_NAMES.flatMap(testsOf).sort(), every);
  const groups = groupsOf(AREA_NAMES);
  assert.deepEqual(groups.flatMap(({ files }) => files).sort(), every);
  assert.equal(new Set(groups.map(({ title }) => title)).size, groups.length);
});

test("every file with sources belongs to one area", () => {
  const sources = filesOf([
    "packages/{server,cli,sdk,react,protocol,conformance}/src/**/*.ts",
    "packages/server/migrations/**/*.sql",
  ]).filter((file) => !file.endsWith(".test.ts"));
  assert.ok(sources.length > 500);
  assert.deepEqual(
    sources.filter((file) => areasOf([file]).length !== 1).map((file) => `${file}: ${areasOf([file])}`),
    [],
  );
});

test("every source in the table of areas exists", () => {
  for (const { sources } of Object.values(AREAS))
    for (const pattern of sources) assert.notDeepEqual(filesOf([pattern]), [], pattern);
});

test("the code that each fault of `npm run mutants` changes occurs once in its file", () => {
  const occurrences = ({ file, search }: (typeof FAULTS)[number]) =>
    readFileSync(path.join(ROOT, file), "utf8").split(search).length - 1;
  const stale = FAULTS.filter((fault) => occurrences(fault) !== 1).map(({ title }) => title);
  assert.ok(FAULTS.length > 300);
  assert.deepEqual(stale, []);
});
