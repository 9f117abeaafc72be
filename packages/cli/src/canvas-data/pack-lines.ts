import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Json } from "@easel/protocol/types";
import { isUuidV7, newId } from "@easel/server/crypto/ids";
import { ZipFile } from "yazl";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { type Line, readCsv } from "./csv.ts";
import type { Target } from "./target.ts";

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
