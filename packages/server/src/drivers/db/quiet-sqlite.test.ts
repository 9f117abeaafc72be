import assert from "node:assert/strict";
import { test } from "node:test";
import { quietSqlite } from "./quiet-sqlite.ts";

test("the warning that SQLite is experimental is suppressed, and no other", (t) => {
  const warnings: string[] = [];
  const { emitWarning } = process;
  t.after(() => {
    process.emitWarning = emitWarning;
  });
  process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
  quietSqlite();
  process.emitWarning(
    "SQLite is an experimental feature and might change at any time",
    "ExperimentalWarning",
  );
  process.emitWarning("buffer() is deprecated", "DeprecationWarning");
  assert.deepEqual(warnings, ["buffer() is deprecated"]);
});
