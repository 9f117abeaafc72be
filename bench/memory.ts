import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { Server } from "./child.ts";

/** What a server's process holds after a collection of all garbage, in bytes. */
export interface Memory {
  rss: number;
  /** The heap in use, and what it holds outside of it. */
  heap: number;
}

/** Where the probe in a process listens. */
export const probePath = (pid: number): string => join(tmpdir(), `easel-bench-${pid}.sock`);

/** Starts a server with a probe in its process, so that its memory can be read. */
export async function probed(start: () => Promise<Server>): Promise<Server> {
  const { NODE_OPTIONS: before } = process.env;
  const probe = new URL("probe.ts", import.meta.url).href;
  process.env.NODE_OPTIONS = `${before ?? ""} --expose-gc --import ${probe}`;
  try {
    return await start();
  } finally {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  }
}

/** Has a probed server collect its garbage and reads its memory. */
export async function memoryOf({ pid }: Server): Promise<Memory> {
  return (await json(connect(probePath(pid)))) as Memory;
}
