import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Db, Schema, Sql, Step, Value } from "./db.ts";

interface Write {
  work: () => unknown;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** Undoes a batch; never leaves this file. */
class Undo extends Error {}

const IO_ERROR = 10;

/**
 * The embedded database. Writes that arrive in one turn of the event loop are committed together and answered after the
 * commit. `broken` is called when the disk failed to keep a commit: nothing can be promised any more, so end the process.
 */
export function sqlite(file: string, broken: (error: unknown) => void): Db & Schema {
  const connection = new DatabaseSync(file);
  connection.exec(
    "pragma busy_timeout=5000; pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=on",
  );
  const prepared = new WeakMap<TemplateStringsArray, StatementSync>();
  let writes: Write[] = [];

  function statement(text: TemplateStringsArray): StatementSync {
    let known = prepared.get(text);
    if (known === undefined) {
      known = connection.prepare(text.join("?"));
      prepared.set(text, known);
    }
    return known;
  }

  const begin = connection.prepare("begin immediate");
  const commit = connection.prepare("commit");
  const rollback = connection.prepare("rollback");
  const savepoint = connection.prepare("savepoint batch");
  const undo = connection.prepare("rollback to batch");
  const release = connection.prepare("release batch");

  function write<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (writes.push({ work, resolve, reject }) === 1) setImmediate(flush);
    });
  }

  function flush(): void {
    const group = writes;
    writes = [];
    if (group.length === 0) return;
    const answers: (() => void)[] = [];
    try {
      begin.run();
      for (const { work, resolve, reject } of group) {
        try {
          const result = work();
          answers.push(() => resolve(result as never));
        } catch (error) {
          // A full disk and its like end the whole transaction: then nothing of the group was kept.
          if (!connection.isTransaction) throw error;
          answers.push(() => reject(error));
        }
      }
      commit.run();
    } catch (error) {
      if (connection.isTransaction) rollback.run();
      for (const { reject } of group) reject(error);
      if (((error as { errcode?: number }).errcode ?? 0) % 256 === IO_ERROR) broken(error);
      return;
    }
    for (const answer of answers) answer();
  }

  function all<Row>([text, ...values]: Sql): Row[] {
    return statement(text).all(...values) as Row[];
  }

  function run([text, ...values]: Sql): number {
    return Number(statement(text).run(...values).changes);
  }

  function batch(steps: Step[]): number {
    let done = 0;
    savepoint.run();
    try {
      for (const step of steps) {
        if ("maybe" in step) run(step.maybe);
        else if (run(step) === 0) throw new Undo();
        done++;
      }
    } catch (error) {
      if (connection.isTransaction) undo.run();
      if (!(error instanceof Undo)) throw error;
    } finally {
      if (connection.isTransaction) release.run();
    }
    return done;
  }

  return {
    async get<Row>(text: TemplateStringsArray, ...values: Value[]) {
      return statement(text).get(...values) as Row | undefined;
    },
    async all<Row>(...each: Sql) {
      return all<Row>(each);
    },
    run: (...each) => write(() => run(each)),
    returning: <Row>(...each: Sql) => write(() => all<Row>(each)),
    batch: (steps) => write(() => batch(steps)),

    async exclusively(work) {
      connection.exec("begin exclusive");
      try {
        await work({
          async exec(text) {
            connection.exec(text);
          },
          async run(...each) {
            run(each);
          },
          async all(...each) {
            return all(each);
          },
        });
        connection.exec("commit");
      } catch (error) {
        if (connection.isTransaction) connection.exec("rollback");
        throw error;
      }
    },

    async close() {
      flush();
      connection.close();
    },
  };
}
