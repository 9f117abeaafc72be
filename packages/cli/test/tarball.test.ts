import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { TEMPLATES } from "../src/init/template-names.ts";

const run = promisify(execFile);
const CLI = path.join(import.meta.dirname, "..");

test("the tarball has the program, the templates and the licences of what is bundled, and no dependencies", async () => {
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--silent", "--ignore-scripts"], {
    cwd: CLI,
  });
  const [packed] = Object.values(JSON.parse(stdout)) as { files: { path: string }[] }[];
  const files = (packed?.files ?? []).map((file) => file.path);
  const expected = [
    "LICENSE",
    "README.md",
    "package.json",
    "bin/easel.js",
    "dist/main.js",
    "dist/LICENSES.txt",
    ...TEMPLATES.map((name) => `dist/templates/${name}/index.html`),
  ];
  assert.deepEqual(
    expected.filter((file) => !files.includes(file)),
    [],
  );
  assert.deepEqual(
    files.filter((file) => !/^(bin|dist)\//.test(file) && !expected.includes(file)),
    [],
  );
  for (const field of ["dependencies", "optionalDependencies", "peerDependencies"])
    assert.equal(field in manifest, false, field);
  const licenses = await readFile(path.join(CLI, "dist/LICENSES.txt"), "utf8");
  for (const name of ["commander", "fastify", "@clack/prompts"])
    assert.match(licenses, new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, "m"));
});
