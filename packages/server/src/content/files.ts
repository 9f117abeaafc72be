import type { Readable } from "node:stream";
import type { Env } from "../env.ts";

/** A representation of a file of a version, as it is sent. */
export interface ServedFile {
  path: string;
  encoding: "identity" | "br" | "gzip";
  mime: string;
  key: string;
  size: number;
}

interface Row {
  path: string;
  encoding: ServedFile["encoding"];
  mime: string;
  blob_key: string;
  size: number;
}

const fileOf = ({ path, encoding, mime, blob_key, size }: Row): ServedFile => ({
  path,
  encoding,
  mime,
  key: blob_key,
  size,
});

/** Every representation of three paths of a version: one indexed read. */
export async function findFiles(
  version: string,
  [first, second, third]: [string, string, string],
  env: Env,
): Promise<ServedFile[]> {
  const rows = await env.db.all<Row>`
    select path, encoding, mime, blob_key, size from version_files
    where version_id = ${version} and path in (${first}, ${second}, ${third})`;
  return rows.map(fileOf);
}

/** The bytes of a file, or of a range of it, from the blob store. */
export async function stream(
  { key }: ServedFile,
  range: { start: number; end: number } | undefined,
  env: Env,
): Promise<Readable> {
  const source = await env.blobs.get(key, range);
  if (source === null) throw new Error(`Blob ${key} is missing`);
  // By then the answer has begun: the connection breaks off, and only the log can say why.
  return source.once("error", (error) => env.log.error({ err: error, blob: key }, "reading a blob failed"));
}
