import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import type { Stage } from "../fixture.ts";
import { JSON_TYPE, type Page } from "../page.ts";
import { collecting } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, entryOf } from "./entry.ts";

const MAX = Number.MAX_VALUE;

/** Valid increments. Each row has the number in the record, the request body, and the sum that is returned and stored. */
const COUNTED: [stored: number, body: string, value: number][] = [
  [41, '{"by":1}', 42],
  [7, '{"by":0}', 7],
  [7, '{"by":-0}', 7],
  [10, '{"by":-13}', -3],
  [1, '{"by":0.5}', 1.5],
  [0.1, '{"by":0.2}', 0.1 + 0.2],
  [0, '{"by":1e21}', 1e21],
  [0, '{"by":5e-324}', 5e-324],
  [0, '{"by":1e-400}', 0],
  [0, '{"by":1,"by":2}', 2],
  [1, ' {"to":5, "by":2}\n', 3],
  [2 ** 53 - 1, '{"by":1}', 2 ** 53],
  [2 ** 63, '{"by":9223372036854775807}', 2 ** 64],
  [0, `{"by":${MAX}}`, MAX],
  [MAX, `{"by":-${MAX}}`, 0],
  [MAX, '{"by":1}', MAX],
];

const BAD_BODIES = [
  undefined,
  "",
  "{",
  "by=1",
  "{}",
  "[]",
  "[1]",
  "null",
  "5",
  '"1"',
  "true",
  '{"by":"1"}',
  '{"by":""}',
  '{"by":null}',
  '{"by":true}',
  '{"by":[]}',
  '{"by":[1]}',
  '{"by":{}}',
  '{"by":"Infinity"}',
  '{"by":1e400}',
  '{"by":-1e400}',
  '{"by":NaN}',
  '{"By":1}',
  '{"__proto__":{"by":5}}',
  '[{"by":1}]',
  '{"by":1} 2',
];

const NOT_NUMERIC: Json[] = [null, "1", "", "text", true, false, [], [1], {}, { value: 1 }, { number: 1 }];

const OVERFLOWS: [stored: number, by: number][] = [
  [MAX, MAX],
  [-MAX, -MAX],
  [1e308, 1e308],
  [MAX, 2 ** 970],
];

/**
 * Tests `POST …/{id}/increment`, which is atomic, increments only numbers, refuses a sum that is not finite, and never creates a record.
 */
export function increments(target: Target): void {
  describe("increments", () => {
    let canvas: Stage;
    let page: Page;
    before(async () => {
      canvas = await collecting(target, { votes: { preset: "collaborative" } });
      page = canvas.pages.viewer;
    });
    const fresh = async (value: Json) => `/collections/votes/${(await add(page, "votes", value)).id}`;
    const send = (path: string, body?: string) =>
      page.send("POST", `${path}/increment`, body === undefined ? [] : [JSON_TYPE], body);

    for (const [stored, body, value] of COUNTED) {
      it(`${stored} by ${body.trim()} is ${value}`, async () => {
        const path = await fresh(stored);
        const counted = entryOf(await send(path, body));
        assert.equal(counted.value, value);
        answered(await page.get(path), counted);
      });
    }

    for (const body of BAD_BODIES) {
      it(`a body of ${body === undefined ? "nothing" : JSON.stringify(body)}: 400 INVALID_BODY, the value unchanged`, async () => {
        const path = await fresh(7);
        refused(await send(path, body), 400, "INVALID_BODY");
        assert.equal(entryOf(await page.get(path)).value, 7);
      });
    }

    for (const stored of NOT_NUMERIC) {
      it(`${JSON.stringify(stored)} is not numeric: 409 NOT_NUMERIC, the record unchanged`, async () => {
        const path = await fresh(stored);
        const before = entryOf(await page.get(path));
        for (const by of [1, 0]) refused(await send(path, JSON.stringify({ by })), 409, "NOT_NUMERIC");
        answered(await page.get(path), before);
      });
    }

    for (const [stored, by] of OVERFLOWS) {
      it(`${stored} by ${by} leaves the finite range: 409 NOT_NUMERIC, the record unchanged`, async () => {
        const path = await fresh(stored);
        const before = entryOf(await page.get(path));
        refused(await send(path, JSON.stringify({ by })), 409, "NOT_NUMERIC");
        answered(await page.get(path), before);
      });
    }

    it("a missing record is not created: 404 NOT_FOUND", async () => {
      const path = await fresh(1);
      await page.delete(path);
      refused(await send(path, '{"by":1}'), 404, "NOT_FOUND");
      refused(await page.get(path), 404, "NOT_FOUND");
    });

    it("a value can change from a number to something else and back", async () => {
      const path = await fresh(1);
      entryOf(await page.put(path, { now: "an object" }));
      refused(await send(path, '{"by":1}'), 409, "NOT_NUMERIC");
      entryOf(await page.put(path, 5));
      assert.equal(entryOf(await send(path, '{"by":1}')).value, 6);
    });

    it("50 concurrent increments return 50 numbers", async () => {
      const path = await fresh(0);
      const all = await Promise.all(Array.from({ length: 50 }, () => send(path, '{"by":1}')));
      const numbers = all.map((answer) => Number(entryOf(answer).value)).sort((a, b) => a - b);
      assert.deepEqual(
        numbers,
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
      assert.equal(entryOf(await page.get(path)).value, 50);
    });

    it("any two doubles add up as doubles do, or not at all", async () => {
      const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
      const path = await fresh(0);
      await fc.assert(
        fc.asyncProperty(double, double, async (stored, by) => {
          entryOf(await page.put(path, stored));
          const answer = await send(path, JSON.stringify({ by }));
          const value = stored + by;
          if (Number.isFinite(value)) assert.equal(entryOf(answer).value, value);
          else refused(answer, 409, "NOT_NUMERIC");
          assert.equal(entryOf(await page.get(path)).value, Number.isFinite(value) ? value : stored);
        }),
        { numRuns: 60 },
      );
    });
  });
}
