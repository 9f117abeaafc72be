import { availableParallelism } from "node:os";
import { LIMITS } from "@easel/protocol/limits";
import { Background, WorkLists } from "./background.ts";
import { Turns } from "./event-loop-turns.ts";
import { Concurrency, TaskPool } from "./task-pool.ts";

/** How many uploads of all people are received at once. Each holds a connection and a file. */
const UPLOADS = 1_000;

/** How many calls whose large bodies arrive late are served at once for one person. Such a body can have several MiB, which are parsed in memory. */
const LATE_BODIES = 4;

/** How many calls that are work wait for one person. They take little memory: their bodies are limited elsewhere. */
const CALLS_WAITING = 1_000;

/** How much of each kind of work this process does at once, in all and for each person. */
export interface Pools {
  turns: Turns;
  /** Work that goes on after the response to its request. */
  background: Background;
  /** Limits how many large responses are sent to each caller at once. */
  responses: Concurrency;
  /** Receives bodies that are stored while they arrive. */
  uploads: TaskPool;
  /** Limits how many requests of each caller, whose bodies have not arrived, are open at once. */
  unfinished: Concurrency;
  /** Runs calls that are not cheap (`operations/operation.ts`), and calls of connected tools. */
  calls: TaskPool;
  /** Serves calls whose large bodies arrive late, from before the body is read until the call is over. */
  lateBodies: TaskPool;
  /** Unpacks and stores bundles. */
  deploys: TaskPool;
  /** Makes and sends the zips of exports and versions. */
  downloads: TaskPool;
  /** Imports data. */
  imports: TaskPool;
  /** Compresses the files of published versions in the background. */
  compressions: WorkLists;
}

/** Creates the pools of a process. `onFailure` gets the errors of compressions. */
export function newPools(onFailure: (error: unknown) => void): Pools {
  // With one or two cores, only one file is compressed at a time, because a compression occupies a core and a thread of Node's pool, which
  // also reads files for responses.
  const width = availableParallelism() > 2 ? 2 : 1;
  return {
    turns: new Turns(),
    background: new Background(),
    responses: new Concurrency(LIMITS.largeResponses.value),
    uploads: new TaskPool({
      running: UPLOADS,
      runningEach: LIMITS.uploads.value,
      waitingEach: LIMITS.unfinishedRequests.value,
    }),
    unfinished: new Concurrency(LIMITS.unfinishedRequests.value),
    calls: new TaskPool({
      running: Infinity,
      runningEach: LIMITS.callsAtOnce.value,
      waitingEach: CALLS_WAITING,
    }),
    lateBodies: new TaskPool({
      running: Infinity,
      runningEach: LATE_BODIES,
      waitingEach: LIMITS.unfinishedRequests.value,
    }),
    deploys: new TaskPool({ running: 2, runningEach: 1, waitingEach: 8 }),
    // A client decides how long a download lasts, so all people together may have any number.
    downloads: new TaskPool({ running: Infinity, runningEach: LIMITS.downloads.value, waitingEach: 8 }),
    imports: new TaskPool({ running: 2, runningEach: 1, waitingEach: 2 }),
    compressions: new WorkLists(new TaskPool({ running: width, runningEach: 1, waitingEach: 1 }), onFailure),
  };
}
