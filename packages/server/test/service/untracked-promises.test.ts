import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";

const PRELOAD = path.join(import.meta.dirname, "../support/untracked-promises.ts");

/** Runs tests in a process that preloads `untracked-promises.ts`. Returns the lines of the report that are about tests. */
function report(program: string): string[] {
  const imports = `import { describe, it } from "node:test"; import { setImmediate as turn } from "node:timers/promises";`;
  const args = ["--import", PRELOAD, "--test-reporter=tap", "--input-type=module", "-e", imports + program];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  return stdout.split("\n").filter((line) => /^ *(not )?ok /.test(line));
}

for (const [what, statement] of [
  ["rejection", "void turn().then(() => { throw new Error(); });"],
  ["exception", "setImmediate(() => { throw new Error(); });"],
]) {
  test(`an unhandled ${what} after an await fails its test`, () => {
    const program = `it("faulty", async () => { await turn(); ${statement} await turn(); await turn(); }); it("next", turn);`;
    assert.deepEqual(report(program), ["not ok 1 - faulty", "ok 2 - next"]);
  });
}

test("a test that is registered after an await belongs to its suite", () => {
  const program = `describe("suite", async () => { await turn(); it("test", () => {}); });`;
  assert.deepEqual(report(program), ["    ok 1 - test", "ok 1 - suite"]);
});
