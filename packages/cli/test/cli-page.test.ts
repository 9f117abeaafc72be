import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { fileScope, startService } from "../../server/test/support/service.ts";
import { printCliPage } from "../build-docs.ts";
import { EXIT } from "../src/exit.ts";
import { addFiles, easel, folderWith, signedIn } from "./support/easel.ts";

const CLI = path.join(import.meta.dirname, "..");
const page = readFileSync(path.join(CLI, "../../docs/cli.md"), "utf8");

const scope = fileScope();
let env: Record<string, string>;
before(async () => {
  const { base, env: service } = await startService(scope);
  env = await signedIn(base, service);
});

/** Returns the rows of the table in docs/cli.md whose header begins with `head`: the first cell, and the rest of the row. */
function rowsOf(head: string): [string, string][] {
  const [, after = ""] = page.split(`| ${head} |`);
  const [table = ""] = after.split("\n\n");
  return [...table.matchAll(/^\| (.+?) \| (.+) \|$/gm)]
    .slice(1)
    .map(([, first = "", rest = ""]) => [first, rest]);
}

/** Returns the texts in backticks. */
const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

test("docs/cli.md is up to date with its template and the commands", () => {
  assert.equal(page, printCliPage(), "run `npm run docs`");
});

test("docs/cli.md has every exit code, and every environment variable that the sources read", () => {
  const numbers = rowsOf("Code | Meaning").map(([code]) => Number(code));
  assert.deepEqual(numbers, Object.values(EXIT));
  const sources = globSync("src/**/*.ts", { cwd: CLI }).map((file) =>
    readFileSync(path.join(CLI, file), "utf8"),
  );
  const read = new Set(
    sources.flatMap((text) => [...text.matchAll(/\benv\.(EASEL_\w+)/g)].map(([, name = ""]) => name)),
  );
  assert.ok(read.size >= 3);
  const listed = rowsOf("Variable | Meaning").flatMap(([cell]) => codes(cell));
  assert.deepEqual(
    [...read].filter((name) => !listed.includes(name)),
    [],
  );
});

test("the documents of --json have the fields that docs/cli.md lists", async (t) => {
  const folder = await folderWith(t, "fields", { "index.html": "<!doctype html><title>Fields</title>" });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  await addFiles(folder, { "index.html": "<!doctype html><title>More fields</title>" });
  const flags: Record<string, string[]> = {
    open: ["--no-browser"],
    rollback: ["--yes"],
    delete: ["--yes"],
    pull: ["--force"],
    password: ["--clear"],
    "data set": ["key", "1"],
    "data rm": ["key"],
    "data export": ["-o", "data.zip"],
    "data import": ["data.zip"],
    init: ["--force"],
  };
  const documents = rowsOf("Command | Fields of the document of `--json`");
  assert.ok(documents.length >= 9);
  for (const [cell, rest] of documents) {
    const [command = ""] = codes(cell);
    const args = [...command.split(" "), "--json", ...(flags[command] ?? [])];
    const { code, stdout, stderr } = await easel(args, { env, cwd: folder });
    assert.equal(code, 0, `${cell}: ${stderr}`);
    const printed = JSON.parse(stdout);
    const [value] = Array.isArray(printed) ? printed : [printed];
    assert.deepEqual(Object.keys(value).sort(), codes(rest).sort(), cell);
  }
});
