import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import manifest from "../../../../package.json" with { type: "json" };
import { ROOT } from "../areas.ts";

const FOLDER = path.join(ROOT, ".github/workflows");
const workflows = readdirSync(FOLDER).map((name) => ({
  name,
  text: readFileSync(path.join(FOLDER, name), "utf8"),
}));

test("there are workflows", () => assert.ok(workflows.length >= 4));

for (const { name, text } of workflows) {
  test(`${name}: actions of others are pinned by commit, with the version beside it`, () => {
    const used = [...text.matchAll(/^ *(?:- )?uses: (.*)$/gm)].map(([, action = ""]) => action);
    assert.ok(used.length > 0);
    for (const action of used) assert.match(action, /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test(`${name}: a job may read the repository, and more only where it says so`, () =>
    assert.match(text, /^permissions:\n {2}contents: read\n\n/m));

  test(`${name}: text of an event, which could be a command, stands nowhere`, () =>
    assert.doesNotMatch(text, /\$\{\{ *(?:github\.event\.|github\.head_ref|inputs\.)/));

  test(`${name}: the scripts and files that it names exist`, () => {
    for (const [, script = ""] of text.matchAll(/\bnpm run ([\w:]+)/g))
      assert.ok(Object.hasOwn(manifest.scripts, script), script);
    for (const [, file = ""] of text.matchAll(/\b(?:file: |run: )((?:deploy|\.ci)\/\w+)/g))
      assert.ok(existsSync(path.join(ROOT, file)), file);
  });
}
