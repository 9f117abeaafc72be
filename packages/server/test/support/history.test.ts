import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Access, faultsOfCounter, faultsOfRegister, type Increment } from "./history.ts";

const increment = (start: number, end: number, value?: number): Increment => ({ start, end, value });
const write = (start: number, end: number, value: number): Access => ({ kind: "write", start, end, value });
const read = (start: number, end: number, value?: number): Access => ({ kind: "read", start, end, value });

/** Whether some order of the operations agrees with their times and with `step`, which returns the next state or null. Tries all orders. */
function isExplained<Operation extends { start: number; end: number }, State>(
  history: Operation[],
  state: State,
  step: (state: State, operation: Operation) => State | null,
  isLast: (state: State) => boolean,
): boolean {
  // An operation without an answer may be left out.
  if (history.every(({ end }) => end === Infinity) && isLast(state)) return true;
  const earliestEnd = Math.min(...history.map(({ end }) => end));
  return history.some((each) => {
    if (each.start > earliestEnd) return false;
    const next = step(state, each);
    return (
      next !== null &&
      isExplained(
        history.filter((other) => other !== each),
        next,
        step,
        isLast,
      )
    );
  });
}

const times = fc
  .tuple(fc.nat(12), fc.integer({ min: 1, max: 6 }))
  .map(([start, length]) => ({ start, length }));

/** Makes all starts and ends differ, because the order of equal times is not known. */
const span = ({ start, length }: { start: number; length: number }, at: number) => ({
  start: start + at / 100,
  end: start + length + at / 100 + 0.5,
});

describe("history of a counter", () => {
  it("finds nothing in one that is linearizable, with an increment that has no answer", () => {
    const history = [increment(0, 3, 2), increment(1, 2, 1), increment(2, Infinity), increment(5, 6, 4)];
    assert.deepEqual(faultsOfCounter(history, 4), []);
  });

  for (const [what, history, last] of [
    ["an acknowledged increment is lost", [increment(0, 1, 1), increment(2, 3, 2)], 1],
    ["a value is returned twice", [increment(0, 1, 1), increment(2, 3, 1)], 2],
    ["a smaller value is returned later", [increment(0, 1, 2), increment(2, 3, 1)], 2],
    ["one that was never sent counts", [increment(0, 1, 1)], 2],
    ["a gap is older than the increment without an answer", [increment(0, 1, 2), increment(2, Infinity)], 2],
  ] as const)
    it(`finds that ${what}`, () => assert.notDeepEqual(faultsOfCounter([...history], last), []));

  it("agrees with a search of all orders", () => {
    const one = fc.record({ times, value: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 5 }), fc.nat(5), (made, last) => {
        const history = made.map(({ times, value }, at) => ({ ...span(times, at), value }));
        for (const each of history) if (each.value === undefined) each.end = Infinity;
        const expected = isExplained(
          history,
          0,
          (count, { value }) => (value === undefined || value === count + 1 ? count + 1 : null),
          (count) => count === last,
        );
        assert.equal(faultsOfCounter(history, last).length === 0, expected);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("history of a register", () => {
  it("finds nothing in one that is linearizable, with a write that has no answer", () => {
    const history = [
      read(0, 1),
      write(0, 4, 1),
      read(2, 3, 1),
      write(5, Infinity, 2),
      read(6, 7, 1),
      read(8, 9, 2),
    ];
    assert.deepEqual(faultsOfRegister(history), []);
  });

  for (const [what, history] of [
    ["a write is lost", [write(0, 1, 1), write(2, 3, 2), read(4, 5, 1)]],
    ["a value is read that nobody wrote", [write(0, 1, 1), read(2, 3, 7)]],
    ["a value is read before it is written", [read(0, 1, 1), write(2, 3, 1)]],
    ["nothing is read after a write", [write(0, 1, 1), read(2, 3)]],
    ["reads go back", [write(0, 1, 1), write(2, 9, 2), read(3, 4, 2), read(5, 6, 1)]],
    ["a value comes back", [write(0, 9, 1), write(0, 9, 2), read(1, 2, 1), read(3, 4, 2), read(5, 6, 1)]],
  ] as const)
    it(`finds that ${what}`, () => assert.notDeepEqual(faultsOfRegister([...history]), []));

  it("agrees with a search of all orders", () => {
    const one = fc.record({ times, of: fc.nat(3), isAnswered: fc.boolean() });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 6 }), (made) => {
        const history = made.map(({ times, of, isAnswered }, at): Access => {
          // The first of each value is its write, the others read it; 0 is a read of the register before its first write.
          const kind = of > 0 && made.findIndex((each) => each.of === of) === at ? "write" : "read";
          const { start, end } = span(times, at);
          return {
            kind,
            start,
            end: kind === "write" && !isAnswered ? Infinity : end,
            value: of || undefined,
          };
        });
        const expected = isExplained(
          history,
          undefined as number | undefined,
          (held: number | undefined, { kind, value }) =>
            kind === "write" || value === held ? ((value ?? undefined) as number | undefined) : null,
          () => true,
        );
        assert.equal(faultsOfRegister(history).length === 0, expected);
      }),
      { numRuns: 3000 },
    );
  });
});
