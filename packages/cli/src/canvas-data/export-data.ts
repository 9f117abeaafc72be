import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { DATA_PARTS } from "@easel/protocol/management";
import type { Easel } from "@easel/sdk";
import { isSlug } from "@easel/server/canvas-path";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { makeOwnFolder } from "../project/own-folder.ts";
import { publishingFolder } from "../project/project.ts";
import { clean, cleanLines } from "../terminal/clean.ts";
import { formatBytes } from "../terminal/format.ts";
import { csvOf, type Line } from "./csv.ts";
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
  /** Whether to replace a file that exists. */
  force?: boolean;
}

/**
 * Returns the default path of an export, relative to the working directory: `SLUG-data-TIME.zip`, with the local time. In a folder that
 * `easel deploy` publishes, it is in the subfolder `.easel`, because the next deploy would publish the data. No part of the path is taken from
 * the service unchecked.
 */
async function defaultPath(slug: string, cwd: string): Promise<string> {
  const time = new Date()
    .toLocaleString("sv")
    .replace(/\D/g, "")
    .replace(/^(\d{8})/, "$1-");
  const name = `${isSlug(slug) ? slug : "canvas"}-data-${time}.zip`;
  const folder = await publishingFolder(path.join(cwd, name));
  return folder === null ? name : path.relative(cwd, path.join(await makeOwnFolder(folder), name));
}

/** Makes sure that a file can be written. Without `force`, makes it as an empty file, and throws a `Failure` if it exists already. */
async function reserve(file: string, force: boolean): Promise<void> {
  if (force) return;
  const handle = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    return fail(`${clean(file)} exists already.`, { hint: "Give --force to replace it, or another file." });
  });
  await handle.close();
}

/** Writes chunks to stdout for `-`, otherwise to a temporary file that is renamed when complete. Returns the number of bytes. */
async function write(
  chunks: () => Promise<AsyncIterable<Uint8Array | string>>,
  output: string,
  force: boolean,
  { cwd, signal, terminal }: Context,
): Promise<number> {
  let bytes = 0;
  async function* counted() {
    for await (const chunk of await chunks()) {
      bytes += Buffer.byteLength(chunk);
      yield chunk;
    }
  }
  if (output === "-") {
    await terminal.printData(counted(), signal);
    return bytes;
  }
  const file = path.resolve(cwd, output);
  if ((await publishingFolder(file)) !== null)
    terminal.warn(
      `The next \`easel deploy\` publishes ${output}. Move it out of the folder if it is not for everyone.`,
    );
  await reserve(file, force);
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await pipeline(counted(), createWriteStream(draft, { flags: "wx", mode: 0o600 }), { signal });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    if (!force) await rm(file, { force: true });
    throw error;
  }
  return bytes;
}

/** Adds to lines the names of the people in `authorId` and `userId`, as `author` and `user` after them. */
async function withNames(lines: readonly Line[], easel: Easel): Promise<Line[]> {
  const ids = new Set(
    lines.flatMap(({ authorId, userId }) => [authorId, userId]).filter((id) => typeof id === "string"),
  );
  const people = ids.size === 0 ? new Map() : await easel.people([...ids]);
  return lines.map(({ key, id, authorId, userId, ...rest }) => ({
    ...(key === undefined ? {} : { key }),
    ...(id === undefined ? {} : { id }),
    ...(authorId === undefined ? {} : { authorId, author: people.get(authorId)?.name ?? "" }),
    ...(userId === undefined ? {} : { userId, user: people.get(userId)?.name ?? "" }),
    ...rest,
  }));
}

/**
 * Exports data of a canvas: everything as a zip, or the entries of one target as JSON lines or CSV. Prints the path of the file. With
 * `-o -`, prints the data itself; this is the default for one target.
 */
export async function exportData(options: ExportOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const target = givenTarget(options);
  const { format = "jsonl", what, force = false } = options;
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
    if (output === "-" && terminal.isTerminal)
      fail("A zip is not for a terminal.", { exit: "usage", hint: "Give -o FILE." });
    const query = what === undefined ? "" : `?what=${encodeURIComponent(what)}`;
    const at = `/api/canvases/${encodeURIComponent(canvas.id)}/export${query}`;
    const download = async () => {
      const { body } = await service.send(at, () => ({}), { timeoutMs: DOWNLOAD_TIMEOUT_MS });
      return Readable.fromWeb(body as ReadableStream<Uint8Array>);
    };
    const bytes = await write(download, output, force, context);
    terminal.say(`Exported ${formatBytes(bytes)}.`);
    if (output !== "-") terminal.result({ file: output, bytes }, () => `${clean(output)}\n`);
    return;
  }
  const easel = runtimeOf(canvas, service, context);
  async function* lines() {
    if (format === "csv") {
      const entries = await runtimeCall(() => Array.fromAsync(entriesOf(target as never, easel)));
      yield csvOf(
        await runtimeCall(() =>
          withNames(
            entries.map(({ fields }) => fields),
            easel,
          ),
        ),
      );
      return;
    }
    const entries = entriesOf(target as never, easel);
    for (;;) {
      const { done, value } = await runtimeCall(() => entries.next());
      if (done) return;
      yield cleanLines(`${JSON.stringify(value.fields)}\n`);
    }
  }
  const output = options.output ?? "-";
  const bytes = await write(async () => lines(), output, force, context);
  if (output !== "-") terminal.result({ file: output, bytes }, () => `${clean(output)}\n`);
}
