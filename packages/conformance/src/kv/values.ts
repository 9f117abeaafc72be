import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import fc from "fast-check";
import { stage } from "../fixture.ts";
import type { Page } from "../page.ts";
import { answered, refused } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { freshKey, SCOPES } from "./scope.ts";

const MAX = LIMITS.kvValueBytes.value;
const DEPTH = LIMITS.jsonDepth.value;

/** Bodies that are stored; what is read back is what any JSON parser makes of them. */
const ACCEPTED: [name: string, body: string][] = [
  ["true", "true"],
  ["false", "false"],
  ["zero", "0"],
  ["minus zero", "-0"],
  ["a negative number", "-17"],
  ["a fraction", "1.5"],
  ["an exponent", "1.5e-7"],
  ["the largest number", "1.7976931348623157e308"],
  ["the smallest number", "5e-324"],
  ["a number that rounds to zero", "1e-400"],
  ["more digits than a double has", "12345678901234567890.123456789"],
  ["an empty string", '""'],
  ["text", '"a text"'],
  ["text that looks like JSON", '"{\\"a\\":1}"'],
  ["the string null", '"null"'],
  ["an escaped NUL", '"a\\u0000b"'],
  ["a lone high surrogate", '"\\ud800"'],
  ["a lone low surrogate", '"\\udc00x"'],
  ["surrogates the wrong way round", '"\\udc00\\ud800"'],
  ["a lone surrogate as a name", '{"\\ud800":1}'],
  ["an emoji as it is", '"👩‍🚀"'],
  ["an emoji as escapes", '"\\ud83d\\ude00"'],
  ["line separators", '"\u2028\u2029"'],
  ["a BOM inside a string", '"\ufeff"'],
  ["noncharacters", '"\uffff\u{10ffff}"'],
  ["an empty array", "[]"],
  ["an array with null", "[null]"],
  ["an empty object", "{}"],
  ["an object with null", '{"a":null}'],
  ["nested", '{"a":[1,{"b":[[],{}]}],"c":"d"}'],
  ["an empty name", '{"":1}'],
  ["duplicate names", '{"a":1,"b":2,"a":3}'],
  ["names like numbers", '{"2":"two","1":"one","01":"x"}'],
  ["__proto__", '{"__proto__":{"polluted":true}}'],
  ["__proto__ inside", '[{"a":{"__proto__":null}}]'],
  ["constructor.prototype", '{"constructor":{"prototype":{"polluted":true}}}'],
  ["an entry of its own kind", '{"key":"k","value":null,"toJSON":1}'],
  ["white space around", ' \t\r\n {"a" : [ 1 , 2 ] } \n'],
  [`${DEPTH} arrays deep`, "[".repeat(DEPTH) + "]".repeat(DEPTH)],
  [`${DEPTH} objects deep`, `${'{"a":'.repeat(DEPTH - 1)}{}${"}".repeat(DEPTH - 1)}`],
  ["brackets in a string", JSON.stringify("[{".repeat(DEPTH))],
  ["many siblings", `[${"[],".repeat(DEPTH * 2)}[]]`],
  ["exactly 65,536 bytes", quoted("a", MAX)],
  ["65,536 bytes of two-byte characters", quoted("é", MAX)],
  ["65,536 bytes of emoji", quoted("😀", MAX)],
  ["65,536 bytes of numbers", `[${"1,".repeat(MAX / 2 - 2)}10]`],
  ["65,536 bytes, serialized, padded with white space", `${" ".repeat(5_000)}${quoted("a", MAX)}\n`],
  ["a small value in 200,000 bytes of white space", `[1,${" ".repeat(200_000)}2]`],
  ["65,536 bytes, serialized, written as escapes", `"${"\\u0061".repeat(MAX - 2)}"`],
];

/** Values that are too large when serialized, however short they are in characters. */
const TOO_LARGE: [name: string, body: string][] = [
  ["65,537 bytes", quoted("a", MAX + 1)],
  ["65,537 bytes of two-byte characters and one", `"a${"é".repeat((MAX - 2) / 2)}"`],
  ["65,538 bytes of emoji in 32,770 UTF-16 units", `"${"😀".repeat(MAX / 4)}"`],
  ["65,537 bytes of numbers", `[${"1,".repeat(MAX / 2 - 2)}100]`],
  ["an object whose name alone is too large", `{${quoted("n", MAX)}:1}`],
  ["65,537 bytes, an escaped line feed among them", `"\\n${"a".repeat(MAX - 3)}"`],
  ["lone surrogates, six bytes each", `"${"\\ud800".repeat(Math.ceil(MAX / 6))}"`],
];

/** Bodies that are no JSON value to store. */
const REFUSED: [name: string, body: string | Buffer][] = [
  ["nothing", ""],
  ["white space", " \n"],
  ["null", "null"],
  ["null in white space", " null\n"],
  ["half a word", "nul"],
  ["a word of another language", "undefined"],
  ["NaN", "NaN"],
  ["Infinity", "-Infinity"],
  ["an open object", "{"],
  ["an open string", '"a'],
  ["a comma too many", "[1,]"],
  ["single quotes", "'a'"],
  ["a comment", "1 // one"],
  ["two values", "1 2"],
  ["a leading zero", "01"],
  ["a raw control character", '"\u0001"'],
  ["a NUL after the value", "1\0"],
  ["a form", "a=1&b=2"],
  ["1e400, which no double holds", "1e400"],
  ["-1e400", "-1e400"],
  ["1e400 inside", '{"a":[1,1e400]}'],
  ["400 digits", "9".repeat(400)],
  ["a byte that is not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ["a character cut short", Buffer.from([0x22, 0xe2, 0x82, 0x22])],
  ["an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ["beyond the last code point", Buffer.from([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22])],
  ["Latin-1", Buffer.from('"é"', "latin1")],
  ["UTF-16", Buffer.from('"a"', "utf16le")],
  [`${DEPTH + 1} arrays deep`, "[".repeat(DEPTH + 1) + "]".repeat(DEPTH + 1)],
  [`${DEPTH + 1} objects deep`, `${'{"a":'.repeat(DEPTH)}{}${"}".repeat(DEPTH)}`],
  ["arrays and objects, one too deep", `${'[{"a":'.repeat(DEPTH / 2)}[]${"}]".repeat(DEPTH / 2)}`],
  ["30,000 arrays deep", "[".repeat(30_000) + "]".repeat(30_000)],
  ["malformed and over 64 KiB: the body comes before its size", `[${"1,".repeat(MAX)}`],
  ["null in 70,000 bytes of white space", `null${" ".repeat(70_000)}`],
];

/** Values: any JSON but null, at most 64 KiB serialized. */
export function values(target: Target): void {
  for (const { scope, root } of SCOPES) {
    describe(`values of the ${scope} scope`, () => {
      let page: Page;
      before(async () => {
        page = (await stage(target)).pages.owner;
      });

      for (const [name, body] of ACCEPTED) {
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

      for (const [name, body] of REFUSED) {
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
          .jsonValue({ stringUnit: "binary", maxDepth: 5 })
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

/** A JSON string of exactly so many bytes, made of one character and as much ASCII as is left over. */
function quoted(character: string, bytes: number): string {
  const room = bytes - 2;
  const width = Buffer.byteLength(character);
  return `"${character.repeat(Math.floor(room / width))}${"a".repeat(room % width)}"`;
}
