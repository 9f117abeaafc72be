import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { DATA_PARTS } from "@easel/protocol/management";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { makeOwnFolder } from "../project/own-folder.ts";
import { publishingFolder } from "../project/publishing-folder.ts";
import { formatBytes } from "../terminal/bytes.ts";
import { clean } from "../terminal/clean.ts";
import { csvOf } from "./csv.ts";
import { runtimeCall, runtimeOf } from "./runtime.ts";
import { entriesOf, givenTarget, type TargetOptions } from "./target.ts";

/** The time that the download of an export may take. */
const DOWNLOAD_TIMEOUT_MS = 60 * 60_000;

/** The flags of `easel data export`. */
export interface ExportOptions extends CanvasOptions, TargetOptions {
  kv?: boolean;
  what?: string;
  format?: "jsonl" | "csv";
  output?: string;
}

/**
 * Returns the default path of an export, relative to the working directory: `SLUG-data.zip`. In a folder that `easel deploy` publishes, it is
 * in the subfolder `.easel`, because the next deploy would publish the data.
 */
async function defaultPath(slug: string, cwd: string): Promise<string> {
  const name = `${slug}-data.zip`;
  const folder = await publishingFolder(path.join(cwd, name));
  return folder === null ? name : path.relative(cwd, path.join(await makeOwnFolder(folder), name));
}

/** Writes chunks to stdout for `-`, otherwise to a temporary file that is renamed when complete. Returns the number of bytes. */
async function write(
  chunks: AsyncIterable<Uint8Array | string>,
  output: string,
  { cwd, signal, terminal }: Context,
): Promise<number> {
  let bytes = 0;
  async function* counted() {
    for await (const chunk of chunks) {
      bytes += Buffer.byteLength(chunk);
      yield chunk;
    }
  }
  if (output === "-") {
    await pipeline(counted(), terminal.streams.stdout, { signal, end: false });
    return bytes;
  }
  const file = path.resolve(cwd, output);
  if ((await publishingFolder(file)) !== null)
    terminal.warn(
      `The next \`easel deploy\` publishes ${output}. Move it out of the folder if it is not for everyone.`,
    );
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await pipeline(counted(), createWriteStream(draft, { flags: "wx", mode: 0o600 }), { signal });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return bytes;
}

/**
 * Exports data of a canvas: everything as a zip, or the entries of one target as JSON lines or CSV. Prints the path of the file. With
 * `-o -`, prints the data itself; this is the default for one target.
 */
export async function exportData(options: ExportOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const target = givenTarget(options);
  const { format = "jsonl", what } = options;
  if (target === undefined && options.format !== undefined)
    fail("--format is for one collection or scope: give --kv, --user, --collection or --submissions.", {
      exit: "usage",
    });
  if (target !== undefined && what !== undefined)
    fail("--what is for the zip of all data.", { exit: "usage" });
  for (const part of what?.split(",") ?? [])
    if (!(DATA_PARTS as readonly string[]).includes(part))
      fail(`\`${clean(part)}\` is none of ${DATA_PARTS.join(", ")}.`, { exit: "usage" });
  const { service, canvas } = await findCanvas(options, context);

  if (target === undefined) {
    const output = options.output ?? (await defaultPath(canvas.slug, context.cwd));
    if (output === "-" && terminal.streams.stdout.isTTY)
      fail("A zip is not for a terminal.", { exit: "usage", hint: "Give -o FILE." });
    const query = what === undefined ? "" : `?what=${encodeURIComponent(what)}`;
    const at = `/api/canvases/${encodeURIComponent(canvas.id)}/export${query}`;
    const { body } = await service.send(at, () => ({}), { timeoutMs: DOWNLOAD_TIMEOUT_MS });
    const bytes = await write(Readable.fromWeb(body as ReadableStream<Uint8Array>), output, context);
    terminal.say(`Exported ${formatBytes(bytes)}.`);
    if (output !== "-") terminal.result({ file: output, bytes }, () => `${output}\n`);
    return;
  }
  const easel = runtimeOf(canvas, service, context);
  async function* lines() {
    if (format === "csv") {
      const entries = await runtimeCall(() => Array.fromAsync(entriesOf(target as never, easel)));
      yield csvOf(entries.map(({ fields }) => fields));
      return;
    }
    const entries = entriesOf(target as never, easel);
    for (;;) {
      const { done, value } = await runtimeCall(() => entries.next());
      if (done) return;
      yield `${JSON.stringify(value.fields)}\n`;
    }
  }
  const output = options.output ?? "-";
  const bytes = await write(lines(), output, context);
  if (output !== "-") terminal.result({ file: output, bytes }, () => `${output}\n`);
}
