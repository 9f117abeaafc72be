import { hash, randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import path from "node:path";
import { whileSpace } from "../../../disk/disk-space.ts";
import { type BlobSize, Content, type Expected } from "../blobs.ts";
import type { ObjectBody } from "./s3-objects.ts";

/** Streams up to this size are held in memory, longer ones in a file. */
const MEMORY_BYTES = 1024 * 1024;

/** Where a stream is held before it is sent, and how many bytes must stay free on that disk. */
export interface Staging {
  directory: string;
  reserve: number | null;
}

/** Returns bytes as the body of a request. */
export function bodyOf(bytes: Uint8Array): ObjectBody {
  return { hash: hash("sha256", bytes), size: bytes.length, open: () => bytes };
}

/** Yields the chunks that were read before, and then the others. */
async function* joined(first: Uint8Array[], others: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* first;
  yield* others;
}

/**
 * Reads a stream to its end, before its first byte is sent: a request is signed over the hash of its body. Calls `use` with the body. A long
 * stream is written to a file in `directory` that has no name, so that nothing is left of it if the process is killed. @throws OtherContent
 * if the bytes are not the expected ones, and an error with the code `ENOSPC` if `reserve` would be used.
 */
export async function withStaged<Result>(
  source: AsyncIterable<Uint8Array>,
  expected: Expected,
  { directory, reserve }: Staging,
  use: (blob: BlobSize, body: ObjectBody) => Promise<Result>,
): Promise<Result> {
  const content = new Content(expected);
  const passing = content.pass(source);
  // A loop over it must not close the stream when it ends early.
  const rest: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => passing.next() }) };
  const first: Uint8Array[] = [];
  let file: FileHandle | null = null;
  try {
    for await (const chunk of rest) {
      first.push(chunk);
      if (content.size > MEMORY_BYTES) break;
    }
    if (content.key === "") {
      file = await openNameless(directory);
      await file.writeFile(whileSpace(joined(first, rest), directory, reserve));
    }
    const { key, size } = content;
    const bytes = file === null ? Buffer.concat(first) : null;
    const open = () => bytes ?? chunksOf(file as FileHandle);
    return await use({ key, size }, { hash: key, size, open });
  } finally {
    await passing.return(undefined);
    await file?.close();
  }
}

/** The number of bytes that are read from a file at once. */
const READ_BYTES = 256 * 1024;

async function* chunksOf(file: FileHandle): AsyncIterable<Uint8Array> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Opens a new file, and removes its name. */
async function openNameless(directory: string): Promise<FileHandle> {
  const name = path.join(directory, randomUUID());
  const file = await open(name, "wx+", 0o600);
  await rm(name);
  return file;
}
