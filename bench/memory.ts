import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { Server } from "./child.ts";

/** Memory of a server process after garbage collection, in bytes. */
export interface Memory {
  rss: number;
  /** The sum of the used heap and of the external memory that its objects refer to, such as buffers. */
  heap: number;
}

/** The path of the Unix socket on which `probe.ts`, loaded into a process, reports the memory of that process. */
export const probePath = (pid: number): string => join(tmpdir(), `easel-bench-${pid}.sock`);

/** Starts a server with `probe.ts` loaded into its process, so that `memoryOf` can read its memory. */
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

/** Makes a server that `probed` has started collect garbage, and returns its memory. */
export async function memoryOf({ pid }: Server): Promise<Memory> {
  return (await json(connect(probePath(pid)))) as Memory;
}
