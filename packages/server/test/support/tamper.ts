import fc from "fast-check";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const ADDED = ["A", "AA", ".", ".A", "=", "==", "-", "%00", "/", '"'];

/**
 * Runs `check` with slightly changed forms of a base64 value. Tries every other last letter, because some of them decode to the same bytes.
 */
export async function tamper(value: string, check: (changed: string) => Promise<void>): Promise<void> {
  const ends = [...LETTERS].map((letter) => value.slice(0, -1) + letter);
  const longer = ADDED.map((added) => value + added);
  const shorter = [value.slice(0, -1), value.slice(1), value.slice(0, value.length / 2), ""];
  const change = fc
    .record({
      at: fc.nat(value.length - 1),
      cut: fc.nat(2),
      put: fc.array(fc.constantFrom(...LETTERS, ...".=+/ "), { maxLength: 3 }),
    })
    .map(({ at, cut, put }) => value.slice(0, at) + put.join("") + value.slice(at + cut));
  const examples = [...ends, ...longer, ...shorter].map((changed): [string] => [changed]);
  await fc.assert(
    fc.asyncProperty(change, async (changed) => {
      if (changed.trim() !== value) await check(changed);
    }),
    { examples, numRuns: examples.length + 100 },
  );
}
