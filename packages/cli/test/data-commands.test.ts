import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { before, test } from "node:test";
import { createEasel } from "@easel/sdk";
import type { Env } from "@easel/server";
import { fileScope, startService, temporaryDirectory } from "../../server/test/support/service.ts";
import { easel, folderWith, signedIn } from "./support/easel.ts";

const POLICY = { collections: { ideas: { preset: "collaborative" } } };
const FILES = {
  "index.html": "<!doctype html><title>Data</title>",
  "easel.json": JSON.stringify({ capabilities: ["kv", "files"], policy: POLICY }),
};

const scope = fileScope();
let base: string;
let service: Env;
let env: Record<string, string>;
let cwd: string;
let temporary: string;
before(async () => {
  ({ base, env: service } = await startService(scope, { SERVICE_RATELIMIT_ENABLED: "false" }));
  env = await signedIn(base, service);
  temporary = await temporaryDirectory(scope);
  cwd = await canvas("data-one");
});

/** Deploys a canvas with a collection. Returns its folder. */
async function canvas(name: string): Promise<string> {
  const folder = await folderWith(scope, name, FILES);
  const { code, stderr } = await easel(["deploy", folder], { env });
  assert.equal(code, 0, stderr);
  return folder;
}

/** Runs `easel data` in the folder of a canvas and requires success. Returns what it prints. */
async function data(args: string[], options: { cwd?: string; input?: string } = {}): Promise<string> {
  const { code, stdout, stderr } = await easel(["data", ...args], { env, cwd, ...options });
  assert.equal(code, 0, stderr);
  return stdout;
}

test("keys are set, read, listed and removed", async () => {
  assert.equal(await data(["set", "greeting", '{"text":"Hello"}']), "greeting\n");
  assert.equal(await data(["set", "plain", "-", "--string"], { input: "text\n" }), "plain\n");
  await data(["set", "--user", "mine", "5"]);
  assert.deepEqual(JSON.parse(await data(["get", "greeting"])), { text: "Hello" });
  assert.equal(await data(["get", "plain", "--string"]), "text\n\n");
  assert.equal(await data(["get", "--user", "mine", "--json"]), "5\n");
  assert.equal(
    await data(["ls", "--kv"]),
    'KEY       VALUE\ngreeting  {"text":"Hello"}\nplain     "text\\n"\n',
  );
  assert.deepEqual(JSON.parse(await data(["ls", "--prefix", "pl", "--json"])), [
    { key: "plain", value: "text\n" },
  ]);
  await data(["rm", "plain"]);
  assert.deepEqual(JSON.parse(await data(["ls", "--kv", "--json"])), [
    { key: "greeting", value: { text: "Hello" } },
  ]);
});

test("records are created, changed, read and removed; many only after a question", async () => {
  const id = (await data(["set", "--collection", "ideas", '"one"'])).trim();
  await data(["set", "--collection", "ideas", id, '"changed"']);
  assert.equal(await data(["get", "--collection", "ideas", id]), '"changed"\n');
  await data(["set", "--collection", "ideas", '"two"']);
  const asked = await easel(["data", "rm", "--collection", "ideas", "--all"], { env, cwd });
  assert.deepEqual([asked.code, asked.stdout], [2, ""]);
  assert.match(asked.stderr, /--yes/);
  assert.equal(JSON.parse(await data(["ls", "--collection", "ideas", "--json"])).length, 2);
  assert.deepEqual(JSON.parse(await data(["rm", "--collection", "ideas", "--all", "--yes", "--json"])), {
    removed: 2,
  });
  assert.deepEqual(JSON.parse(await data(["ls", "--collection", "ideas", "--json"])), []);
});

test("a zip of all data is imported into another canvas, and only what is new", async () => {
  await data(["set", "--collection", "ideas", '{"title":"=tea"}']);
  const zip = path.join(temporary, "all.zip");
  assert.equal(await data(["export", "-o", zip]), `${zip}\n`);
  const other = await canvas("data-two");
  const planned = await data(["import", zip, "--dry-run"], { cwd: other });
  assert.match(planned, /collections\/ideas\.jsonl: 1 line\n/);
  assert.equal(JSON.parse(await data(["ls", "--json"], { cwd: other })).kv, 0);
  const first = JSON.parse(await data(["import", zip, "--json"], { cwd: other }));
  assert.deepEqual(first.imported, { kv: 2, collections: 1, submissions: 0, files: 0 });
  assert.match(
    await data(["ls"], { cwd: other }),
    /^DATA .*\nshared keys +1\n[\s\S]*collection ideas +1 .*collaborative\n/,
  );
  await data(["set", "greeting", '"changed"'], { cwd: other });
  const again = JSON.parse(await data(["import", zip, "--json"], { cwd: other }));
  assert.deepEqual(again.imported, { kv: 0, collections: 0, submissions: 0, files: 0 });
  const asked = await easel(["data", "import", zip, "--existing", "replace"], { env, cwd: other });
  assert.equal(asked.code, 2);
  assert.equal(await data(["get", "greeting"], { cwd: other }), '"changed"\n');
  await data(["import", zip, "--existing", "replace", "--yes"], { cwd: other });
  assert.deepEqual(JSON.parse(await data(["get", "greeting"], { cwd: other })), { text: "Hello" });
});

