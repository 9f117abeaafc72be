import { text as readText } from "node:stream/consumers";
import type { Json } from "@easel/protocol/types";
import type { Easel } from "@easel/sdk";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { runtimeCall, runtimeOf } from "./runtime.ts";
import { entriesOf, givenTarget, type Target, type TargetOptions } from "./target.ts";

/** The flags of `easel data get`, `set` and `rm`. */
export interface EntryOptions extends CanvasOptions, TargetOptions {
  string?: boolean;
  all?: boolean;
  prefix?: string;
  yes?: boolean;
}

async function open(options: EntryOptions, context: Context): Promise<{ easel: Easel; target: Target }> {
  const target = givenTarget(options) ?? { kind: "kv" };
  const { service, canvas } = await findCanvas(options, context);
  return { easel: runtimeOf(canvas, service, context), target };
}

/** Reads the value of an entry, or the metadata of a file. Returns undefined if there is no such entry. */
async function read(target: Target, id: string, easel: Easel): Promise<unknown> {
  if (target.kind === "kv") return easel.kv.get(id);
  if (target.kind === "user") return easel.kv.user.get(id);
  if (target.kind === "collection") return (await easel.kv.collection(target.name).get(id))?.value;
  for await (const entry of entriesOf(target, easel))
    if (entry.id === id) return target.kind === "files" ? entry.fields : entry.fields.value;
  return undefined;
}

/** Prints the value of a key, record or submission, or the metadata of a file, as JSON. */
export async function getEntry(id: string, options: EntryOptions, context: Context): Promise<void> {
  const { easel, target } = await open(options, context);
  const value = await runtimeCall(() => read(target, id, easel));
  if (value === undefined) fail(`There is no \`${clean(id)}\`.`, { exit: "denied" });
  const { terminal, signal } = context;
  if (options.string && typeof value === "string" && !terminal.json)
    return terminal.printData([`${value}\n`], signal);
  terminal.result(value, () => `${JSON.stringify(value, null, 2)}\n`);
}

/** Returns the value for `easel data set`: parsed JSON, or the text itself with `--string`. `-` means that the value is on stdin. */
async function parseValue(
  given: string,
  { string: isText = false }: EntryOptions,
  { terminal }: Context,
): Promise<Json> {
  const text = given === "-" ? await readText(terminal.stdin) : given;
  if (isText) return text;
  try {
    return JSON.parse(text);
  } catch {
    return fail("The value is not JSON.", { exit: "usage", hint: "Give --string to store it as text." });
  }
}

/** Sets a key or updates a record. With `--collection` and only a value, creates a record. Prints the key or id. */
export async function setEntry(
  first: string,
  second: string | undefined,
  options: EntryOptions,
  context: Context,
): Promise<void> {
  const creates = options.collection !== undefined && second === undefined;
  const given = creates
    ? first
    : (second ??
      fail("The value is missing.", { exit: "usage", hint: "Give it as JSON, or as text with --string." }));
  const value = await parseValue(given, options, context);
  const { easel, target } = await open(options, context);
  const id = await runtimeCall(async () => {
    if (target.kind === "collection") {
      const records = easel.kv.collection(target.name);
      return creates ? (await records.create(value)).id : (await records.update(first, value)).id;
    }
    if (target.kind !== "kv" && target.kind !== "user")
      return fail("Only keys and records can be set.", { exit: "usage" });
    const scope = target.kind === "kv" ? easel.kv : easel.kv.user;
    if (value === null)
      return fail("A key cannot have the value null.", {
        exit: "usage",
        hint: "`easel data rm` removes it.",
      });
    await scope.set(first, value);
    return first;
  });
  context.terminal.result({ id }, () => `${clean(id)}\n`);
}

function remove(target: Target, id: string, easel: Easel): Promise<void> {
  if (target.kind === "kv") return easel.kv.delete(id);
  if (target.kind === "user") return easel.kv.user.delete(id);
  if (target.kind === "collection") return easel.kv.collection(target.name).delete(id);
  if (target.kind === "submissions") return easel.submissions.remove(target.name, id);
  return easel.files.delete(id);
}

/** Returns those of the given ids that exist, and says which keys do not: removing them would succeed without a trace. */
async function existingOf(
  ids: string[],
  target: Target,
  easel: Easel,
  { terminal }: Context,
): Promise<string[]> {
  if (target.kind !== "kv" && target.kind !== "user") return ids;
  const scope = target.kind === "kv" ? easel.kv : easel.kv.user;
  const existing: string[] = [];
  for (const key of ids)
    if ((await scope.get(key)) !== undefined) existing.push(key);
    else terminal.say(`There is no key \`${clean(key)}\`.`);
  return existing;
}

/**
 * Removes entries: those with the given ids or keys, those with a prefix, or all. Asks before it removes more than one, and says so if there
 * is nothing to remove.
 */
export async function removeEntries(ids: string[], options: EntryOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const many = options.all === true || options.prefix !== undefined;
  if (many === ids.length > 0) fail("Give ids or keys, or --all or --prefix.", { exit: "usage" });
  if (options.prefix !== undefined && givenTarget(options) !== undefined && !options.user)
    fail("Only keys have prefixes.", { exit: "usage" });
  const { easel, target } = await open(options, context);
  const found = many
    ? await runtimeCall(() => Array.fromAsync(entriesOf(target, easel, options.prefix), ({ id }) => id))
    : await runtimeCall(() => existingOf(ids, target, easel, context));
  if (found.length === 0) {
    terminal.say("There is nothing to remove.");
    return terminal.result({ removed: 0 }, () => "");
  }
  if (found.length > 1 && !options.yes) {
    const message = `Remove ${found.length} entries?`;
    if (!(await terminal.ask.confirm({ message, flag: "--yes" }))) fail("Nothing was removed.");
  }
  const progress = await terminal.progress(`Removing ${found.length}…`, found.length);
  let removed = 0;
  try {
    for (const id of found) {
      await runtimeCall(() => remove(target, id, easel));
      removed += 1;
      progress.advance(1, `${removed} of ${found.length}`);
    }
  } catch (error) {
    progress.stop();
    if (removed > 0) terminal.say(`${removed} of ${found.length} were removed.`);
    throw error;
  }
  progress.done(`Removed ${removed}.`);
  terminal.result({ removed }, () => "");
}
