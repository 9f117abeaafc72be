import { createReadStream, createWriteStream, openAsBlob } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ImportResult } from "@easel/protocol/management";
import type { Json } from "@easel/protocol/types";
import { isUuidV7, newId } from "@easel/server/ids";
import { openPromise } from "yauzl";
import { ZipFile } from "yazl";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { count } from "../terminal/format.ts";
import { type Line, readCsv } from "./csv.ts";
import { givenTarget, type Target, type TargetOptions } from "./target.ts";

const MANIFEST = JSON.stringify({ format: "easel-data", version: 1 });

async function* readJsonLines(file: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1;
    if (text.trim() === "") continue;
    let line: Json;
    try {
      line = JSON.parse(text);
    } catch {
      return fail(`Line ${number} of ${clean(file)} is not JSON.`, { exit: "usage" });
    }
    if (typeof line !== "object" || line === null || Array.isArray(line))
      return fail(`Line ${number} of ${clean(file)} is no object.`, { exit: "usage" });
    yield line;
  }
}

/** Returns the path that the lines of a target have in the zip. Throws a usage error if no target with lines is given. */
export function pathFor(target: Target | undefined): string {
  switch (target?.kind) {
    case "kv":
      return "kv/shared.jsonl";
    case "user":
      return "kv/user.jsonl";
    case "collection":
      return `collections/${encodeURIComponent(target.name)}.jsonl`;
    case "submissions":
      return `submissions/${encodeURIComponent(target.name)}.jsonl`;
    default:
      return fail("It is not known where the entries of the file belong.", {
        exit: "usage",
        hint: "Give --kv, --user, --collection NAME or --submissions NAME.",
      });
  }
}

/** Returns a record with a new id, unless it has the id of a record. With an id, a repeated request does not import it again. */
const withId = (record: Line): Line =>
  typeof record.id === "string" && isUuidV7(record.id) ? record : { ...record, id: newId() };

/** Converts a file of JSON lines or CSV to a zip in which the lines have the path `name`. */
export async function packLines(file: string, name: string, zip: string, signal: AbortSignal): Promise<void> {
  const lines = file.endsWith(".csv") ? readCsv(createReadStream(file)) : readJsonLines(file);
  let number = 0;
  async function* text() {
    for await (const line of lines) {
      number += 1;
      if (name.startsWith("kv/") && typeof line.key !== "string")
        fail(`Entry ${number} has no \`key\`.`, { exit: "usage" });
      yield `${JSON.stringify(name.startsWith("collections/") ? withId(line) : line)}\n`;
    }
  }
  const archive = new ZipFile();
  const content = Readable.from(text());
  content.on("error", (error) => (archive.outputStream as Readable).destroy(error));
  archive.addBuffer(Buffer.from(MANIFEST), "manifest.json");
  archive.addReadStream(content, name);
  archive.end();
  await pipeline(archive.outputStream, createWriteStream(zip, { mode: 0o600 }), { signal });
}

/** The time that an import may take. */
const IMPORT_TIMEOUT_MS = 60 * 60_000;

/** The flags of `easel data import`. */
export interface ImportOptions extends CanvasOptions, TargetOptions {
  kv?: boolean;
  existing: "keep" | "replace";
  dryRun?: boolean;
  yes?: boolean;
}

/** Lists the files of JSON lines in a zip, each with its number of lines. Throws a `Failure` for a damaged zip. */
async function contentsOf(zip: string): Promise<{ path: string; lines: number }[]> {
  const archive = await openPromise(zip, {
    autoClose: false,
    lazyEntries: true,
    strictFileNames: true,
  }).catch((error: Error) => fail(`This is not a sound zip: ${clean(error.message)}.`));
  try {
    const found: { path: string; lines: number }[] = [];
    for await (const entry of archive.eachEntry()) {
      if (!entry.fileName.endsWith(".jsonl")) continue;
      let lines = 0;
      for await (const line of createInterface({ input: await archive.openReadStreamPromise(entry) }))
        if (line.trim() !== "") lines += 1;
      found.push({ path: entry.fileName, lines });
    }
    return found;
  } finally {
    archive.close();
  }
}

/** Imports a zip of `easel data export`, or JSON lines or CSV into one collection or scope, and prints what was imported. */
export async function importFile(given: string, options: ImportOptions, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const file = path.resolve(context.cwd, given);
  if (!(await stat(file).catch(() => undefined))?.isFile())
    fail(`There is no file ${clean(given)}.`, { exit: "usage" });
  const isZip = file.endsWith(".zip");
  if (!isZip && !/\.(jsonl|csv)$/.test(file))
    fail("A file to import ends in .zip, .jsonl or .csv.", { exit: "usage" });
  const target = givenTarget(options);
  if (isZip && target !== undefined)
    fail("A zip names its parts itself.", {
      exit: "usage",
      hint: "Leave out --kv, --user, --collection and --submissions.",
    });
  const name = isZip ? undefined : pathFor(target);

  const temporary = await mkdtemp(path.join(os.tmpdir(), "easel-import-"));
  try {
    const zip = isZip ? file : path.join(temporary, "import.zip");
    if (name !== undefined) await packLines(file, name, zip, signal);
    if (options.dryRun) {
      const found = await contentsOf(zip);
      return terminal.result(found, () =>
        found.map(({ path: each, lines }) => `${clean(each)}: ${count(lines, "line")}\n`).join(""),
      );
    }
    const { service, canvas } = await findCanvas(options, context);
    if (options.existing === "replace" && !options.yes) {
      const message = `Replace what exists already in ${clean(canvas.slug)}?`;
      if (!(await terminal.ask.confirm({ message, flag: "--yes" }))) fail("Nothing was imported.");
    }
    const body = await openAsBlob(zip, { type: "application/zip" });
    const at = `/api/canvases/${encodeURIComponent(canvas.id)}/import?existing=${options.existing}`;
    const progress = await terminal.progress(`Importing ${clean(given)}…`, 1);
    try {
      const response = await service.send(at, () => ({ method: "POST", body }), {
        timeoutMs: IMPORT_TIMEOUT_MS,
        // Entries with a key or an id are not imported twice.
        repeatable: true,
      });
      const result = (await response.json()) as ImportResult;
      progress.done("Imported.");
      for (const { what, reason, count: left, line } of result.skipped)
        terminal.say(
          `left out: ${left} of ${clean(what)} (${clean(reason)}${line === null ? "" : `, from line ${line}`})`,
        );
      terminal.result(result, () =>
        Object.entries(result.imported)
          .map(([part, number]) => `${part}: ${number}\n`)
          .join(""),
      );
    } catch (error) {
      progress.stop();
      throw error;
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
