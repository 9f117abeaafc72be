import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createLiveRecords } from "../src/live/live-records.ts";
import { createLiveValue } from "../src/live/live-value.ts";
import { FakeCanvas, type Fate } from "./fake-canvas.ts";
import { settle } from "./settle.ts";

/**
 * One action of a random test run. `at` is a random number that chooses the step, the record or the new value. `fate` is how the next write
 * ends.
 */
interface Move {
  move: (typeof MOVES)[number];
  at: number;
  fate: Fate;
}

const MOVES = [
  "step",
  "step",
  "step",
  "wait",
  "reconnect",
  "other creates",
  "other changes",
  "other deletes",
  "create",
  "update",
  "increment",
  "remove",
  "more",
] as const;

const moves = fc.array(
  fc.record({
    move: fc.constantFrom(...MOVES),
    at: fc.nat(50),
    fate: fc.constantFrom<Fate>("accept", "accept", "refuse", "break"),
  }),
  { maxLength: 60 },
);

/** Whether change frames have values, and whether they arrive in order. */
const kinds = fc.record({ isSmall: fc.boolean(), isUnordered: fc.boolean() });

/** Longer than live data waits before it confirms what it shows, and between two reads. */
const QUIET_MS = 30_000;

/** Removes one step from `canvas.steps`, chosen by `at`, and runs it. Any waiting step may be chosen. */
const runStep = (canvas: FakeCanvas, at: number) =>
  canvas.steps.splice(at % Math.max(canvas.steps.length, 1), 1)[0]?.();

test("a value ends as the service has it, in whichever order writes, changes and responses come", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  await fc.assert(
    fc.asyncProperty(moves, kinds, async (all, kind) => {
      const canvas = Object.assign(new FakeCanvas(), kind);
      canvas.isInstant = false;
      const value = createLiveValue(canvas.kv, "tea");
      const close = value.subscribe(() => {});
      const writes: Promise<unknown>[] = [];
      const act: Partial<Record<Move["move"], (at: number) => unknown>> = {
        step: (at) => runStep(canvas, at),
        reconnect: () => canvas.reconnect(),
        "other changes": (at) => canvas.put("tea", at),
        "other deletes": () => canvas.put("tea", undefined),
        update: (at) => writes.push(value.set(at)),
        increment: (at) => writes.push(value.increment(at)),
        remove: () => writes.push(value.remove()),
      };
      for (const { move, at, fate } of all) {
        canvas.fate = fate;
        act[move]?.(at);
        await settle(t, move === "wait" ? 30 : 0);
      }
      await finish(canvas);
      await Promise.allSettled(writes);
      assert.equal(value.getState().data, canvas.values.get("tea"));
      close();
    }),
    { numRuns: 150 },
  );

  async function finish(canvas: FakeCanvas) {
    canvas.isInstant = true;
    for (const step of canvas.steps.splice(0)) step();
    await settle(t, QUIET_MS);
  }
});

test("records end as the service has them, in its order, and none is shown twice meanwhile", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  await fc.assert(
    fc.asyncProperty(moves, fc.boolean(), kinds, async (all, isDescending, kind) => {
      const canvas = Object.assign(new FakeCanvas(), kind);
      for (let value = 0; value < 4; value++) canvas.createRecord(value);
      canvas.isInstant = false;
      const query = { limit: 3, orderBy: isDescending ? "-createdAt" : "createdAt" };
      const live = createLiveRecords(canvas.collection, query, () => undefined);
      const shown = () => live.getState().data.records;
      const close = live.subscribe(() => {
        const keys = shown().map(({ key }) => key);
        assert.equal(new Set(keys).size, keys.length, "two records with one key");
        const texts = shown().flatMap(({ value }) => (typeof value === "string" ? [value] : []));
        assert.equal(new Set(texts).size, texts.length, "a new record is shown twice");
      });
      const writes: Promise<unknown>[] = [];
      const anyId = (at: number) => shown()[at % Math.max(shown().length, 1)]?.id;
      const otherId = (at: number) => canvas.records[at % Math.max(canvas.records.length, 1)]?.id;
      const write = (id: string | undefined, send: (id: string) => Promise<unknown>) =>
        id !== undefined && writes.push(send(id));
      const act: Partial<Record<Move["move"], (at: number) => unknown>> = {
        step: (at) => runStep(canvas, at),
        reconnect: () => canvas.reconnect(),
        "other creates": (at) => canvas.createRecord(at),
        "other changes": (at) => otherId(at) && canvas.changeRecord(otherId(at) ?? "", at),
        "other deletes": (at) => otherId(at) && canvas.deleteRecord(otherId(at) ?? ""),
        create: () => writes.push(live.create(`new ${writes.length}`)),
        update: (at) => write(anyId(at), (id) => live.update(id, at)),
        increment: (at) => write(anyId(at), (id) => live.increment(id, at)),
        remove: (at) => write(anyId(at), (id) => live.remove(id)),
        more: () => live.loadMore(),
      };
      for (const { move, at, fate } of all) {
        canvas.fate = fate;
        act[move]?.(at);
        await settle(t, move === "wait" ? 30 : 0);
      }
      canvas.isInstant = true;
      for (const step of canvas.steps.splice(0)) step();
      await settle(t, QUIET_MS);
      await Promise.allSettled(writes);
      await settle(t);
      const { entries } = canvas.page(null, shown().length, isDescending);
      assert.deepEqual(
        shown().map(({ key, isPending, ...record }) => record),
        entries,
      );
      const isAll = shown().length === canvas.records.length;
      assert.ok(isAll || live.getState().data.cursor !== null, "records are missing");
      close();
    }),
    { numRuns: 150 },
  );
});
