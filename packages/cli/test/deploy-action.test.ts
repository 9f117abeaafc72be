import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createToken, upsertUser } from "@easel/server";
import { parseYaml } from "@redocly/openapi-core";
import { samplesOf } from "../../server/test/support/samples.ts";
import { startService, temporaryDirectory } from "../../server/test/support/service.ts";
import manifest from "../package.json" with { type: "json" };
import { TEMPLATES } from "../src/init/template-names.ts";
import { folderWith } from "./support/easel.ts";
import { packEasel } from "./support/installed.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../../..");
const CLI = path.join(import.meta.dirname, "..");

/** The parts of an `action.yml` that the tests read. */
interface Action {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: { run: string; env: Record<string, string> }[] };
}

const action = parseYaml(
  await readFile(path.join(ROOT, ".github/actions/deploy/action.yml"), "utf8"),
) as Action;

/**
 * Runs steps of the action like a runner, which puts the inputs only into the environment variables. Returns the outputs. The first step
 * installs the command line, which later runs need not do again.
 */
async function runAction(
  inputs: Record<string, string>,
  cwd: string,
  temporary: string,
  steps = action.runs.steps,
): Promise<Record<string, string>> {
  const filled = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [name, inputs[name] ?? input.default ?? ""]),
  );
  const output = path.join(temporary, "output");
  await writeFile(output, "");
  for (const step of steps) {
    const variables = Object.entries(step.env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, input: string) => filled[input] ?? assert.fail(input)),
    ]);
    await run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      cwd,
      env: {
        PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
        HOME: temporary,
        CI: "true",
        RUNNER_TEMP: temporary,
        GITHUB_OUTPUT: output,
        GITHUB_SHA: "0123456789abcdef",
        GITHUB_REF_NAME: "main",
        ...Object.fromEntries(variables),
      },
    });
  }
  const lines = (await readFile(output, "utf8")).trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

/** Asserts that the tarball has the program, the templates and the licences of what is bundled, and that npm installs nothing with it. */
async function requireComplete(files: string[]): Promise<void> {
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
}

test("the action deploys with the packed command line and a token of the scope deploy", async (t) => {
  const { base, env } = await startService(t);
  const user = await upsertUser(env.db, "owner@example.com", null, env.clock());
  assert.ok(user);
  const { token } = await createToken(
    { user, credential: null },
    { name: "CI", expiresAt: null, scope: "deploy" },
    env,
  );
  const temporary = await temporaryDirectory(t);
  const { tarball, files } = await packEasel(temporary);
  await requireComplete(files);
  const folder = await folderWith(t, "site", { "dist/index.html": "<!doctype html><title>CI</title>" });
  const inputs = { package: tarball, url: base, token, folder: "dist" };

  const outputs = await runAction({ ...inputs, slug: "from-ci" }, folder, temporary);
  const rows = await env.db.all<{ version: string; message: string; access: string }>`
    select version_id as version, message, access from canvases
    join versions on versions.id = version_id where slug = 'from-ci'`;
  const [row] = rows;
  assert.deepEqual(rows, [{ version: row?.version, message: "Commit 0123456 of main", access: "private" }]);
  assert.deepEqual(outputs, { url: `${base}/c/from-ci/`, version: row?.version });

  const canary = path.join(temporary, "canary");
  const hostile = `$(touch ${canary})\`touch ${canary}\`"; touch ${canary}; "`;
  const [, ...deploy] = action.runs.steps;
  const all = { ...inputs, slug: hostile, folder: hostile, access: hostile };
  await assert.rejects(runAction(all, folder, temporary, deploy));
  const message = `${hostile}\nurl=https://evil.example`;
  await runAction({ ...inputs, slug: "from-ci", message }, folder, temporary, deploy);
  await assert.rejects(readFile(canary), { code: "ENOENT" });
});

test("no input of the action is a part of a command", () => {
  for (const { run } of action.runs.steps) assert.doesNotMatch(run, /\$\{\{/);
});

test("docs/ci.md lists the inputs and outputs of the action, and its workflow uses them", async () => {
  const page = await readFile(path.join(ROOT, "docs/ci.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (yes)? ?\| (?:`([^`]*)` )?\|/gm)].map(
    ([, name, required, initial]) => [name, required === "yes", initial ?? ""],
  );
  assert.deepEqual(
    rows,
    Object.entries(action.inputs).map(([name, input]) => [
      name,
      input.required === true,
      input.default ?? "",
    ]),
  );
  const workflow = samplesOf("docs/ci.md").find(({ text }) => text.includes("actions/deploy@"));
  const { jobs } = parseYaml(workflow?.text ?? "") as {
    jobs: { deploy: { steps: { uses?: string; with?: Record<string, string> }[] } };
  };
  const step = jobs.deploy.steps.find(({ uses }) => uses?.includes("/easel/"));
  assert.match(step?.uses ?? "", /\/\.github\/actions\/deploy@/);
  for (const name of Object.keys(step?.with ?? {})) assert.ok(action.inputs[name], name);
  for (const [name, input] of Object.entries(action.inputs))
    assert.ok(!input.required || step?.with?.[name] !== undefined, name);
  for (const [, output = ""] of page.matchAll(/outputs\.(\w+)/g)) assert.ok(action.outputs[output], output);
});
