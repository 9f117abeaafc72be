import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import fc from "fast-check";
import { codePoint } from "../code-point.ts";
import { stage } from "../fixture.ts";
import { MALFORMED, quoted, SMOKE_MALFORMED, SMOKE_WELL_FORMED, WELL_FORMED } from "../json-bodies.ts";
import type { Page } from "../page.ts";
import { answered, refused } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { freshKey, SCOPES, type Scopes } from "./scope.ts";

const MAX = LIMITS.valueBytes.value;

/** Bodies that the service must store. Some of them are longer than 64 KiB, but their values are at most 64 KiB when serialized. */
const ACCEPTED: typeof WELL_FORMED = [
  ...WELL_FORMED,
  ["65,536 bytes, serialized, padded with white space", `${" ".repeat(5_000)}${quoted("a", MAX)}\n`],
  ["a small value in 200,000 bytes of white space", `[1,${" ".repeat(200_000)}2]`],
  ["65,536 bytes, serialized, written as escapes", `"${"\\u0061".repeat(MAX - 2)}"`],
];

/**
 * Bodies that the service must refuse because the serialized value is larger than 64 KiB. Some have fewer than 65,536 characters, because
 * characters outside ASCII take several bytes.
 */
const TOO_LARGE: [name: string, body: string][] = [
  ["65,537 bytes", quoted("a", MAX + 1)],
  ["65,537 bytes of two-byte characters and one", `"a${"é".repeat((MAX - 2) / 2)}"`],
  ["65,538 bytes of emoji in 32,770 UTF-16 units", `"${"😀".repeat(MAX / 4)}"`],
  ["65,537 bytes of numbers", `[${"1,".repeat(MAX / 2 - 2)}100]`],
  ["an object whose name alone is too large", `{${quoted("n", MAX)}:1}`],
  ["65,537 bytes, an escaped line feed among them", `"\\n${"a".repeat(MAX - 3)}"`],
  ["lone surrogates, six bytes each", `"${"\\ud800".repeat(Math.ceil(MAX / 6))}"`],
];

/** Bodies that are refused with 400: malformed JSON and null. */
const REFUSED: typeof MALFORMED = [
  ...MALFORMED,
  ["null", "null"],
  ["null in white space", " null\n"],
  ["malformed and over 64 KiB: the body comes before its size", `[${"1,".repeat(MAX)}`],
  ["null in 70,000 bytes of white space", `null${" ".repeat(70_000)}`],
];

/**
 * Tests values of the key-value store: any JSON except null, of at most 64 KiB when serialized. The shared scope is tested with all bodies.
 * The user scope has the same handlers, so a few bodies are enough.
 */
export function values(target: Target, scopes: Scopes = SCOPES): void {
  for (const { scope, root } of scopes) {
    const isShared = scope === "shared";
    describe(`values of the ${scope} scope`, () => {
      let page: Page;
      before(async () => {
        page = (await stage(target)).pages.owner;
      });

      for (const [name, body] of isShared ? ACCEPTED : SMOKE_WELL_FORMED) {
        it(`${name}: stored and read back`, async () => {
          const key = freshKey();
          answered(await page.putRaw(`${root}/${key}`, body), { ok: true });
          same((await page.get(`${root}/${key}`)).json, { value: JSON.parse(body) });
          const list = await page.get(`${root}?prefix=${key}`);
          same(list.json.entries, [{ key, value: JSON.parse(body) }]);
        });
      }

      for (const [name, body] of TOO_LARGE) {
        it(`${name}: 413 VALUE_TOO_LARGE, the stored value unchanged`, async () => {
          const path = `${root}/${freshKey()}`;
          refused(await page.putRaw(path, body), 413, "VALUE_TOO_LARGE");
          refused(await page.get(path), 404, "NOT_FOUND");
          await page.put(path, "before");
          refused(await page.putRaw(path, body), 413, "VALUE_TOO_LARGE");
          answered(await page.get(path), { value: "before" });
        });
      }

      for (const [name, body] of isShared ? REFUSED : SMOKE_MALFORMED) {
        it(`${name}: 400 INVALID_BODY, the stored value unchanged`, async () => {
          const path = `${root}/${freshKey()}`;
          refused(await page.putRaw(path, body), 400, "INVALID_BODY");
          refused(await page.get(path), 404, "NOT_FOUND");
          await page.put(path, "before");
          refused(await page.putRaw(path, body), 400, "INVALID_BODY");
          answered(await page.get(path), { value: "before" });
        });
      }

      it("a BOM before the value: stored without it, or 400", async () => {
        const path = `${root}/${freshKey()}`;
        const answer = await page.putRaw(path, '\ufeff{"a":1}');
        if (answer.status === 200) answered(await page.get(path), { value: { a: 1 } });
        else refused(answer, 400, "INVALID_BODY");
      });

      it("any JSON value is read back as it was put", async () => {
        const path = `${root}/${freshKey()}`;
        const anything = fc
          .jsonValue({ stringUnit: codePoint, maxDepth: 5 })
          .filter((value) => value !== null);
        await fc.assert(
          fc.asyncProperty(anything, async (value) => {
            const text = JSON.stringify(value);
            answered(await page.putRaw(path, text), { ok: true });
            same((await page.get(path)).json, { value: JSON.parse(text) });
          }),
          { numRuns: 60 },
        );
      });

      it("any sequence of UTF-16 units is read back as it was put", async () => {
        const path = `${root}/${freshKey()}`;
        const unit = fc.oneof(fc.nat(0x7f), fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }));
        const units = fc.array(unit, { maxLength: 30 }).map((codes) => String.fromCharCode(...codes));
        await fc.assert(
          fc.asyncProperty(units, async (value) => {
            answered(await page.put(path, value), { ok: true });
            assert.equal((await page.get(path)).json.value, value);
          }),
          { numRuns: 40 },
        );
      });

      it("any double is read back to the last bit", async () => {
        const path = `${root}/${freshKey()}`;
        const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
        await fc.assert(
          fc.asyncProperty(double, async (value) => {
            answered(await page.put(path, value), { ok: true });
            answered(await page.get(path), { value });
          }),
          { numRuns: 60 },
        );
      });
    });
  }
}
