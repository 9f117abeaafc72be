import { statfs } from "node:fs/promises";

const MIB = 1024 * 1024;

/** The usual reserve in bytes. */
const USUAL = 256 * MIB;

/** A stream is checked before its first byte and after this many further ones. */
const STEP = 8 * MIB;

/** Thrown before the disk is full, with the code that a write to a full disk has. */
class ReserveReached extends Error {
  readonly code = "ENOSPC";
  readonly syscall = "statfs";
}

/** The bytes that stay free on a file system of `total` bytes: those of the setting, or the usual reserve and at most a tenth of the disk. */
export const reserveOf = (setting: number | null, total: number): number =>
  setting ?? Math.min(USUAL, total / 10);

/** Requires that more than the reserve is free on the file system of a directory. @throws an error with the code ENOSPC. */
export async function requireSpace(directory: string, setting: number | null): Promise<void> {
  if (setting === 0) return;
  const { bavail, blocks, bsize } = await statfs(directory);
  // Some network file systems do not know.
  if (blocks === 0 || bavail * bsize > reserveOf(setting, blocks * bsize)) return;
  throw new ReserveReached(
    `less than the reserve (SERVICE_DISK_RESERVE_BYTES) is free on the disk of ${directory}`,
  );
}

/** Passes a stream on for as long as more than the reserve is free. */
export async function* whileSpace(
  source: AsyncIterable<Uint8Array>,
  directory: string,
  setting: number | null,
): AsyncIterable<Uint8Array> {
  await requireSpace(directory, setting);
  let left = STEP;
  for await (const chunk of source) {
    left -= chunk.length;
    if (left < 0) {
      await requireSpace(directory, setting);
      left = STEP;
    }
    yield chunk;
  }
}

/** SQLITE_FULL. */
const DATABASE_FULL = 13;

/** Whether an error says that a disk or a disk quota is full, the reserve included. */
export function isFull(error: unknown): boolean {
  const { code, errcode = 0 } = (error ?? {}) as { code?: string; errcode?: number };
  return code === "ENOSPC" || code === "EDQUOT" || errcode % 256 === DATABASE_FULL;
}
