import { Readable } from "node:stream";
import type { PersonalRow, PersonalTable } from "../canvases/canvas-data.ts";
import { type ArchivedFile, writeZip } from "../canvases/zip/zip-writer.ts";
import type { Value } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { addressesOf } from "../identity/person-addresses.ts";
import { type PersonKeys, rowsOfPerson, tablesOfPeople } from "./person-rows.ts";
import { findUserDetails } from "./user-details.ts";

/** The columns that hold JSON as text. */
const JSON_COLUMNS = ["value", "details", "via", "tags"];

const camelCase = (column: string): string =>
  column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function shown(column: string, value: Value): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "string" && JSON_COLUMNS.includes(column) ? JSON.parse(value) : value;
}

/** Converts a row to an object with the names of the API. A JSON number is stored apart from other values. */
function objectOf(row: PersonalRow, columns: readonly string[]): Record<string, unknown> {
  const isValue = columns.includes("value") && columns.includes("number");
  return Object.fromEntries(
    columns
      .filter((column) => !isValue || column !== "number")
      .map((column) => [
        camelCase(column),
        isValue && column === "value" && row.value === null ? row.number : shown(column, row[column] ?? null),
      ]),
  );
}

const textFile = (path: string, chunks: () => AsyncIterable<Uint8Array>): ArchivedFile => ({
  path,
  size: null,
  open: async () => chunks(),
  packed: null,
});

/** The name of an uploaded file in a zip: its id, with the ending of its name if that is a plain one. */
const pathOf = (id: string, name: string): string =>
  `files/${id}${/\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? ""}`;

/** Yields what the service stores of a person in one table: the rows as JSON lines, then the bytes that belong to them. */
async function* part(
  name: string,
  table: PersonalTable,
  person: PersonKeys,
  env: Env,
): AsyncGenerator<ArchivedFile> {
  const { exported } = table;
  if (exported === null) return;
  const blobs: { path: string; key: string }[] = [];
  yield textFile(`${exported.part}.jsonl`, async function* () {
    for await (const { row, columns } of rowsOfPerson(name, table, person, env)) {
      const line = objectOf(row, columns);
      if (exported.blob !== undefined) {
        const path = pathOf(String(row.id), String(row.name));
        blobs.push({ path, key: String(row[exported.blob]) });
        line.path = path;
      }
      yield Buffer.from(`${JSON.stringify(line)}\n`);
    }
  });
  for (const { path, key } of blobs) {
    const content = await env.blobs.get(key);
    // The file may have been removed since its row was read.
    if (content !== null) yield textFile(path, () => content);
  }
}

async function* files(person: { id: string; email: string }, env: Env): AsyncGenerator<ArchivedFile> {
  const details = await findUserDetails(person.id, env);
  const profile = {
    format: "easel-person",
    version: 1,
    exportedAt: env.clock(),
    person: details && {
      id: details.id,
      email: details.email,
      name: details.name,
      avatarUrl: details.avatar_url,
      createdAt: details.created_at,
      deactivatedAt: details.deactivated_at,
      lastSeenAt: details.last_seen_at,
      canPublishPublic: details.can_publish_public === 1,
    },
  };
  yield textFile("person.json", async function* () {
    yield Buffer.from(`${JSON.stringify(profile, null, 2)}\n`);
  });
  const addresses = await addressesOf(person, env);
  const keys = { id: person.id, emails: addresses.filter(({ until }) => until === null) };
  for (const [name, table] of tablesOfPeople(env)) yield* part(name, table, keys, env);
}

/**
 * Returns what the service stores of a person, as the stream of a zip: `person.json`, a file with JSON lines for each kind of data, and the
 * files that they have uploaded. It has no secrets and no hashes of any. Reads only as fast as the stream is read.
 */
export const exportPerson = (person: { id: string; email: string }, env: Env): Readable =>
  Readable.from(writeZip(files(person, env)), { objectMode: false, highWaterMark: 1 });
