import type { Argument, Command, Option } from "commander";
import { bodyOf, connect } from "../api/service.ts";
import type { Context } from "../context.ts";
import { createProgram } from "../program.ts";
import { clean } from "../terminal/clean.ts";

/** A word that completes a command line. */
export interface Candidate {
  value: string;
  description: string;
}

/** The completions of the last word of a command line. */
export interface Candidates {
  words: Candidate[];
  /** The kind of paths that the shell completes itself. */
  paths?: "files" | "folders";
}

/** Reads the slugs of the caller's canvases that match a text. With `deleted`, reads those of deleted canvases instead. */
export type ReadSlugs = (text: string, deleted: boolean) => Promise<Candidate[]>;

const NONE: Candidates = { words: [] };

/** The result of parsing a command line up to the word to complete. */
interface Line {
  command: Command;
  /** The number of arguments of the command before the word to complete. */
  position: number;
  /** The option whose value is to be completed, if any. */
  option: Option | undefined;
  /** Whether `--` was given. No word after it is an option. */
  optionsEnded: boolean;
}

const takesValue = (option: Option | undefined): boolean => option?.required === true;
const findOption = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ long, short }) => long === flag || short === flag);
const findCommand = (command: Command, word: string): Command | undefined =>
  command.commands.find((each) => each.name() === word || each.aliases().includes(word));

/** Parses the words of a command line. Ignores a `=` after an option, because bash passes it as a word. */
function parseWords(program: Command, words: readonly string[]): Line {
  const line: Line = { command: program, position: 0, option: undefined, optionsEnded: false };
  for (const word of words) {
    const { command, option, optionsEnded } = line;
    if (option !== undefined) {
      if (word !== "=") line.option = undefined;
    } else if (!optionsEnded && word === "--") line.optionsEnded = true;
    else if (!optionsEnded && /^-./.test(word)) {
      const found = findOption(command, word);
      if (takesValue(found)) line.option = found;
    } else {
      const found = line.position === 0 ? findCommand(command, word) : undefined;
      if (found === undefined) line.position += 1;
      else line.command = found;
    }
  }
  return line;
}

/** Returns the candidates for the value of an option or an argument: its choices, slugs, files or folders. */
async function valuesOf(
  given: Option | Argument,
  name: string,
  text: string,
  deleted: boolean,
  readSlugs: ReadSlugs,
): Promise<Candidates> {
  if (given.argChoices) return { words: given.argChoices.map((value) => ({ value, description: "" })) };
  if (name === "canvas") return { words: await readSlugs(text, deleted) };
  if (name === "folder") return { words: [], paths: "folders" };
  return name === "file" || name === "output" ? { words: [], paths: "files" } : NONE;
}

const optionsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ value: long ?? short ?? "", description }));

const commandsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: each.summary() || each.description() }));

async function allCandidates(line: Line, last: string, readSlugs: ReadSlugs): Promise<Candidates> {
  const { command, position, option, optionsEnded } = line;
  const deleted = command.name() === "restore";
  if (option !== undefined) return valuesOf(option, option.name(), last, deleted, readSlugs);
  if (!optionsEnded && last.startsWith("-")) return { words: optionsOf(command) };
  if (position === 0 && command.commands.length > 0) return { words: commandsOf(command) };
  const { registeredArguments } = command;
  const argument = registeredArguments[position] ?? registeredArguments.findLast(({ variadic }) => variadic);
  return argument === undefined ? NONE : valuesOf(argument, argument.name(), last, deleted, readSlugs);
}

/**
 * Returns the candidates for the last word of a command line. `words` does not include `easel` itself. If the last word begins with
 * `--flag=`, the candidates are only the values, because the shell keeps the flag.
 */
export async function candidatesOf(
  program: Command,
  words: readonly string[],
  readSlugs: ReadSlugs,
): Promise<Candidates> {
  const given = words.at(-1) ?? "";
  const [, flag = "", value = given] = /^(--[\w-]+)=(.*)$/.exec(given) ?? [];
  const last = value === "=" ? "" : value;
  const before = flag === "" ? words.slice(0, -1) : [...words.slice(0, -1), flag];
  const candidates = await allCandidates(parseWords(program, before), last, readSlugs);
  return { ...candidates, words: candidates.words.filter(({ value }) => value.startsWith(last)) };
}

/** The time within which the service must send the slugs. It is short, because the person is waiting. */
const SLUGS_TIMEOUT_MS = 1_000;

/** The directives of the completion protocol of @bomb.sh/tab that tell the shell which paths to complete. */
const DIRECTIVES = { files: 0, none: 4, folders: 16 };

/** Reads slugs of the caller's canvases. Returns none, and prints nothing, if that fails or takes too long. */
async function readSlugs(q: string, deleted: boolean, context: Context): Promise<Candidate[]> {
  try {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(SLUGS_TIMEOUT_MS)]);
    const terminal = { ...context.terminal, say() {} };
    const { api } = await connect({ folder: context.cwd }, { ...context, terminal, signal });
    const query = { q, deleted: deleted ? ("true" as const) : ("false" as const) };
    const { canvases } = await bodyOf(api.GET("/api/canvases", { params: { query } }));
    return canvases
      .filter(({ slug }) => /^[a-z0-9-]+$/.test(slug))
      .map(({ slug, title }) => ({ value: slug, description: title }));
  } catch {
    return [];
  }
}

/**
 * Prints the candidates for the last word of a command line, as the completion script of a shell reads them. Each candidate has a line with
 * its description after a tab. The last line is `:N`, where `N` is the number of a directive.
 */
export async function complete(words: readonly string[], version: string, context: Context): Promise<void> {
  const program = createProgram(version, context);
  const { words: found, paths = "none" } = await candidatesOf(program, words, (text, deleted) =>
    readSlugs(text, deleted, context),
  );
  const lines = found.map(({ value, description }) => `${value}\t${clean(description)}\n`);
  context.terminal.print(`${lines.join("")}:${DIRECTIVES[paths]}\n`);
}
