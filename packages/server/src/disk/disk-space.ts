import { statfs } from "node:fs/promises";

const MIB = 1024 * 1024;

/** The default number of bytes to keep free on a disk. On small disks, a tenth of the disk is kept free instead. */
const DEFAULT_RESERVE = 256 * MIB;

/** The number of bytes above the reserve below which free space is scarce. On small disks, it is a tenth of the disk. */
const SCARCE = 1024 * MIB;

/** The number of bytes of a stream after which the free space is checked again. */
const CHECK_INTERVAL = 8 * MIB;

/**
 * Thrown when the free space of a disk is not larger than the reserve. Has the error code of a full disk, so that callers handle both cases
 * alike.
 */
export class ReserveReached extends Error {
  readonly code = "ENOSPC";
  readonly syscall = "statfs";

  constructor(directory: string) {
    super(`less than the reserve (SERVICE_DISK_RESERVE_BYTES) is free on the disk of ${directory}`);
  }
}

/**
 * Returns the number of bytes to keep free on a file system of `total` bytes: the setting, or if it is null, the smaller of 256 MiB and a
 * tenth of the total.
 */
export const reserveOf = (setting: number | null, total: number): number =>
  setting ?? Math.min(DEFAULT_RESERVE, total / 10);

/** The free space of a disk, in bytes. At the `reserve`, writes are refused; a `scarce` one is near it. */
export interface Space {
  free: number;
  total: number;
  reserve: number;
  state: "enough" | "scarce" | "reserve";
}

/** Measures the disk of a directory. `setting` is as for `reserveOf`. Returns null for network file systems that report a size of 0. */
export async function spaceOf(directory: string, setting: number | null): Promise<Space | null> {
  const { bavail, blocks, bsize } = await statfs(directory);
  if (blocks === 0) return null;
  const [free, total] = [bavail * bsize, blocks * bsize];
  const reserve = reserveOf(setting, total);
  const isScarce = free <= reserve + Math.min(SCARCE, total / 10);
  const state = free <= reserve && setting !== 0 ? "reserve" : isScarce ? "scarce" : "enough";
  return { free, total, reserve, state };
}

/**
 * Throws an error with the code `ENOSPC` if the free space on the file system of a directory is not larger than the reserve. `setting` is
 * the reserve in bytes; 0 disables the check, and null means the default.
 */
export async function requireSpace(directory: string, setting: number | null): Promise<void> {
  if (setting === 0) return;
  if ((await spaceOf(directory, setting))?.state === "reserve") throw new ReserveReached(directory);
}

/** Returns the number of free bytes on the file system of a directory; null where that is not known. */
export async function freeBytes(directory: string): Promise<number | null> {
  return (await spaceOf(directory, 0))?.free ?? null;
}

/**
 * Yields the chunks of a stream unchanged. Calls `requireSpace`, which throws when the disk is nearly full, before the first chunk and
 * after every 8 MiB.
 */
export async function* whileSpace(
  source: AsyncIterable<Uint8Array>,
  directory: string,
  setting: number | null,
): AsyncIterable<Uint8Array> {
  await requireSpace(directory, setting);
  let left = CHECK_INTERVAL;
  for await (const chunk of source) {
    left -= chunk.length;
    if (left < 0) {
      await requireSpace(directory, setting);
      left = CHECK_INTERVAL;
    }
    yield chunk;
  }
}

/** The error code of SQLite for a full disk. */
const SQLITE_FULL = 13;

/** Whether an error means that a disk or a disk quota is full. Includes the error that `requireSpace` throws. */
export function isFull(error: unknown): boolean {
  const { code, errcode = 0 } = (error ?? {}) as { code?: string; errcode?: number };
  return code === "ENOSPC" || code === "EDQUOT" || errcode % 256 === SQLITE_FULL;
}
