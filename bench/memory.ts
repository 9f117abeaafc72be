import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { Server } from "./child.ts";

/** Memory of a server process after garbage collection, in bytes. */
export interface Memory {
  rss: number;
  /** The heap in use, and external memory that it refers to. */
  heap: number;
}

/** The path of the socket on which the probe in a process listens. */
export const probePath = (pid: number): string => join(tmpdir(), `easel-bench-${pid}.sock`);

/** Starts a server with a probe loaded into its process, which reports its memory. */
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

/** Makes a probed server collect garbage, and reads its memory. */
export async function memoryOf({ pid }: Server): Promise<Memory> {
  return (await json(connect(probePath(pid)))) as Memory;
}
