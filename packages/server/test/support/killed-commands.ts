import { spawn } from "node:child_process";
import { once } from "node:events";
import { type FSWatcher, watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { NODE, PROGRAM } from "./process.ts";

/** How a command has ended, and what it has printed. `code` is null if it was killed. */
export interface Ended {
  code: number | null;
  said: string;
}

/** A command of the service as it is run, again and again, and what changes while it runs. */
export interface Command {
  args: string[];
  settings: Record<string, string>;
  /** The directories whose changes show how far it is. */
  watched: string[];
  /** Calls `changed` at each other change, until the returned function is called. */
  listen?: (changed: () => void) => () => void;
}

/**
 * Runs commands, and kills them between two changes that show how far they are: of files, of the lines that they print, and of what a test listens
 * to. Which two, and when between them, is random. A whole run is measured first, which says how many changes there are and how long each takes.
 */
export class Killer {
  readonly #random: () => number;
  /** The times of the changes in the whole run, from the start of the process, and that of its end, in milliseconds. */
  #times: number[] = [];
  /** How many commands were killed, and how many had ended before. */
  killed = 0;
  ended = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Runs a command to its end, and measures it. */
  async measure(command: Command): Promise<Ended> {
    const begun = performance.now();
    const times: number[] = [];
    const run = start(command, () => times.push(performance.now() - begun));
    const end = await run.ended;
    this.#times = [...times, performance.now() - begun];
    return end;
  }

  /** Runs a command, and kills it at a random moment. */
  async kill(command: Command): Promise<Ended> {
    const changes = this.#times.length - 1;
    const after = 1 + Math.floor(this.#random() * changes);
    const gap = (this.#times[after] ?? 0) - (this.#times[after - 1] ?? 0);
    const reached = Promise.withResolvers<void>();
    let seen = 0;
    const run = start(command, () => {
      if (++seen === after) reached.resolve();
    });
    await Promise.race([reached.promise, run.ended]);
    await Promise.race([sleep(this.#random() * gap), run.ended]);
    run.kill();
    const end = await run.ended;
    if (end.code === null) this.killed++;
    else this.ended++;
    return end;
  }
}

function start({ args, settings, watched, listen }: Command, changed: () => void) {
  const child = spawn(NODE, [PROGRAM, ...args], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const watchers: FSWatcher[] = watched.map((each) => watch(each, { recursive: true }, changed));
  // A directory that is removed meanwhile cannot be watched.
  for (const each of watchers) each.on("error", () => {});
  const end = listen?.(changed);
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
    changed();
  });
  child.stderr.on("data", (text) => {
    said += text;
  });
  const ended = once(child, "close").then(([code]): Ended => {
    for (const each of watchers) each.close();
    end?.();
    return { code: code as number | null, said };
  });
  return { ended, kill: () => child.kill("SIGKILL") };
}
