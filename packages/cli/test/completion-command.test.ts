import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { fileScope } from "../../server/test/support/service.ts";
import { easel, folderWith, startSite } from "./support/easel.ts";

const run = promisify(execFile);
const BIN = path.join(import.meta.dirname, "../bin/easel.js");

const scope = fileScope();
const { env } = await startSite(scope);
before(async () => {
  for (const name of ["lunch-one", "lunch-two", "gone-one"]) {
    const folder = await folderWith(scope, name, { "index.html": "<!doctype html><title>Page</title>" });
    assert.equal((await easel(["deploy", folder], { env })).code, 0);
  }
  assert.equal((await easel(["delete", "-c", "gone-one", "--yes"], { env })).code, 0);
});

/** Returns the candidates that a shell gets, and the directive. */
async function candidates(words: string[], variables = env): Promise<{ words: string[]; directive: string }> {
  const { code, stdout, stderr } = await easel(["complete", "--", ...words], { env: variables });
  assert.deepEqual([code, stderr], [0, ""]);
  const lines = stdout.trimEnd().split("\n");
  return {
    directive: lines.at(-1) ?? "",
    words: lines.slice(0, -1).map((line) => line.split("\t")[0] ?? ""),
  };
}

const ROWS: [line: string[], words: string[], directive?: string][] = [
  [["dep"], ["deploy"]],
  [["deploy", "--dr"], ["--dry-run"]],
  [
    ["deploy", "--access", ""],
    ["private", "whole_org", "public_link"],
  ],
  [["deploy", "--access=pri"], ["private"]],
  [["deploy", "--access", "=", "pri"], ["private"]],
  [["deploy", "--slug", ""], []],
  [["deploy", ""], [], ":16"],
  [["deploy", "--dry-run", ""], [], ":16"],
  [["init", "folder", "-t", "coun"], ["counter"]],
  [["types", "-o", ""], [], ":0"],
  [
    ["open", "-c", "lunch"],
    ["lunch-two", "lunch-one"],
  ],
  [["open", "--canvas=lunch-t"], ["lunch-two"]],
  [["restore", ""], ["gone-one"]],
  [["completion", "f"], ["fish"]],
  [
    ["none", "--"],
    ["--version", "--help"],
  ],
  [["deploy", "--", "--dr"], [], ":16"],
];
for (const [line, words, directive = ":4"] of ROWS)
  test(`easel ${line.join(" ")}<TAB>`, async () => {
    assert.deepEqual(await candidates(line), { words, directive });
  });

test("without a sign-in, or with a service that refuses or does not exist, there are no slugs and no messages", async () => {
  for (const variables of [{}, { ...env, EASEL_TOKEN: "none" }, { ...env, EASEL_URL: "http://127.0.0.1:1" }])
    assert.deepEqual((await candidates(["open", "-c", ""], variables)).words, []);
});

test("bash completes, and does not run what is in the words", async (t) => {
  const folder = await folderWith(t, "bash", {});
  await writeFile(path.join(folder, "easel"), `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`);
  await chmod(path.join(folder, "easel"), 0o755);
  const script = `
    source <(easel completion bash)
    ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _easel; echo "\${COMPREPLY[*]}"; }
    compopt() { echo "$@"; }
    ask easel dep
    ask easel open -c lunch-t
    ask easel open '$(touch ran)' --j
    ask easel deploy ''`;
  const { stdout, stderr } = await run("bash", ["--norc", "-c", script], {
    cwd: folder,
    env: { ...env, PATH: `${folder}:${process.env.PATH}`, HOME: folder },
  });
  assert.deepEqual([stdout, stderr], ["deploy\nlunch-two\n--json\n-o dirnames\n\n", ""]);
  await assert.rejects(run("test", ["-e", path.join(folder, "ran")]));
});

test("the scripts of the other shells are printed", async () => {
  const texts = {
    zsh: "compdef _easel easel",
    fish: "complete -c easel",
    powershell: "Register-ArgumentCompleter",
  };
  for (const [shell, text] of Object.entries(texts)) {
    const { stdout } = await run(process.execPath, [BIN, "completion", shell]);
    assert.ok(stdout.includes(text), shell);
  }
});
