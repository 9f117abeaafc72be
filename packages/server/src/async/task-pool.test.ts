import assert from "node:assert/strict";
import { test } from "node:test";
import { inParallel } from "./in-parallel.ts";
import { TaskPool } from "./task-pool.ts";

/** Tasks that end when they are told to, and which of them have begun. */
function tasks() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const task = (index: number) => async () => {
    begun.push(index);
    await new Promise<void>((resolve) => {
      ends[index] = resolve;
    });
    return index;
  };
  return { begun, end: (index: number) => ends[index]?.(), task };
}

test("so many run at a time, the others in the order in which they came, also after a failure", async () => {
  const lanes = new TaskPool(2);
  const { begun, end, task } = tasks();
  const failed = assert.rejects(
    lanes.run(async () => {
      throw new Error("failed");
    }),
    /failed/,
  );
  const first = lanes.run(task(0));
  const others = [lanes.run(task(1)), lanes.run(task(2))];
  await failed;
  assert.deepEqual(begun, [0, 1]);
  end(1);
  assert.equal(await others[0], 1);
  assert.deepEqual(begun, [0, 1, 2]);
  end(0);
  end(2);
  assert.deepEqual(await Promise.all([first, ...others]), [0, 1, 2]);
});

test("when the queue is full another task is refused, with a time to try again", async () => {
  const lanes = new TaskPool(1, 1);
  const { end, task } = tasks();
  const first = lanes.run(task(0));
  lanes.requireRoom();
  const second = lanes.run(task(1));
  assert.throws(() => lanes.requireRoom(), { status: 503, headers: { "retry-after": "10" } });
  await assert.rejects(lanes.run(task(2)), { status: 503 });
  end(0);
  await first;
  lanes.requireRoom();
  end(1);
  await second;
});

test("after a failure no further item is begun, and it is thrown when the others have ended", async () => {
  const { begun, end, task } = tasks();
  let thrown = false;
  const work = inParallel([0, 1, 2, 3], 2, async (index) => {
    if (index === 1) throw new Error("failed");
    return task(index)();
  }).catch((error: Error) => {
    thrown = true;
    return error.message;
  });
  await new Promise(setImmediate);
  assert.deepEqual([begun, thrown], [[0], false]);
  end(0);
  assert.equal(await work, "failed");
  assert.deepEqual(begun, [0]);
});
