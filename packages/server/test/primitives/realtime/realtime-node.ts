import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { line } from "@easel/conformance/realtime/line";
import type { Socket } from "@easel/conformance/realtime/socket";
import { devTarget, type Person, type Target } from "@easel/conformance/target";
import { createApp } from "../../../src/app.ts";
import { baseOf } from "../../../src/config/addresses.ts";
import { type Db, type SqlText, textOf } from "../../../src/drivers/db/db.ts";
import type { Env } from "../../../src/env.ts";
import { NodeLease } from "../../../src/instance/lease.ts";
import { changedDb } from "../../support/changed-db.ts";
import { atEnd, type Scope } from "../../support/service.ts";
import type { TestEnv } from "../../support/test-env.ts";

/** A running node. */
export interface Node {
  target: Target;
  env: Env;
  stop(): Promise<void>;
}

/** Starts a node that shares the database, the blobs and the bus of a service, except for the parts in `changed`. */
export async function startNode(scope: Scope, of: Env, changed: Partial<Env> = {}): Promise<Node> {
  const shared = { ...of, ...changed };
  const lease = new NodeLease(shared);
  const env: TestEnv = { ...shared, lease };
  await lease.start();
  const app = await createApp(env);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  env.base = baseOf({ ...env.config, baseUrl: null }, port);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= app.close().then(() => lease.stop());
    return stopped;
  };
  atEnd(scope, stop);
  return { target: devTarget(env.base.origin, env.base.urlMode), env, stop };
}

/** Returns a function that connects people to each of two nodes, one of which is the service itself. */
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

/** A read of the database whose result is delayed. */
export interface Held {
  /** Resolves when the database has returned the result. */
  reached: Promise<void>;
  /** Lets the read return its result to the caller. */
  pass(): void;
  /** Lets the read fail. */
  fail(): void;
}

/** Whether a read is selected, by its statement and its values. */
type Which = (statement: string, values: unknown[]) => boolean;

interface Trap {
  which: Which;
  before(): Promise<void>;
  after(): Promise<void>;
}

const nothing = async () => {};

/** Wraps a database, so that a test can delay reads of single rows. */
export class SlowDb {
  readonly db: Db;
  readonly #traps = new Set<Trap>();

  constructor(db: Db) {
    this.db = changedDb(db, {
      get: (text, ...values) => this.#read(text, values, () => db.get(text, ...values)),
      getCached: (text, ...values) => this.#read(text, values, () => db.getCached(text, ...values)),
    });
  }

  /** Delays the results of the reads that `which` selects. */
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

  /** Runs `work` before the next read that `which` selects. */
  before(which: Which, work: () => Promise<unknown>): void {
    const before = async () => {
      this.#traps.delete(trap);
      await work();
    };
    const trap: Trap = { which, before, after: nothing };
    this.#traps.add(trap);
  }

  async #read<Result>(text: SqlText, values: unknown[], read: () => Promise<Result>): Promise<Result> {
    const statement = textOf(text);
    const trap = this.#traps.values().find(({ which }) => which(statement, values));
    await trap?.before();
    const found = await read();
    await trap?.after();
    return found;
  }
}

/** Selects reads that determine the access of the user with this e-mail address to a canvas. */
export const entryOf =
  (email: string): Which =>
  (statement, values) =>
    statement.includes("from canvases join users") && values.includes(email);

/** Selects reads of the policy document of a canvas. */
export const policyRead: Which = (statement) =>
  /select runtime_policy\b.* from canvases where id/.test(statement);

/** A clock that only a test moves. */
export class Clock {
  #now = Date.now();
  readonly now = (): number => this.#now;

  pass(ms: number): void {
    this.#now += ms;
  }
}
