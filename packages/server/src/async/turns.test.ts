import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Turns } from "./turns.ts";

test("a turn keeps its number over awaits, and the next one has another", async () => {
  const turns = new Turns();
  const first = turns.current;
  await Promise.resolve();
  assert.equal(turns.current, first);
  await turn();
  assert.notEqual(turns.current, first);
});

test("work is done once, at the end of the turn in which it was asked for", async () => {
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