/** Places for an export, below the deployed folder or elsewhere, and whether the command warns that the next deploy publishes the file. */
const PLACES: [what: string, options: string[], folder: string, file: string, warns: boolean][] = [
  ["the default in a deployed folder", [], ".", ".easel/data-places-data-TIME.zip", false],
  ["the default in a subfolder", [], "assets", "../.easel/data-places-data-TIME.zip", false],
  ["the default elsewhere", [], "..", "data-places-data-TIME.zip", false],
  ["a file in the deployed folder", ["-o", "all.zip"], ".", "all.zip", true],
  ["a file in a subfolder", ["-o", "assets/all.zip"], ".", "assets/all.zip", true],
  ["a dot file", ["-o", ".all.zip"], ".", ".all.zip", false],
];

test("an export is not written where the next deploy publishes it, unless the file is given", async () => {
  const place = await canvas("data-places");
  await mkdir(path.join(place, "assets"));
  for (const [what, options, folder, file, warns] of PLACES) {
    const at = path.join(place, folder);
    const done = await easel(["data", "export", "-c", "data-places", ...options], { env, cwd: at });
    const written = done.stdout.trimEnd();
    assert.deepEqual([done.code, written.replace(/\d{8}-\d{6}/, "TIME")], [0, file], what);
    assert.ok(existsSync(path.join(at, written)), what);
    await rm(path.join(at, written));
    assert.equal(/warning: The next `easel deploy` publishes/.test(done.stderr), warns, what);
  }
});

test("an export replaces a file only with --force, and leaves nothing behind when it fails", async () => {
  const file = path.join(temporary, "kept.jsonl");
  await writeFile(file, "mine");
  const args = ["data", "export", "--kv", "-c", "data-places", "-o", file];
  const refused = await easel(args, { env });
  assert.deepEqual([refused.code, await readFile(file, "utf8")], [1, "mine"]);
  assert.match(refused.stderr, /exists already.*\n.*--force/);
  const failed = [...args.slice(0, 2), "--submissions", "a/b", "-c", "data-places", "-o", `${file}.new`];
  assert.notEqual((await easel(failed, { env })).code, 0);
  assert.ok(!existsSync(`${file}.new`));
  assert.equal((await easel([...args, "--force"], { env })).code, 0);
  assert.notEqual(await readFile(file, "utf8"), "mine");
});

test("one collection as CSV and as JSON lines, there and back", async () => {
  const other = await canvas("data-three");
  const csv = await data(["export", "--collection", "ideas", "--format", "csv"]);
  assert.match(
    csv,
    /^id,authorId,author,updatedAt,value\.title\n[\w-]+,[\w-]+,Owner,\d{4}-\d\d-\d\dT[\d:.]+Z,'=tea\n$/,
  );
  const file = path.join(temporary, "ideas.csv");
  await writeFile(file, csv);
  await data(["import", file, "--collection", "ideas"], { cwd: other });
  const lines = path.join(temporary, "ideas.jsonl");
  await data(["export", "--collection", "ideas", "-o", lines], { cwd: other });
  assert.deepEqual(JSON.parse(await readFile(lines, "utf8")).value, { title: "=tea" });
  await writeFile(path.join(temporary, "own.jsonl"), '{"value":1}\n\n{"value":[2]}');
  const { imported } = JSON.parse(
    await data(["import", path.join(temporary, "own.jsonl"), "--collection", "ideas", "--json"], {
      cwd: other,
    }),
  );
  assert.equal(imported.collections, 2);
});

