import assert from "node:assert/strict";
import { test } from "node:test";
import { inParallel } from "./in-parallel.ts";
import { TaskPool } from "./task-pool.ts";

/** Creates tasks that run until the test calls `end`. Lists the tasks that have started. */
function tasks() {
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const task = (index: number) => async () => {
    started.push(index);
    await new Promise<void>((resolve) => {
      ends[index] = resolve;
    });
    return index;
  };
  return { started, end: (index: number) => ends[index]?.(), task };
}

test("runs at most `width` tasks at a time and the others in order, also after a failure", async () => {
  const pool = new TaskPool(2);
  const { started, end, task } = tasks();
  const failed = assert.rejects(
    pool.run(async () => {
      throw new Error("failed");
    }),
    /failed/,
  );
  const first = pool.run(task(0));
  const others = [pool.run(task(1)), pool.run(task(2))];
  await failed;
  assert.deepEqual(started, [0, 1]);
  end(1);
  assert.equal(await others[0], 1);
  assert.deepEqual(started, [0, 1, 2]);
  end(0);
  end(2);
  assert.deepEqual(await Promise.all([first, ...others]), [0, 1, 2]);
});

test("rejects a task with 503 and Retry-After when the queue is full", async () => {
  const pool = new TaskPool(1, 1);
  const { end, task } = tasks();
  const first = pool.run(task(0));
  pool.requireRoom();
  const second = pool.run(task(1));
  assert.throws(() => pool.requireRoom(), { status: 503, headers: { "retry-after": "10" } });
  await assert.rejects(pool.run(task(2)), { status: 503 });
  end(0);
  await first;
  pool.requireRoom();
  end(1);
  await second;
});

test("inParallel: after a failure starts no further item, and throws when the others have ended", async () => {
  const { started, end, task } = tasks();
  let thrown = false;
  const work = inParallel([0, 1, 2, 3], 2, async (index) => {
    if (index === 1) throw new Error("failed");
    return task(index)();
  }).catch((error: Error) => {
    thrown = true;
    return error.message;
  });
  await new Promise(setImmediate);
  assert.deepEqual([started, thrown], [[0], false]);
  end(0);
  assert.equal(await work, "failed");
  assert.deepEqual(started, [0]);
});
