import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Stage, stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import type { Target } from "@easel/conformance/target";
import { type Access, faultsOfCounter, faultsOfRegister, type Increment } from "../support/history.ts";
import { askPage } from "./ask.ts";

const CLIENTS = 8;
const COUNTERS = 4;
const REGISTERS = 8;
const PAUSE_MS = 10;

/** What the clients of the key-value store saw, and what of it must not be. */
export interface WritesResult {
  acknowledged: number;
  unanswered: number;
  /** Acknowledged writes that are not there, and values that nobody wrote. */
  lost: number;
  invented: number;
  /** Why the history is not linearizable; empty if it is. */
  faults: string[];
  refusals: string[];
}

/** An answer of a node: when it arrived, how long it took in milliseconds, and whether it was a success. */
export interface Timed {
  target: Target;
  at: number;
  ms: number;
  ok: boolean;
}

/** Clients of all nodes that increment counters, and put and get registers, until they are stopped. They record all that they see. */
export class Writes {
  readonly #targets: Target[];
  readonly #canvas: Stage;
  readonly #increments: Increment[][] = Array.from({ length: COUNTERS }, () => []);
  readonly #accesses: Access[][] = Array.from({ length: REGISTERS }, () => []);
  readonly #refusals: string[] = [];
  readonly times: Timed[] = [];
  #lastValue = 0;
  #isStopped = false;
  #done: Promise<unknown> = Promise.resolve();

  private constructor(targets: Target[], canvas: Stage) {
    this.#targets = targets;
    this.#canvas = canvas;
  }

  static async start(targets: Target[]): Promise<Writes> {
    const writes = new Writes(targets, await stage(targets[0] as Target));
    const clients = Array.from({ length: CLIENTS }, (_, at) => targets[at % targets.length] as Target);
    writes.#done = Promise.all(clients.map((target) => writes.#work(target)));
    return writes;
  }

  async #work(target: Target): Promise<void> {
    while (!this.#isStopped) {
      const chosen = randomInt(3);
      if (chosen === 0) await this.#increment(target, randomInt(COUNTERS));
      else await this.#access(target, randomInt(REGISTERS), chosen === 1 ? "write" : "read");
      await sleep(PAUSE_MS);
    }
  }

  /** Sends a request. Returns the answer if it is a success or a 404, and undefined if the outcome is unknown. */
  async #ask(target: Target, method: string, path: string, body?: unknown) {
    const start = performance.now();
    const { slug, people } = this.#canvas;
    const answer = await askPage(target, slug, people.editor, method, path, body);
    const end = performance.now();
    const ok = answer !== undefined && (answer.status < 300 || answer.status === 404);
    this.times.push({ target, at: end, ms: end - start, ok });
    if (!ok && answer !== undefined && answer.status < 500)
      this.#refusals.push(`${answer.status} ${answer.text.slice(0, 200)}`);
    const json = ok && answer.status < 300 ? (JSON.parse(answer.text) as { value: number }) : undefined;
    return { start, end, ok, value: json?.value };
  }

  async #increment(target: Target, counter: number): Promise<void> {
    const own: Increment = { start: performance.now(), end: Infinity, value: undefined };
    (this.#increments[counter] as Increment[]).push(own);
    const { end, ok, value } = await this.#ask(target, "POST", `/kv/counter-${counter}/increment`);
    if (ok) Object.assign(own, { end, value });
  }

  async #access(target: Target, register: number, kind: "write" | "read"): Promise<void> {
    const history = this.#accesses[register] as Access[];
    const path = `/kv/register-${register}`;
    if (kind === "read") {
      const { start, end, ok, value } = await this.#ask(target, "GET", path);
      if (ok) history.push({ kind, start, end, value });
      return;
    }
    const own: Access = { kind, start: performance.now(), end: Infinity, value: ++this.#lastValue };
    history.push(own);
    const { end, ok } = await this.#ask(target, "PUT", path, own.value);
    if (ok) own.end = end;
  }

  /** Resolves when the clients of each node have got this number of further successes. */
  async successes(count: number): Promise<void> {
    const from = this.times.length;
    await until("each node answers", () =>
      this.#targets.every(
        (target) =>
          this.times.slice(from).filter((each) => each.ok && each.target === target).length >= count,
      ),
    );
  }

  /** Stops the clients and checks all that they have seen against what is stored now. All nodes must answer again. */
  async stop(): Promise<WritesResult> {
    this.#isStopped = true;
    await this.#done;
    for (const target of this.#targets)
      for (let register = 0; register < REGISTERS; register++) await this.#access(target, register, "read");
    const writes = [
      ...this.#increments.flat(),
      ...this.#accesses.flat().filter(({ kind }) => kind === "write"),
    ];
    const result: WritesResult = {
      acknowledged: writes.filter(({ end }) => end < Infinity).length,
      unanswered: writes.filter(({ end }) => end === Infinity).length,
      lost: 0,
      invented: 0,
      faults: [],
      refusals: this.#refusals,
    };
    for (const [counter, history] of this.#increments.entries()) {
      const { ok, value: last = 0 } = await this.#ask(
        this.#targets[0] as Target,
        "GET",
        `/kv/counter-${counter}`,
      );
      if (!ok) throw new Error("the service does not answer after the fault");
      result.lost += Math.max(0, history.filter(({ end }) => end < Infinity).length - last);
      result.invented += Math.max(0, last - history.length);
      result.faults.push(...faultsOfCounter(history, last).map((each) => `counter ${counter}: ${each}`));
    }
    for (const [register, history] of this.#accesses.entries()) {
      const faults = faultsOfRegister(history).map((each) => `register ${register}: ${each}`);
      result.faults.push(...faults);
      const written = new Set(history.map(({ kind, value }) => (kind === "write" ? value : undefined)));
      result.invented += history.filter(({ value }) => !written.has(value)).length;
      // In a register, a lost write shows as an older value, which is read when all writes have ended.
      const last = history.at(-1) as Access;
      const own = history.find(({ kind, value }) => kind === "write" && value === last.value);
      const isOlder = ({ kind, start, end }: Access) =>
        kind === "write" && end < Infinity && start > (own?.end ?? -Infinity);
      if (history.some(isOlder)) result.lost++;
    }
    return result;
  }
}
