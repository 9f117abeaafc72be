import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Turns } from "./event-loop-turns.ts";

test("the number of a turn is the same across awaits, and changes with the next turn", async () => {
  const turns = new Turns();
  const first = turns.current;
  await Promise.resolve();
  assert.equal(turns.current, first);
  await turn();
  assert.notEqual(turns.current, first);
});

test("callbacks run once, at the end of the turn in which they were added", async () => {
  const turns = new Turns();
  const done: number[] = [];
  turns.atEnd(() => done.push(1));
  turns.atEnd(() => done.push(2));
  await Promise.resolve();
  assert.deepEqual(done, []);
  await turn();
  await turn();
  assert.deepEqual(done, [1, 2]);
});

test("work is started at once until 5 ms of a turn are used, and the rest in later turns, in order", async () => {
  let now = 0;
  const turns = new Turns(() => now);
  const seen: { work: number; turn: number }[] = [];
  const start = (work: number) =>
    turns.start(() => {
      seen.push({ work, turn: turns.current });
      now += 3;
    });
  for (const work of [0, 1, 2, 3, 4]) start(work);
  assert.deepEqual(seen, [
    { work: 0, turn: 0 },
    { work: 1, turn: 0 },
  ]);
  while (seen.length < 5) await turn();
  assert.deepEqual(
    seen.map(({ work }) => work),
    [0, 1, 2, 3, 4],
  );
  assert.equal(seen[2]?.turn, seen[3]?.turn);
  assert.notEqual(seen[3]?.turn, seen[4]?.turn);
});

test("long work of several callers runs in order, each in a turn of its own, also after one has failed", async () => {
  const turns = new Turns();
  const seen: number[] = [];
  const note = () => seen.push(turns.current);
  const failing = turns.alone("ada", () => {
    note();
    throw new Error("failed");
  });
  const others = [turns.alone("ada", note), turns.alone("ada", note)];
  assert.equal(seen.length, 0);
  await assert.rejects(failing, /failed/);
  await Promise.all(others);
  assert.deepEqual(
    seen,
    [...new Set(seen)].sort((a, b) => a - b),
  );
  assert.equal(seen.length, 3);
});

test("people take turns with long work, however much of it one has", async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const work = (name: string) => turns.alone(name.slice(0, 1), () => void seen.push(name));
  await Promise.all(["a1", "a2", "a3", "b1", "a4", "c1"].map(work));
  assert.deepEqual(seen, ["a1", "b1", "c1", "a2", "a3", "a4"]);
});

test("long work whose client has gone does not run", async () => {
  const turns = new Turns();
  const gone = new AbortController();
  const seen: string[] = [];
  const [first, waiting] = ["first", "waiting"].map((name) =>
    turns.alone("ada", () => void seen.push(name), gone.signal),
  );
  gone.abort(new Error("gone"));
  await assert.rejects(Promise.resolve(first), /gone/);
  await assert.rejects(Promise.resolve(waiting), /gone/);
  assert.deepEqual(seen, []);
});

test("a turn is given away 1 ms after its first question", async () => {
  let now = 0;
  const turns = new Turns(() => now);
  const signal = () => new AbortController().signal;
  const before = turns.current;
  assert.equal(turns.give("ada", signal), undefined);
  now += 0.7;
  assert.equal(turns.give("ada", signal), undefined);
  now += 0.7;
  await turns.give("ada", signal);
  assert.notEqual(turns.current, before);
  assert.equal(turns.give("ada", signal), undefined);
});
