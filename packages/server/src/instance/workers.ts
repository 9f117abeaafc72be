import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The wait before a worker that has ended is started again, in milliseconds. It doubles while workers end soon after their start. */
const RESTART_MS = { first: 500, most: 30_000 };
/** A worker that has run for this long had no fault at its start, in milliseconds. */
const STABLE_MS = 60_000;
/** The time after which a worker that should stop is killed, in milliseconds. Services stop within about 10 s. */
const KILL_AFTER_MS = 20_000;

/** What a worker sends to the primary process when it listens: what is printed at the start of the service. */
interface Ready {
  ready: string;
}

export interface WorkerOptions {
  count: number;
  /** Starts a worker, with a channel for messages. A worker that replaces another one has its index. */
  start: (index: number) => ChildProcess;
  log: { error(fields: object, message: string): void };
  restart?: { first: number; most: number };
  killAfter?: number;
}

/**
 * The workers of this machine: processes that listen at the same port, each a node of the instance. A worker that ends is started again. If
 * this process ends, its workers stop.
 */
export class Workers {
  readonly #options: Required<WorkerOptions>;
  readonly #live = new Set<ChildProcess>();
  readonly #stopping = new AbortController();
  readonly #runs: Promise<void>[] = [];
  #failed = false;

  constructor(options: WorkerOptions) {
    this.#options = { restart: RESTART_MS, killAfter: KILL_AFTER_MS, ...options };
  }

  /**
   * Starts one worker, which migrates the database and tells mistakes in the settings once, and the others when it listens. Returns what it
   * has to say. Returns null if it has ended before: then nothing runs.
   */
  async start(): Promise<string | null> {
    const first = this.#fork(0);
    const ended = once(first, "exit").catch(() => {});
    const said = await Promise.race([
      once(first, "message").then(([message]) => (message as Ready).ready),
      ended,
    ]);
    if (typeof said !== "string" || this.#stopping.signal.aborted) return null;
    this.#runs.push(this.#keep(first, 0));
    for (let index = 1; index < this.#options.count; index++)
      this.#runs.push(this.#keep(this.#fork(index), index));
    return said;
  }

  /** Stops all workers, and kills those that do not stop in time. Returns the exit code for this process: 0 if all have stopped well. */
  async stop(): Promise<number> {
    this.#stopping.abort();
    for (const child of this.#live) child.kill("SIGTERM");
    const late = setTimeout(() => {
      this.#failed = true;
      for (const child of this.#live) {
        this.#options.log.error({ worker: child.pid }, "a worker did not stop and is killed");
        child.kill("SIGKILL");
      }
    }, this.#options.killAfter);
    await Promise.all(this.#runs);
    clearTimeout(late);
    return this.#failed ? 1 : 0;
  }

  #fork(index: number): ChildProcess {
    const child = this.#options.start(index);
    this.#live.add(child);
    child.once("exit", () => this.#live.delete(child));
    return child;
  }

  /** Waits for the end of a worker and starts another one, until all workers stop. */
  async #keep(first: ChildProcess, index: number): Promise<void> {
    const { restart, log } = this.#options;
    const { signal: stopping } = this.#stopping;
    let wait = restart.first;
    for (let child = first; ; child = this.#fork(index)) {
      const begun = performance.now();
      const [code, signal] = await endOf(child);
      if (stopping.aborted) {
        if (code !== 0 && signal !== "SIGTERM") this.#failed = true;
        return;
      }
      if (performance.now() - begun >= STABLE_MS) wait = restart.first;
      const fields = { worker: child.pid, code, signal };
      log.error(fields, `a worker has ended: another one starts in ${wait} ms`);
      await sleep(wait, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return;
      wait = Math.min(2 * wait, restart.most);
    }
  }
}

/** Waits until a process has ended, or could not be started. */
async function endOf(child: ChildProcess): Promise<[code: number | null, signal: string | null]> {
  if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode];
  return once(child, "exit").catch(() => [1, null]) as Promise<[number | null, string | null]>;
}

/** Returns the port of the settings, or a free one for 0. Throws if another program listens there, which sharing the port would hide. */
export async function unusedPort({ host, port }: { host: string; port: number }): Promise<number> {
  const server = net.createServer();
  server.listen({ host, port });
  await once(server, "listening");
  const { port: found } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return found;
}

/**
 * Tells the primary process that this worker listens, and calls `stop` when the primary has ended, which it may have done before. `log` is that of
 * the worker.
 */
export function reportReady(
  ready: string,
  { log, stop }: { log: { warn(message: string): void }; stop: () => Promise<void> },
): void {
  const orphaned = () => {
    log.warn("the process that started this worker has ended: the worker stops");
    void stop();
  };
  if (process.connected) {
    process.once("disconnect", orphaned);
    // That the channel closes meanwhile is told by its event.
    process.send?.({ ready } satisfies Ready, () => {});
  } else orphaned();
}
