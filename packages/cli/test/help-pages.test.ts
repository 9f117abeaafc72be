import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import { createProgram } from "../src/program.ts";
import { createTerminal } from "../src/terminal/terminal.ts";
import { easel } from "./support/easel.ts";

const signal = new AbortController().signal;
const terminal = createTerminal(process, { env: {}, signal });
const program = createProgram("0.0.0", { env: {}, cwd: "/nonexistent", terminal, signal });

/** Returns all direct and indirect subcommands of a command, each with the names that lead to it. */
const subcommands = (command: Command, above: string[] = []): [string[], Command][] =>
  command.commands.flatMap((each) => {
    const names = [...above, each.name()];
    return each.commands.length === 0
      ? [[names, each] as [string[], Command]]
      : [[names, each] as [string[], Command], ...subcommands(each, names)];
  });

for (const [names, command] of subcommands(program))
  test(`easel ${names.join(" ")} --help`, async () => {
    const { code, stdout, stderr } = await easel([...names, "--help"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.notEqual(command.description(), "");
    for (const { flags, description } of command.options) assert.notEqual(description, "", flags);
    for (const argument of command.registeredArguments)
      assert.notEqual(argument.description, "", argument.name());
    // The help of a group such as `easel data` has the examples of its commands.
    const examples = names.length > 1 ? (await easel([...names.slice(0, -1), "--help"])).stdout : stdout;
    assert.match(examples, new RegExp(`\\nExamples:\\n(.*\\n)*? .*easel ${names.join(" ")}\\b`));
    const wide = stdout.split("\n").filter((line) => line.length > 80);
    assert.deepEqual(wide, []);
  });

test("easel help, easel --help and easel help COMMAND", async () => {
  const { code, stdout } = await easel(["help"]);
  assert.equal(code, 0);
  assert.equal((await easel(["--help"])).stdout, stdout);
  assert.deepEqual(
    stdout.split("\n").filter((line) => line.length > 80),
    [],
  );
  const ofExport = (await easel(["help", "data", "export"])).stdout;
  assert.match(ofExport, /^Usage: easel data export/);
  assert.equal(ofExport, (await easel(["data", "export", "--help"])).stdout);
  assert.equal((await easel(["help", "init"])).stdout, (await easel(["init", "--help"])).stdout);
});

test("an unknown command or flag is a usage error, with the nearest name", async () => {
  for (const [args, nearest] of [
    [["deplyo"], "deploy"],
    [["deploy", "--dry-rnu"], "--dry-run"],
  ] as [string[], string][]) {
    const { code, stdout, stderr } = await easel(args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.ok(stderr.includes(`Did you mean ${nearest}?`), stderr);
  }
});

test("a slug as an argument is a usage error that names the option of the canvas, where there is one", async () => {
  for (const [args, isOption] of [
    [["share", "lunch"], true],
    [["data", "ls", "lunch"], true],
    [["whoami", "lunch"], false],
  ] as [string[], boolean][]) {
    const { code, stdout, stderr } = await easel(args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /too many arguments/);
    assert.equal(stderr.includes("The canvas is an option: -c SLUG."), isOption, stderr);
  }
});
