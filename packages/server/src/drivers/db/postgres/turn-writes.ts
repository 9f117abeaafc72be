import type { Row, RowList } from "postgres";
import type { Value } from "../db.ts";
import { columnsOf, sizeOf } from "./array-values.ts";
import type { Lanes, Sent } from "./lanes.ts";
import { type Client, ownRows } from "./postgres-client.ts";
import { isRefusal, retried } from "./postgres-errors.ts";
import type { UpdateStatement } from "./postgres-statement.ts";
import { CALLS_BYTES, CALLS_MAX, type Gatherer, IN_FLIGHT_MAX, type Turns } from "./turns.ts";

/** The rows that an update returns, and the number of rows that it has changed: 0 or 1. */
export interface Updated {
  count: number;
  rows: unknown[];
}

interface Write {
  statement: UpdateStatement;
  values: Value[];
  /** Identifies the row that the write may change. */
  row: string;
  resolve: (updated: Updated) => void;
  reject: (error: unknown) => void;
}

/** Writes of the same text and of different rows, which are sent as one statement. */
type Joined = Write[];

/**
 * Runs updates of one row each. Those of one turn of the event loop share a transaction, and those with the same text a statement
 * (decision 083). Updates of one row run in order, and never in two transactions at the same time, so the transactions of a node do not wait for
 * each other's locks.
 */
export class TurnWrites implements Gatherer {
  readonly #single: Client;
  readonly #lanes: Lanes;
  readonly #turns: Turns;
  #waiting: Write[] = [];
  /** The rows of the writes in flight. */
  readonly #rows = new Set<string>();
  #inFlight = 0;

  constructor(single: Client, lanes: Lanes, turns: Turns) {
    this.#single = single;
    this.#lanes = lanes;
    this.#turns = turns;
  }

  run(statement: UpdateStatement, values: Value[]): Promise<Updated> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, values, row: statement.rowOf(values), resolve, reject });
      this.#turns.atEnd(this);
    });
  }

  flush(): void {
    while (this.#inFlight < IN_FLIGHT_MAX) {
      const writes = this.#take();
      if (writes.length === 0) return;
      void this.#write(writes);
    }
  }

  /** Takes as many of the waiting writes as may be sent together, but none of a row in flight. */
  #take(): Write[] {
    const taken: Write[] = [];
    const left: Write[] = [];
    let bytes = 0;
    for (const write of this.#waiting) {
      if (taken.length === CALLS_MAX || bytes > CALLS_BYTES || this.#rows.has(write.row)) left.push(write);
      else {
        taken.push(write);
        bytes += sizeOf(write.values);
      }
    }
    this.#waiting = left;
    for (const { row } of taken) this.#rows.add(row);
    return taken;
  }

  async #write(writes: Write[]): Promise<void> {
    this.#inFlight++;
    const rounds = roundsOf(writes);
    await (writes.length === 1 ? this.#writeSingly(rounds) : this.#writeAll(rounds, writes));
    this.#inFlight--;
    for (const { row } of writes) this.#rows.delete(row);
    if (this.#waiting.length > 0) this.#turns.atEnd(this);
  }

  async #writeAll(rounds: Joined[][], writes: Write[]): Promise<void> {
    try {
      const statements = rounds.flat();
      const answers = await this.#lanes.run(statements.map(sentFor));
      for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
      for (const [index, joined] of statements.entries()) {
        const answer = answers[index];
        if (answer?.status === "fulfilled") settle(joined, answer.value);
      }
    } catch (error) {
      // After a refusal, nothing has been written. One of the writes can have caused it, whose error it then is.
      if (isRefusal(error)) {
        for (const { statement } of writes) statement.refused(error.code);
        await this.#writeSingly(rounds);
      } else for (const { reject } of writes) reject(error);
    }
  }

  async #writeSingly(rounds: Joined[][]): Promise<void> {
    for (const round of rounds) await Promise.all(round.flat().map((write) => this.#writeOne(write)));
  }

  async #writeOne({ statement, values, resolve, reject }: Write): Promise<void> {
    try {
      const found = await retried(() =>
        this.#single.unsafe(statement.text, values as never[], { prepare: true }),
      );
      statement.learn(found.statement.types);
      resolve({ count: found.count, rows: [...ownRows(found)] });
    } catch (error) {
      reject(error);
    }
  }
}

/**
 * Divides writes into rounds, which run one after the other: the first has the first write of each row, and so on. Each round has the writes
 * of each text in the order of their rows, so that two nodes lock rows in the same order.
 */
function roundsOf(writes: Write[]): Joined[][] {
  const rounds: Map<UpdateStatement, Joined>[] = [];
  const counts = new Map<string, number>();
  for (const write of writes) {
    const count = counts.get(write.row) ?? 0;
    counts.set(write.row, count + 1);
    const round = rounds[count] ?? new Map<UpdateStatement, Joined>();
    rounds[count] = round;
    const known = round.get(write.statement);
    if (known === undefined) round.set(write.statement, [write]);
    else known.push(write);
  }
  return rounds.map((round) =>
    [...round].flatMap(([{ joins }, joined]) => {
      joined.sort((one, other) => (one.row < other.row ? -1 : 1));
      return joins ? [joined] : joined.map((write) => [write]);
    }),
  );
}

function sentFor(joined: Joined): Sent {
  const { statement, values } = joined[0] as Write;
  if (joined.length === 1) return { text: statement.text, values };
  return { text: statement.forCalls, values: columnsOf(joined.map((each) => each.values)) };
}

/** Resolves the writes of a statement. */
function settle(joined: Joined, found: RowList<Row[]>): void {
  const [first] = joined as [Write];
  if (joined.length === 1) {
    first.statement.learn(found.statement.types);
    first.resolve({ count: found.count, rows: [...found] });
    return;
  }
  const updated: Updated[] = joined.map(() => ({ count: 0, rows: [] }));
  for (const { p0, ...row } of found as Iterable<Row & { p0: number }>)
    updated[p0 - 1] = { count: 1, rows: [row] };
  for (const [index, { resolve }] of joined.entries()) resolve(updated[index] as Updated);
}