test("an import whose response was lost is repeated and stores each record once", async (t) => {
  const other = await canvas("data-four");
  const file = path.join(temporary, "without-ids.jsonl");
  await writeFile(file, '{"value":1}\n{"id":"own","value":2}');
  const realFetch = globalThis.fetch;
  let imports = 0;
  t.mock.method(globalThis, "fetch", async (...request: Parameters<typeof fetch>) => {
    const response = await realFetch(...request);
    if (!response.url.includes("/import?")) return response;
    await response.text();
    imports += 1;
    if (imports === 1) throw new TypeError("fetch failed");
    return Response.json({ imported: { collections: 0 }, skipped: [] });
  });
  await data(["import", file, "--collection", "ideas"], { cwd: other });
  assert.equal(imports, 2);
  const records = JSON.parse(await data(["ls", "--collection", "ideas", "--json"], { cwd: other }));
  assert.deepEqual(records.map(({ value }: { value: number }) => value).sort(), [1, 2]);
});

test("files are listed and removed", async () => {
  const easelOf = createEasel({ url: `${base}/c/data-one/`, token: env.EASEL_TOKEN });
  const { id } = await easelOf.files.upload(new Blob(["content"]), { name: "tea.txt" });
  assert.equal(
    await data(["ls", "--files"]),
    `ID                                    FILE\n${id}  tea.txt (7 bytes)\n`,
  );
  assert.equal(JSON.parse(await data(["get", "--files", id])).name, "tea.txt");
  await data(["rm", "--files", id]);
  assert.equal((await easel(["data", "get", "--files", id], { env, cwd })).code, 4);
});

test("submissions are listed, read, exported and removed", async () => {
  const easelOf = createEasel({ url: `${base}/c/data-one/`, token: env.EASEL_TOKEN });
  const { userId } = await easelOf.submissions.set("lunch", "soup");
  assert.match(await data(["ls", "--submissions", "lunch"]), /"soup"/);
  assert.equal(await data(["get", "--submissions", "lunch", userId]), '"soup"\n');
  const [line] = (await data(["export", "--submissions", "lunch"])).split("\n");
  assert.equal(JSON.parse(line ?? "").userId, userId);
  await data(["rm", "--submissions", "lunch", userId]);
  assert.equal(await data(["export", "--submissions", "lunch"]), "");
});

test("control characters of other people never reach the terminal", async () => {
  await data(["set", "--string", "\u001b[2Jkey", "v\u001b]0;x"]);
  const shown = await data(["ls", "--kv"]);
  assert.ok(shown.includes("key") && !shown.includes("\u001b"));
});

test("exit codes", async () => {
  const empty = path.join(temporary, "empty.zip");
  await writeFile(empty, "");
  const broken = path.join(temporary, "broken.jsonl");
  await writeFile(broken, '{"key":"a","value":1}\nno');
  const stranger = await signedIn(base, service, "stranger@example.com");
  const rows: [code: number, args: string[], variables?: Record<string, string>][] = [
    [4, ["get", "none"]],
    [4, ["ls"], stranger],
    [3, ["ls"], { ...env, EASEL_TOKEN: `easel_pat_${"x".repeat(43)}` }],
    [2, ["get"]],
    [2, ["set", "a", "no json"]],
    [2, ["set", "a"]],
    [2, ["ls", "--kv", "--user"]],
    [2, ["rm"]],
    [2, ["export", "--what", "nothing"]],
    [2, ["export", "--format", "csv"]],
    [2, ["import", path.join(temporary, "none.zip")]],
    [2, ["import", broken]],
    [2, ["import", broken, "--kv"]],
    [1, ["import", empty]],
    [1, ["set", "k".repeat(513), "1"]],
    [4, ["ls", "--collection", "none"]],
  ];
  for (const [code, args, variables = env] of rows) {
    const outcome = await easel(["data", ...args], { env: variables, cwd });
    assert.deepEqual([outcome.code, outcome.stdout], [code, ""], `${args.join(" ")}: ${outcome.stderr}`);
    assert.doesNotMatch(outcome.stderr, /bug of easel/);
  }
});

/** Removals of what is not there: the arguments, the number of removed entries, and what is said. */
const NOTHING: [args: string[], removed: number, says: RegExp][] = [
  [["rm", "absent"], 0, /^There is no key `absent`\.\nThere is nothing to remove\.\n$/],
  [["rm", "absent", "there", "--yes"], 1, /^There is no key `absent`\.\n.*\nRemoved 1\.\n$/],
  [["rm", "--prefix", "absent", "--yes"], 0, /^There is nothing to remove\.\n$/],
];

test("rm says what is not there", async () => {
  await data(["set", "there", "1"]);
  for (const [args, removed, says] of NOTHING) {
    const { code, stdout, stderr } = await easel(["data", ...args, "--json"], { env, cwd });
    assert.deepEqual([code, JSON.parse(stdout)], [0, { removed }], stderr);
    assert.match(stderr, says);
  }
});
