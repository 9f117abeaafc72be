import assert from "node:assert/strict";
import { readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { canvasDeclarations } from "@easel/protocol/canvas-declarations";
import { jsonSchema } from "@easel/server/easel-json";
import { readFolder } from "../src/deploy/folder.ts";
import { TEMPLATES } from "../src/init/template-names.ts";
import { readEaselJson } from "../src/project/easel-json.ts";
import { addFiles, easel, folderWith } from "./support/easel.ts";

const textOf = (folder: string, file: string) => readFile(path.join(folder, file), "utf8");

test("init without a terminal: the minimal template, with the name of the folder", async (t) => {
  const cwd = await folderWith(t, "work", {});
  const { code, stdout, stderr } = await easel(["init", "lunch"], { cwd });
  const folder = path.join(cwd, "lunch");
  assert.deepEqual([code, stdout], [0, `${folder}\n`], stderr);
  assert.match(stderr, /cd lunch\n {2}easel dev .*\n {2}easel deploy/);
  const { title, slug } = await readEaselJson(folder);
  assert.deepEqual([title, slug], ["lunch", "lunch"]);
  assert.match(await textOf(folder, "index.html"), /<title>lunch<\/title>/);
});

test("each template becomes a folder that can be deployed, with a schema that editors find", async (t) => {
  const cwd = await folderWith(t, "templates", {});
  for (const template of TEMPLATES) {
    const made = await easel(["init", template, "-t", template, "--name", 'A & <b> "$&"', "--json"], { cwd });
    assert.equal(made.code, 0, made.stderr);
    const folder = path.join(cwd, template);
    const { $schema = "", title } = await readEaselJson(folder);
    assert.equal(title, 'A & <b> "$&"');
    assert.deepEqual(JSON.parse(await textOf(folder, $schema)), JSON.parse(JSON.stringify(jsonSchema())));
    assert.match(await textOf(folder, "index.html"), /<title>A &amp; &lt;b&gt; "\$&amp;"<\/title>/);
    const { files, leftOut } = await readFolder(folder);
    assert.deepEqual([files.map((file) => file.path), leftOut], [JSON.parse(made.stdout).files, []]);
    assert.ok(!files.some((file) => file.path === "README.md"));
  }
  const { stdout } = await easel(["init", "--list", "--json"]);
  const names = JSON.parse(stdout).map(({ name }: { name: string }) => name);
  assert.deepEqual(names, TEMPLATES);
});

test("init asks for template and name", async (t) => {
  const cwd = await folderWith(t, "asked", {});
  assert.equal((await easel(["init"], { cwd, answers: ["counter", "Our number"] })).code, 0);
  assert.equal((await readEaselJson(cwd)).title, "Our number");
  assert.ok((await readdir(cwd)).includes("numbers.js"));
});

/** The slug that `easel init FOLDER --name NAME` writes. */
const SLUGS: [folder: string, name: string, slug: string][] = [
  ["lunch", "Who eats where?", "who-eats-where"],
  ["lunch", "AB", "lunch"],
  ["ab", "AB", "ab-app"],
];

test("init writes a slug that can be deployed", async (t) => {
  const cwd = await folderWith(t, "slugs", {});
  for (const [folder, name, expected] of SLUGS) {
    const made = await easel(["init", folder, "--name", name, "--force"], { cwd });
    assert.equal(made.code, 0, made.stderr);
    assert.equal((await readEaselJson(path.join(cwd, folder))).slug, expected);
  }
});

test("init replaces no file without --force, and never what a symbolic link leads to", async (t) => {
  const cwd = await folderWith(t, "full", { "other.txt": "kept" });
  const outside = await folderWith(t, "outside", { "mine.css": "kept" });
  await symlink(path.join(outside, "mine.css"), path.join(cwd, "style.css"));
  const refused = await easel(["init"], { cwd });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /style\.css already/);
  assert.deepEqual((await readdir(cwd)).sort(), ["other.txt", "style.css"]);
  assert.equal((await easel(["init", "--force"], { cwd })).code, 0);
  assert.match(await textOf(cwd, "style.css"), /--hue/);
  assert.equal(await textOf(outside, "mine.css"), "kept");
  assert.equal(await textOf(cwd, "other.txt"), "kept");
  await addFiles(cwd, { "app.js": "changed" });
  assert.equal((await easel(["init"], { cwd })).code, 1);
  assert.equal(await textOf(cwd, "app.js"), "changed");
});

test("a wrong template or name is a usage error, and nothing is written", async (t) => {
  const cwd = await folderWith(t, "wrong", {});
  assert.equal((await easel(["init", "-t", "none"], { cwd })).code, 2);
  for (const name of ["", "a\u001b[31m", "x".repeat(201)])
    assert.equal((await easel(["init", "--name", name], { cwd })).code, 2, JSON.stringify(name));
  assert.deepEqual(await readdir(cwd), []);
});

test("types prints the declarations of easel.json, or writes them to a file", async (t) => {
  const policy = {
    collections: { tasks: { preset: "collaborative" } },
    fileGroups: { photos: { preset: "personal" } },
  };
  const cwd = await folderWith(t, "typed", { "easel.json": JSON.stringify({ policy }) });
  const expected = canvasDeclarations(policy as object);
  assert.match(expected, /"tasks": Json/);
  const printed = await easel(["types"], { cwd });
  assert.equal(printed.stdout, expected);
  assert.match(printed.stderr, /^Types for 1 collection, 1 file group\./);
  const { code, stdout } = await easel(["types", "-o", "easel.d.ts"], { cwd });
  assert.deepEqual([code, stdout], [0, ""]);
  assert.equal(await textOf(cwd, "easel.d.ts"), expected);
});
