import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import { type Stage, stage } from "../fixture.ts";
import type { Header } from "../http.ts";
import { JSON_TYPE } from "../page.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { freshKey, SCOPES, type Scopes } from "./scope.ts";

const MAX = Number.MAX_VALUE;

/** Increments: the stored number (null: no such key), the request body, and the number that is then returned and stored. */
const COUNTED: [name: string, stored: number | null, body: string | undefined, value: number][] = [
  ["no body", null, undefined, 1],
  ["no body on a stored number", 41, undefined, 42],
  ["an empty body", null, "", 1],
  ["a malformed body counts as {}", 41, "{", 42],
  ["a body that is not JSON at all", 41, "by=5", 42],
  ["{}", null, "{}", 1],
  ["other fields", 1, '{"to":5}', 2],
  ["by on the prototype", 1, '{"__proto__":{"by":5}}', 2],
  ["by 5", null, '{"by":5}', 5],
  ["by 0", null, '{"by":0}', 0],
  ["by 0 on a stored number", 7, '{"by":0}', 7],
  ["negative", 10, '{"by":-3}', 7],
  ["negative from nothing", null, '{"by":-3}', -3],
  ["fractional", 1, '{"by":0.5}', 1.5],
  ["fractions as doubles add up", 0.1, '{"by":0.2}', 0.1 + 0.2],
  ["fractions to a whole", 0.5, '{"by":0.5}', 1],
  ["an exponent", 0, '{"by":1e21}', 1e21],
  ["tiny", 0, '{"by":5e-324}', 5e-324],
  ["the last of duplicate names", 0, '{"by":1,"by":2}', 2],
  ["up to 2^53", 2 ** 53 - 1, '{"by":1}', 2 ** 53],
  ["down to -2^53", -(2 ** 53) + 1, '{"by":-1}', -(2 ** 53)],
  ["past 64-bit integers", 2 ** 63, '{"by":9223372036854775807}', 2 ** 64],
  ["to the largest number", 0, `{"by":${MAX}}`, MAX],
  ["back from the largest number", MAX, `{"by":-${MAX}}`, 0],
  ["too little to move the largest number", MAX, '{"by":1}', MAX],
];

const BAD_BY = ['"1"', '""', "null", "true", "[]", "[1]", "{}", '"Infinity"', "1e400", "-1e400"];

const NOT_NUMERIC: Json[] = ["1", "", "text", true, false, [], [1], {}, { value: 1 }];

const OVERFLOWS: [stored: number, by: number][] = [
  [MAX, MAX],
  [-MAX, -MAX],
  [1e308, 1e308],
];

/** Tests `POST …/increment`, which is atomic, increments only numbers, and refuses a sum that is not finite. */
export function increments(target: Target, scopes: Scopes = SCOPES): void {
  for (const { scope, root } of scopes) {
    describe(`increments of the ${scope} scope`, () => {
      let canvas: Stage;
      before(async () => {
        canvas = await stage(target);
      });
      const add = (path: string, body?: string) => {
        const type: Header[] = body === undefined ? [] : [JSON_TYPE];
        return canvas.pages.owner.send("POST", `${path}/increment`, type, body);
      };
      const fresh = async (stored: Json) => {
        const path = `${root}/${freshKey()}`;
        if (stored !== null) answered(await canvas.pages.owner.put(path, stored), { ok: true });
        return path;
      };

      for (const [name, stored, body, value] of COUNTED) {
        it(`${name}: ${stored ?? "nothing"} becomes ${value}`, async () => {
          const path = await fresh(stored);
          answered(await add(path, body), { value });
          answered(await canvas.pages.owner.get(path), { value });
        });
      }

      it("no body, but a JSON content type: 1", async () => {
        const path = await fresh(null);
        answered(await canvas.pages.owner.send("POST", `${path}/increment`, [JSON_TYPE]), { value: 1 });
      });

      for (const by of BAD_BY) {
        it(`by ${by}: 400 INVALID_BODY, the value unchanged`, async () => {
          const [path, absent] = [await fresh(7), await fresh(null)];
          for (const each of [path, absent]) refused(await add(each, `{"by":${by}}`), 400, "INVALID_BODY");
          answered(await canvas.pages.owner.get(path), { value: 7 });
          refused(await canvas.pages.owner.get(absent), 404, "NOT_FOUND");
        });
      }

      for (const body of ["null", "5", '"x"', "[]", "true"]) {
        it(`a body of ${body}, which has no by: 1 more or 400, never a 5xx`, async () => {
          const path = await fresh(7);
          const answer = await add(path, body);
          if (answer.status === 200) answered(answer, { value: 8 });
          else refused(answer, 400, "INVALID_BODY");
          answered(await canvas.pages.owner.get(path), { value: answer.status === 200 ? 8 : 7 });
        });
      }

      for (const stored of NOT_NUMERIC) {
        it(`${JSON.stringify(stored)} is not numeric: 409 NOT_NUMERIC, the value unchanged`, async () => {
          const path = await fresh(stored);
          refused(await add(path, '{"by":1}'), 409, "NOT_NUMERIC");
          refused(await add(path, '{"by":0}'), 409, "NOT_NUMERIC");
          answered(await canvas.pages.owner.get(path), { value: stored });
        });
      }

      for (const [stored, by] of OVERFLOWS) {
        it(`${stored} by ${by} leaves the finite range: 409 NOT_NUMERIC, the value unchanged`, async () => {
          const path = await fresh(stored);
          refused(await add(path, `{"by":${by}}`), 409, "NOT_NUMERIC");
          answered(await canvas.pages.owner.get(path), { value: stored });
        });
      }

      it("the list has the new number, too", async () => {
        const path = await fresh(1);
        await add(path);
        const key = path.slice(root.length + 1);
        answered(await canvas.pages.owner.get(`${root}?prefix=${key}`), {
          entries: [{ key, value: 2 }],
          nextCursor: null,
        });
      });

      it("50 concurrent increments return 50 numbers", async () => {
        const path = await fresh(null);
        const answers = await Promise.all(Array.from({ length: 50 }, () => add(path)));
        const numbers = answers.map(({ json }) => Number(json.value)).sort((a, b) => a - b);
        assert.deepEqual(
          numbers,
          Array.from({ length: 50 }, (_, index) => index + 1),
        );
        answered(await canvas.pages.owner.get(path), { value: 50 });
      });

      it("any two doubles add up as doubles do, or not at all", async () => {
        const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
        await fc.assert(
          fc.asyncProperty(double, double, async (stored, by) => {
            const path = await fresh(stored);
            const answer = await add(path, JSON.stringify({ by }));
            const value = stored + by;
            if (Number.isFinite(value)) answered(answer, { value });
            else refused(answer, 409, "NOT_NUMERIC");
            answered(await canvas.pages.owner.get(path), { value: Number.isFinite(value) ? value : stored });
          }),
          { numRuns: 60 },
        );
      });
    });
  }
}
