import connect, { type TransactionSql } from "postgres";
import { type Db, type Schema, type Sql, type Step, type Value, valueFor } from "./db.ts";

type Client = ReturnType<typeof connect>;

/** Undoes a batch; never leaves this file. */
class Undo extends Error {}

/** Any number that stays the same from version to version: nodes that start together take turns by it. */
const SCHEMA_LOCK = 5_324_117_280;

/** Serialization failure and deadlock: the server asks to try again. */
const TRY_AGAIN = new Set(["40001", "40P01"]);

/** PostgreSQL 15 or newer. Statements are prepared once a connection and pipelined. */
export function postgres(url: string): Db & Schema {
  const client = connect(url, {
    max: 16,
    connect_timeout: 10,
    onnotice() {},
    types: {
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      // JSON is text here: by default it would be turned into text once more.
      json: { to: 114, from: [114], parse: String, serialize: String },
    },
    connection: { application_name: "easel", statement_timeout: 15_000, client_min_messages: "warning" },
  });
  const pending = new Set<Promise<unknown>>();
  const texts = new WeakMap<TemplateStringsArray, string>();

  function query(through: Client | TransactionSql, [strings, ...values]: Sql) {
    let text = texts.get(strings);
    if (text === undefined) {
      text = strings.reduce((before, part, index) => `${before}$${index}${part}`);
      texts.set(strings, text);
    }
    return through.unsafe(text, values as Exclude<Value, Uint8Array>[], { prepare: true });
  }

  /** All steps are sent at once: what follows one that changed nothing is undone with it. */
  async function attempt(steps: Step[]): Promise<number[]> {
    const changed: number[] = [];
    try {
      await client.begin(async (transaction) => {
        const results = await Promise.allSettled(
          steps.map((step) => query(transaction, "maybe" in step ? step.maybe : step)),
        );
        for (const [index, result] of results.entries()) {
          if (result.status === "rejected") throw result.reason;
          const { count } = result.value;
          if (count === 0 && !("maybe" in (steps[index] as Step))) throw new Undo();
          changed.push(count);
        }
      });
    } catch (error) {
      if (!(error instanceof Undo)) throw error;
    }
    return changed;
  }

  /** Has `close` wait for it. */
  async function tracked<Result>(work: Promise<Result>): Promise<Result> {
    pending.add(work);
    return work.finally(() => pending.delete(work));
  }

  const rows = <Row>(statement: Sql) =>
    tracked(query(client, statement).then((found) => [...found] as Row[]));

  const get = async <Row>(...statement: Sql) => (await rows<Row>(statement))[0];

  async function batch(steps: Step[]): Promise<number[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(steps);
      } catch (error) {
        if (tries === 5 || !TRY_AGAIN.has((error as { code?: string }).code ?? "")) throw error;
      }
    }
  }

  return {
    get,
    // Another node may have changed any row.
    recall: (text, ...values) => get(text, ...values.map(valueFor)),
    all: (...statement) => rows(statement),
    run: (...statement) => tracked(query(client, statement).then(({ count }) => count)),
    returning: (...statement) => rows(statement),
    batch: (steps) => tracked(batch(steps)),

    async exclusively(work) {
      await client.begin(async (transaction) => {
        await transaction`select pg_advisory_xact_lock(${SCHEMA_LOCK})`;
        await work({
          async exec(text) {
            await transaction.unsafe(text);
          },
          run: (...statement) => query(transaction, statement),
          async all<Row>(...statement: Sql) {
            return [...(await query(transaction, statement))] as Row[];
          },
        });
      });
    },

    async close() {
      while (pending.size > 0) await Promise.allSettled(pending);
      await client.end({ timeout: 5 });
    },
  };
}
