import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Concurrency, inParallel, type PoolLimits, TaskPool } from "./task-pool.ts";

test("each holder has its own limit, and an operation that has ended no longer counts", () => {
  const concurrency = new Concurrency(2);
  const ends = [concurrency.begin("ada"), concurrency.begin("ada")];
  assert.equal(concurrency.begin("ada"), null);
  assert.notEqual(concurrency.begin("bob"), null);
  ends[0]?.();
  assert.notEqual(concurrency.begin("ada"), null);
  assert.equal(concurrency.begin("ada"), null);
});

/** Creates tasks that run until the test calls `end`. Lists the tasks that have started. */
function tasks<Name extends string | number>() {
  const started: Name[] = [];
  const ends = new Map<Name, () => void>();
  const task = (name: Name) => async () => {
    started.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return name;
  };
  const end = async (name: Name) => {
    ends.get(name)?.();
    await settled();
  };
  return { started, end, task };
}

const settled = () => new Promise(setImmediate);

const limits = (running: number, runningEach = running, waitingEach = Infinity): PoolLimits => ({
  running,
  runningEach,
  waitingEach,
});

test("runs a limited number of tasks at once and the others in order, also after a failure", async () => {
  const pool = new TaskPool(limits(2));
  const { started, end, task } = tasks<number>();
  const failed = assert.rejects(
    pool.run("ada", async () => {
      throw new Error("failed");
    }),
    /failed/,
  );
  const all = [0, 1, 2].map((index) => pool.run("ada", task(index)));
  await failed;
  await settled();
  assert.deepEqual(started, [0, 1]);
  await end(1);
  assert.deepEqual(started, [0, 1, 2]);
  await end(0);
  await end(2);
  assert.deepEqual(await Promise.all(all), [0, 1, 2]);
});

