import { statSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { Message } from "./checkpoint-worker.ts";

/** The module of the thread. It has the same extension as this module, which is `.js` in a bundle of the service. */
const WORKER = new URL(`./checkpoint-worker${path.extname(import.meta.filename)}`, import.meta.url);

/** The time between a commit and the checkpoint that follows it. */
const DELAY_MS = 1_000;

/** The size of the log from which on it is copied. A smaller log slows down no read, and a small service needs no thread. */
const MIN_LOG_BYTES = 4 * 1024 * 1024;

/**
 * Copies SQLite's write-ahead log into the database file, in a thread, so that the event loop does not wait for the disk (decision 021).
 * Then calls `finish`, which copies on the event loop what the thread left and what was committed in the meantime. SQLite can reuse the log
 * only after all of it has been copied.
 */
export class Checkpoints {
  readonly #file;
  readonly #finish;
  readonly #delayMs;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #copying = false;

  constructor(file: string, finish: () => void, delayMs = DELAY_MS) {
    this.#file = file;
    this.#finish = finish;
    this.#delayMs = delayMs;
  }

  /** Schedules a checkpoint, which is left out while the log is small. Called after every commit, and when the disk is short of space. */
  schedule(): void {
    if (this.#copying) return;
    this.#timer ??= setTimeout(() => this.#start(), this.#delayMs).unref();
  }

  /** Ends the thread. SQLite copies the rest of the log when the last connection to the database is closed. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = null;
    if (!worker) return;
    // Waits for `exit`, which a thread that fails also emits.
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    worker.once("exit", () => resolve());
    // Keeps the process alive until the thread has ended.
    worker.ref();
    worker.postMessage("close" satisfies Message);
    await ended;
  }

  #start(): void {
    this.#timer = null;
    if ((statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0) < MIN_LOG_BYTES) return;
    this.#copying = true;
    this.#worker ??= this.#newWorker();
    this.#worker.postMessage("checkpoint" satisfies Message);
  }

  #newWorker(): Worker {
    // Node 22 warns in each thread that SQLite is experimental.
    const execArgv = ["--disable-warning=ExperimentalWarning"];
    const worker = new Worker(WORKER, { workerData: this.#file, execArgv });
    worker.unref();
    worker.on("message", () => this.#end());
    worker.on("error", () => {
      this.#worker = null;
      this.#end();
    });
    return worker;
  }

  #end(): void {
    this.#copying = false;
    this.#finish();
  }
}
