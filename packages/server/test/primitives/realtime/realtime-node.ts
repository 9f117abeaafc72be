import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { line } from "@easel/conformance/realtime/line";
import type { Socket } from "@easel/conformance/realtime/socket";
import { devTarget, type Person, type Target } from "@easel/conformance/target";
import { createApp } from "../../../src/app.ts";
import { baseOf } from "../../../src/config/addresses.ts";
import type { Db } from "../../../src/drivers/db/db.ts";
import type { Env } from "../../../src/env.ts";
import { atEnd, type Scope } from "../../support/service.ts";

/** A running node. */
export interface Node {
  target: Target;
  env: Env;
  stop(): Promise<void>;
}

/** A node at an address of its own, on the database, blobs and bus of a service; some of what it works with may be the test's. */
export async function startNode(scope: Scope, of: Env, changed: Partial<Env> = {}): Promise<Node> {
  const env: Env = { ...of, ...changed };
  const app = await createApp(env);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  env.base = baseOf({ ...env.config, baseUrl: null }, port);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= app.close();
    return stopped;
  };
  atEnd(scope, stop);
  return { target: devTarget(env.base.origin, env.base.urlMode), env, stop };
}

/** A way to open a connection of each of some people to each of two nodes, of which one is the service itself. */
export function onBothNodes(
  target: Target,
  env: Env,
): (canvas: { slug: string }, people: Person[]) => Promise<Socket[]> {
  const here = line(target);
  const there = startNode({ after }, env).then((second) => line(second.target));
  return async (canvas, people) => {
    const dials = [here, await there];
    return Promise.all(people.flatMap((person) => dials.map((dial) => dial(canvas, person, []))));
  };
}

/** A read whose answer is held up. */
export interface Held {
  /** Resolved once the answer is there. */
  reached: Promise<void>;
  /** Gives it. */
  pass(): void;
  /** Says that the database is away. */
  fail(): void;
}

/** Whether a read is meant, by its statement and values. */
type Which = (statement: string, values: unknown[]) => boolean;

interface Trap {
  which: Which;
  before(): Promise<void>;
  after(): Promise<void>;
}

const nothing = async () => {};

/** A database whose reads of single rows a test can hold up; everything else passes. */
export class SlowDb {
  readonly db: Db;
  readonly #traps = new Set<Trap>();

  constructor(db: Db) {
    this.db = {
      ...db,
      get: (text, ...values) => this.#read(text, values, () => db.get(text, ...values)),
      getCached: (text, ...values) => this.#read(text, values, () => db.getCached(text, ...values)),
    };
  }

  /** Holds up what such reads find, until it passes. */
  hold(which: Which): Held {
    const passed = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    passed.promise.catch(nothing);
    const after = () => {
      reached.resolve();
      return passed.promise;
    };
    const trap = { which, before: nothing, after };
    this.#traps.add(trap);
    return {
      reached: reached.promise,
      pass: () => {
        this.#traps.delete(trap);
        passed.resolve();
      },
      fail: () => {
        this.#traps.delete(trap);
        passed.reject(new Error("the database is away"));
      },
    };
  }

  /** Does something before the next such read. */
  before(which: Which, work: () => Promise<unknown>): void {
    const before = async () => {
      this.#traps.delete(trap);
      await work();
    };
    const trap: Trap = { which, before, after: nothing };
    this.#traps.add(trap);
  }

  async #read<Result>(
    text: TemplateStringsArray,
    values: unknown[],
    read: () => Promise<Result>,
  ): Promise<Result> {
    const statement = text.join("?");
    const trap = this.#traps.values().find(({ which }) => which(statement, values));
    await trap?.before();
    const found = await read();
    await trap?.after();
    return found;
  }
}

/** The read by which a canvas is entered in somebody's name. */
export const entryOf =
  (email: string): Which =>
  (statement, values) =>
    statement.includes("from canvases join users") && values.includes(email);

/** The read of a policy document. */
export const policyRead: Which = (statement) =>
  /select runtime_policy\b.* from canvases where id/.test(statement);

/** A clock that stands still until a test puts it forward. */
export class Clock {
  #now = Date.now();
  readonly now = (): number => this.#now;

  pass(ms: number): void {
    this.#now += ms;
  }
}
