import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { devTarget } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { ROOT } from "../areas.ts";
import type { Sample } from "./samples.ts";

/** The programs that the commands in the documentation call. */
const TOOLS = ["bash", "curl", "jq", "zip", "sha256sum"];
const missing = TOOLS.filter(
  (tool) =>
    !(process.env.PATH ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, tool))),
);

/** The reason to skip tests of commands; false where all programs are installed. In CI a missing program is an error. */
export const noTools: string | false = missing.length > 0 && `${missing.join(", ")} not installed`;
if (noTools && process.env.CI) throw new Error(`${noTools}, and CI runs every test`);

/** Separates the outputs of two blocks. */
const MARK = "--- end of the block ---";

/**
 * Follows a page as its reader would, in the folder `cwd`: first saves the blocks that have a file name, then runs those in `sh`. Asserts
 * that all commands succeed and print no errors; the progress of `easel`, and what `easel-server` notes, do not count. Returns the output of each block in `sh`.
 *
 * `replaced` maps texts in the blocks to their replacements, such as `http://localhost:3000` to the address of the service under test.
 * Shell variables are kept for the next call with the same folder.
 */
export async function follow(
  samples: Sample[],
  cwd: string,
  replaced: Record<string, string>,
  variables: Record<string, string> = {},
): Promise<string[]> {
  const filled = (text: string) =>
    Object.entries(replaced).reduce((result, [from, to]) => result.replaceAll(from, to), text);
  for (const { file, text } of samples) {
    if (file === undefined) continue;
    await mkdir(path.dirname(path.join(cwd, file)), { recursive: true });
    await writeFile(path.join(cwd, file), filled(text));
  }
  const commands = samples.filter(({ language, file }) => language === "sh" && file === undefined);
  if (commands.length === 0) return [];
  const easel = path.join(ROOT, "packages/cli/bin/easel.js");
  const server = path.join(ROOT, "packages/server/start.js");
  const errors = path.join(cwd, ".errors");
  // Sections of a page are followed one after the other in one terminal: variables outlive a section.
  const state = path.join(cwd, ".variables");
  const script = [
    `if [ -f '${state}' ]; then . '${state}'; fi; set -a`,
    `easel-server() { '${process.execPath}' '${server}' "$@" 2> '${errors}' || { local code=$?; cat '${errors}' >&2; return $code; }; }`,
    `easel() { '${process.execPath}' '${easel}' "$@" 2> '${errors}' || { local code=$?; cat '${errors}' >&2; return $code; }; }`,
    'npx() { "$@"; }',
    'curl() { command curl -sS --fail-with-body "$@"; }',
    ...commands.flatMap(({ text }) => [filled(text), `echo '${MARK}'`]),
    `export -p | grep -v '^declare -xr' > '${state}'`,
  ].join("\n");
  const { stdout, stderr } = await promisify(execFile)(
    "bash",
    ["--norc", "-eu", "-o", "pipefail", "-c", script],
    {
      cwd,
      env: { ...process.env, EASEL_CONFIG_DIR: path.join(cwd, ".config"), ...variables },
    },
  ).catch((error) => assert.fail(`${commands[0]?.page}: ${error.stdout}${error.stderr}`));
  assert.equal(stderr, "");
  return stdout
    .split(`${MARK}\n`)
    .slice(0, -1)
    .map((printed) => printed.trim());
}

/** Creates an access token of dev@example.com. Returns the environment variables with which `easel` acts for that person. */
export async function signedInVariables(base: string): Promise<{ EASEL_URL: string; EASEL_TOKEN: string }> {
  const target = devTarget(base, "path");
  const { token } = await tokenOf(target, await target.signIn("dev@example.com", "Dev"));
  return { EASEL_URL: base, EASEL_TOKEN: token };
}
