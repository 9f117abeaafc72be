import assert from "node:assert/strict";
import { Readable } from "node:stream";
import {
  AS_OF_MS,
  type ListedObject,
  type ObjectBody,
  type S3Objects,
} from "../../src/drivers/blobs/s3/s3-objects.ts";
import { nameOf, S3Removals } from "../../src/drivers/blobs/s3/s3-removals.ts";
import { Unavailable } from "../../src/drivers/db/db.ts";
import { randomOf } from "./random.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KEYS = ["tea", "cup"];

const settled = () => new Promise(setImmediate);

/**
 * One random interleaving of uploads, removals, reads and `tidy` on several nodes, on objects and rows in memory. At each step one actor goes
 * on, a lost request takes effect, time passes, or a process ends.
 */
class Interleaving {
  readonly #random: () => number;
  /** The functions that let the waiting actors go on. */
  #waiting: (() => void)[] = [];
  /** Effects of requests that were lost or sent again. */
  #late: (() => void)[] = [];
  #now = 1_000 * HOUR_MS;
  #hasFaults = true;
  /** The objects by name: the key of their bytes, and when they were written. */
  readonly #objects = new Map<string, { key: string; modified: number }>();
  readonly #claims = new Map<string, { key: string; at: number }>();
  /** The ids of the rows that refer to a key. */
  readonly #rows = new Map<string, Set<string>>(KEYS.map((key) => [key, new Set()]));
  /** The number of rows that were ended, so that a reader knows whether its blob was in use all the time. */
  #ended = 0;
  #names = 0;
  /** What went wrong. */
  readonly lost: string[] = [];

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  #one<Entry>(entries: readonly Entry[]): Entry {
    return entries[Math.floor(this.#random() * entries.length)] as Entry;
  }

  /** Waits until the scheduler lets the actor go on. */
  #step(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * One request: on its way, its effect, the response on its way. `again` is whether it is sent again if it fails, so that its caller sees a
   * success. A request whose signature is as of `at` has no effect later than `AS_OF_MS` after it.
   */
  async #request<Result>(effect: () => Result, again: boolean, at: number): Promise<Result> {
    await this.#step();
    const fate = this.#hasFaults ? this.#random() : 1;
    const late = () => {
      if (this.#now - at <= AS_OF_MS) effect();
    };
    if (fate < 0.03 && again) this.#late.push(late);
    else if (fate < 0.07) {
      const outcome = this.#one(["never", "now", "later"]);
      if (outcome === "later") this.#late.push(late);
      if (outcome === "now") late();
      await this.#step();
      throw new Unavailable("lost");
    }
    if (this.#now - at > AS_OF_MS) throw new Unavailable("the signature is too old");
    const result = effect();
    await this.#step();
    return result;
  }

  /** The objects as a node sees them whose clock differs by `skew` milliseconds. */
  #objectsOf(skew: number): S3Objects {
    const objects = this.#objects;
    const write = (name: string, key: string) => void objects.set(name, { key, modified: this.#now });
    const now = () => this.#now + skew;
    const request = <Result>(effect: () => Result): Promise<Result> => this.#request(effect, true, now());
    return {
      put: (name, { hash }) => request(() => write(name, hash)).then(() => true),
      get: async (name) => {
        const found = await request(() => objects.get(name));
        if (found === undefined) return null;
        assert.ok(name.includes(found.key), `${name} has the bytes of ${found.key}`);
        return Readable.from([]);
      },
      copy: (from, to) =>
        request(() => {
          const found = objects.get(from);
          if (found !== undefined) write(to, found.key);
          return found !== undefined;
        }),
      remove: (name) => request(() => void objects.delete(name)),
      removeAsOf: (name, at) => this.#request(() => void objects.delete(name), false, at),
      async *list(prefix): AsyncGenerator<ListedObject> {
        const found = await request(() => [...objects].filter(([name]) => name.startsWith(prefix)));
        for (const [name, { modified }] of found) yield { name, modified };
      },
    };
  }

  #node() {
    const skew = (this.#random() - 0.5) * 20 * MINUTE_MS;
    const objects = this.#objectsOf(skew);
    const clock = () => this.#now + skew;
    return { objects, clock, removals: new S3Removals(objects, clock) };
  }

  /** Looks up which keys are in use, in one statement. */
  #inUse = async (keys: string[]): Promise<ReadonlySet<string>> => {
    await this.#step();
    const claimed = [...this.#claims.values()].map(({ key }) => key);
    const used = keys.filter((key) => claimed.includes(key) || (this.#rows.get(key)?.size ?? 0) > 0);
    await this.#step();
    return new Set(used);
  };

  async #upload(key: string): Promise<void> {
    const { objects } = this.#node();
    const id = `${++this.#names}`;
    await this.#step();
    this.#claims.set(id, { key, at: this.#now });
    await this.#step();
    const body: ObjectBody = { hash: key, size: 1, open: () => Buffer.of(1) };
    const stored = await objects.put(nameOf(key), body).catch(() => false);
    await this.#step();
    // The batch that inserts the row is rolled back if the claim has been ended.
    if (this.#claims.delete(id) && stored) this.#rows.get(key)?.add(id);
  }

  async #unuse(key: string): Promise<void> {
    await this.#step();
    if (this.#rows.get(key)?.size) this.#ended++;
    this.#rows.get(key)?.clear();
  }

  async #remove(): Promise<void> {
    const { removals } = this.#node();
    await removals.remove([...KEYS], this.#inUse).catch(() => {});
  }

  async #tidy(): Promise<void> {
    const { removals, clock } = this.#node();
    await this.#step();
    for (const [id, { at }] of this.#claims) if (at <= clock() - HOUR_MS) this.#claims.delete(id);
    await removals.restore(clock() - HOUR_MS).catch(() => {});
  }

  async #read(key: string): Promise<void> {
    const { removals } = this.#node();
    await this.#step();
    const ended = this.#ended;
    if (!this.#rows.get(key)?.size) return;
    const found = await removals.open(key).catch(() => "unavailable");
    if (found === null && ended === this.#ended) this.lost.push(`${key} could not be read`);
  }

  /** Takes one of the waiting actors out at random. */
  #take(): () => void {
    return this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1)[0] ?? (() => {});
  }

  /**
   * Lets the actors go on in a random order until none waits. With faults, lost requests take effect, processes end, and one is suspended while
   * time passes and another node tidies.
   */
  async #run(): Promise<void> {
    const suspended: (() => void)[] = [];
    for (await settled(); this.#waiting.length + suspended.length > 0; await settled()) {
      const chance = this.#hasFaults ? this.#random() : 1;
      if (this.#waiting.length === 0) suspended.pop()?.();
      else if (chance < 0.01) this.#take();
      else if (chance < 0.03) {
        suspended.push(this.#take());
        this.#now += this.#one([10, 16, 90, 90]) * MINUTE_MS;
        void this.#tidy();
      } else if (chance < 0.07) this.#late.splice(Math.floor(this.#random() * this.#late.length), 1)[0]?.();
      else this.#take()();
    }
  }

  /** Runs the actors, and then checks that nothing in use is lost and nothing else is left. */
  async check(): Promise<void> {
    for (const key of KEYS) void this.#upload(key);
    for (let actor = 0; actor < 8; actor++) {
      const key = this.#one(KEYS);
      const act = [
        () => this.#upload(key),
        () => this.#upload(key),
        () => this.#remove(),
        () => this.#remove(),
        () => this.#unuse(key),
        () => this.#tidy(),
        () => this.#read(key),
      ];
      void this.#one(act)();
    }
    await this.#run();
    this.#hasFaults = false;
    while (this.#late.length > 0) this.#late.pop()?.();
    for (let round = 0; round < 3; round++) {
      for (const key of KEYS) void this.#read(key);
      await this.#run();
      this.#now += 3 * HOUR_MS;
      void this.#tidy();
      await this.#run();
      void this.#remove();
      await this.#run();
    }
    const names = [...this.#objects.keys()].sort();
    const used = KEYS.filter((key) => (this.#rows.get(key)?.size ?? 0) > 0);
    if (String(names) !== String(used.map(nameOf).sort())) this.lost.push(`${names} for ${used}`);
  }
}

/** Checks random interleavings, each determined by its number. Returns what went wrong in them. */
export async function checkInterleavings(first: number, count: number): Promise<string[]> {
  const lost: string[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const interleaving = new Interleaving(seed);
    await interleaving.check();
    lost.push(...interleaving.lost.map((what) => `interleaving ${seed}: ${what}`));
  }
  return lost;
}