test("people take turns: the first task of another is next, however many wait before it", async () => {
  const pool = new TaskPool(limits(1));
  const { started, end, task } = tasks<string>();
  for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void pool.run(name.slice(0, 1), task(name));
  for (let each = 0; each < 6; each++) {
    await settled();
    await end(started.at(-1) ?? "");
  }
  assert.deepEqual(started, ["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("a person gets no more than their own places, although others are free", async () => {
  const pool = new TaskPool(limits(3, 2));
  const { started, end, task } = tasks<string>();
  for (const name of ["a1", "a2", "a3"]) void pool.run("ada", task(name));
  await settled();
  assert.deepEqual(started, ["a1", "a2"]);
  void pool.run("bob", task("b1"));
  await settled();
  assert.deepEqual(started, ["a1", "a2", "b1"]);
  await end("b1");
  assert.deepEqual(started, ["a1", "a2", "b1"]);
  await end("a1");
  assert.deepEqual(started, ["a1", "a2", "b1", "a3"]);
});

test("refuses a task with 503 and Retry-After when the queue of its person is full", async () => {
  const pool = new TaskPool(limits(2, 1, 1));
  const { end, task } = tasks<string>();
  const first = pool.run("ada", task("first"));
  pool.requireRoom("ada");
  const second = pool.run("ada", task("second"));
  assert.throws(() => pool.requireRoom("ada"), { status: 503, headers: { "retry-after": "10" } });
  await assert.rejects(pool.run("ada", task("third")), { status: 503 });
  await pool.run("bob", async () => {});
  await end("first");
  await first;
  pool.requireRoom("ada");
  await end("second");
  await second;
});

test("without waiting, a task starts at once or is refused", async () => {
  const pool = new TaskPool(limits(2, 1, 0));
  const { end, task } = tasks<string>();
  const first = pool.run("ada", task("a"));
  assert.equal(pool.hasRoom("ada"), false);
  const other = pool.run("bob", task("b"));
  await settled();
  assert.equal(pool.hasRoom("eve"), false);
  await end("b");
  await other;
  assert.equal(pool.hasRoom("eve"), true);
  await end("a");
  await first;
});

test("an aborted task leaves the queue at once; a running one keeps its place until it has stopped", async () => {
  const pool = new TaskPool(limits(1));
  const { started, end, task } = tasks<string>();
  const [running, waiting] = [new AbortController(), new AbortController()];
  let seen: AbortSignal | undefined;
  const first = pool.run(
    "ada",
    async (signal) => {
      seen = signal;
      await task("first")();
      signal.throwIfAborted();
    },
    running.signal,
  );
  const second = pool.run("ada", task("second"), waiting.signal);
  const third = pool.run("ada", task("third"));
  waiting.abort(new Error("left"));
  await assert.rejects(second, /left/);
  const stopped = assert.rejects(first, /gone/);
  running.abort(new Error("gone"));
  await settled();
  assert.equal(seen?.aborted, true);
  assert.deepEqual(started, ["first"]);
  await end("first");
  await stopped;
  assert.deepEqual(started, ["first", "third"]);
  await end("third");
  await third;
  await assert.rejects(pool.run("ada", task("never"), AbortSignal.abort(new Error("late"))), /late/);
  assert.deepEqual(started, ["first", "third"]);
});

/** A step of the property: adds a task of a person, ends a running task, or aborts a waiting or running one. */
const step = fc.record({
  kind: fc.constantFrom("add", "add", "end", "abort"),
  person: fc.constantFrom("ada", "bob", "eve"),
  index: fc.nat(30),
});

test("no place is lost, and nobody is passed over, whatever is added, ended and aborted", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { maxLength: 30 }),
      async (running, runningEach, steps) => {
        const pool = new TaskPool(limits(running, runningEach));
        type Task = { person: string; end: () => void; abort: () => void };
        const failures: unknown[] = [];
        const waiting: Task[] = [];
        const active: Task[] = [];
        /** How many tasks of each other person have started while this person could have been served. */
        const passed = new Map<string, Map<string, number>>();
        const remove = (list: Task[], task: Task) => {
          if (list.includes(task)) list.splice(list.indexOf(task), 1);
        };
        const activeOf = (person: string) => active.filter((each) => each.person === person).length;
        const ready = () =>
          new Set(waiting.map(({ person }) => person).filter((each) => activeOf(each) < runningEach));
        const add = (person: string) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          const controller = new AbortController();
          const task: Task = { person, end: resolve, abort: () => controller.abort() };
          waiting.push(task);
          const run = pool.run(
            person,
            async () => {
              assert.equal(
                waiting.find((each) => each.person === person),
                task,
              );
              for (const other of ready()) {
                if (other === person) continue;
                const counts = passed.get(other) ?? new Map<string, number>();
                passed.set(other, counts.set(person, (counts.get(person) ?? 0) + 1));
                assert.ok((counts.get(person) ?? 0) <= 1, `${other} was passed over`);
              }
              remove(waiting, task);
              active.push(task);
              passed.delete(person);
              await promise;
              remove(active, task);
            },
            controller.signal,
          );
          run.catch((error) => {
            if (!controller.signal.aborted) failures.push(error);
            remove(waiting, task);
          });
        };
        for (const { kind, person, index } of steps) {
          if (kind === "add") add(person);
          else if (kind === "end") active[index % active.length]?.end();
          else [...waiting, ...active][index % (waiting.length + active.length)]?.abort();
          await settled();
          assert.deepEqual(failures, []);
          for (const other of passed.keys()) if (!ready().has(other)) passed.delete(other);
          assert.ok(active.length <= running);
          for (const each of ["ada", "bob", "eve"]) assert.ok(activeOf(each) <= runningEach);
          assert.ok(active.length === running || ready().size === 0, "a place is free and a task waits");
        }
        while (active.length > 0) {
          active[0]?.end();
          await settled();
          assert.deepEqual(failures, []);
        }
        assert.deepEqual(waiting, []);
        for (let each = 0; each < running; each++) add(`new ${each}`);
        await settled();
        assert.equal(active.length, running);
      },
    ),
    { numRuns: 300 },
  );
});

test("inParallel: after a failure starts no further item, and throws when the others have ended", async () => {
  const { started, end, task } = tasks<number>();
  let thrown = false;
  const work = inParallel([0, 1, 2, 3], 2, async (index) => {
    if (index === 1) throw new Error("failed");
    return task(index)();
  }).catch((error: Error) => {
    thrown = true;
    return error.message;
  });
  await settled();
  assert.deepEqual([started, thrown], [[0], false]);
  await end(0);
  assert.equal(await work, "failed");
  assert.deepEqual(started, [0]);
});
