import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import fc from "fast-check";
import { codePoint } from "../code-point.ts";
import { stage } from "../fixture.ts";
import { JSON_TYPE, type Page } from "../page.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { freshKey, SCOPES, type Scopes, segment } from "./scope.ts";

const MAX = LIMITS.kvKeyBytes.value;

const FITTING: [name: string, key: string][] = [
  ["512 bytes of ASCII", "k".repeat(MAX)],
  ["512 bytes of emoji", "😀".repeat(MAX / 4)],
  ["512 bytes of three-byte characters", `ab${"€".repeat(170)}`],
];

const TOO_LARGE: [name: string, key: string][] = [
  ["513 bytes of ASCII", "k".repeat(MAX + 1)],
  ["129 emoji", "😀".repeat(MAX / 4 + 1)],
  ["512 characters, 513 bytes", `${"k".repeat(MAX - 1)}é`],
  ["512 UTF-16 units of emoji", "😀".repeat(MAX / 2)],
  ["4,000 bytes", "k".repeat(4_000)],
];

/**
 * Each row has a path segment and the key that the service must decode from it. For example, lists must show the key of `a%2Fb` as `a/b`.
 */
const SPELLINGS: [path: string, key: string][] = [
  ["a%2Fb", "a/b"],
  ["a%252Fb", "a%2Fb"],
  ["%2F", "/"],
  ["%00", "\0"],
  ["a%00b", "a\0b"],
  ["%2e", "."],
  ["%2e%2e", ".."],
  ["%2e%2e%2fme", "../me"],
  ["%25", "%"],
  ["%25ff", "%ff"],
  ["%3F%23", "?#"],
  ["a+b", "a+b"],
  ["a%20b", "a b"],
  ["%20", " "],
  ["%0d%0a", "\r\n"],
  ["a:b;c=d,e@f&g$h!*'()", "a:b;c=d,e@f&g$h!*'()"],
  ["%F0%9F%98%80", "😀"],
  ["%ef%bb%bf", "\ufeff"],
  ["%f4%8f%bf%bf", "\u{10ffff}"],
  ["increment", "increment"],
  ["__proto__", "__proto__"],
  ["constructor", "constructor"],
  ["hasOwnProperty", "hasOwnProperty"],
  ["toString", "toString"],
  ["null", "null"],
  ["me", "me"],
  ["kv", "kv"],
  ["mine", "mine"],
  ["User", "User"],
  ["user%20", "user "],
  ["user%2F", "user/"],
  ["%25user", "%user"],
  ["user%2fincrement", "user/increment"],
];

/** Tests keys: each is one URL-encoded path segment of at most 512 bytes of UTF-8. */
export function keys(target: Target, scopes: Scopes = SCOPES): void {
  for (const { scope, root } of scopes) {
    describe(`keys of the ${scope} scope`, () => {
      let page: Page;
      before(async () => {
        page = (await stage(target)).pages.owner;
      });

      for (const [name, key] of FITTING) {
        it(`${name}: fits`, async () => {
          const path = `${root}/${segment(key)}`;
          answered(await page.put(path, 1), { ok: true });
          answered(await page.post(`${path}/increment`, {}), { value: 2 });
          answered(await page.get(path), { value: 2 });
          answered(await page.delete(path), { ok: true });
        });
      }

      for (const [name, key] of TOO_LARGE) {
        it(`${name}: 413 KEY_TOO_LARGE on every write, with any body`, async () => {
          const path = `${root}/${segment(key)}`;
          refused(await page.put(path, 1), 413, "KEY_TOO_LARGE");
          refused(await page.putRaw(path, "{"), 413, "KEY_TOO_LARGE");
          refused(await page.putRaw(path, ""), 413, "KEY_TOO_LARGE");
          refused(await page.delete(path), 413, "KEY_TOO_LARGE");
          refused(await page.post(`${path}/increment`, {}), 413, "KEY_TOO_LARGE");
          refused(await page.post(`${path}/increment`, { by: "1" }), 413, "KEY_TOO_LARGE");
        });
      }

      for (const [spelling, key] of SPELLINGS) {
        it(`${spelling} is the key ${JSON.stringify(key)}`, async () => {
          const path = `${root}/${spelling}`;
          const value = { of: key };
          answered(await page.put(path, value), { ok: true });
          answered(await page.get(path), { value });
          const entries = [{ key, value }];
          const prefix = encodeURIComponent(key);
          answered(await page.get(`${root}?limit=1&prefix=${prefix}`), { entries, nextCursor: null });
          answered(await page.delete(path), { ok: true });
          refused(await page.get(path), 404, "NOT_FOUND");
          answered(await page.post(`${path}/increment`, {}), { value: 1 });
          answered(await page.delete(path), { ok: true });
        });
      }

      it("two encodings of a key are one key, two Unicode normal forms are two keys", async () => {
        const label = freshKey();
        answered(await page.put(`${root}/${label}%61`, 1), { ok: true });
        answered(await page.get(`${root}/${label}a`), { value: 1 });
        answered(await page.put(`${root}/${label}${encodeURIComponent("\u00e9")}`, "composed"), { ok: true });
        refused(await page.get(`${root}/${label}${encodeURIComponent("e\u0301")}`), 404, "NOT_FOUND");
        refused(await page.get(`${root}/${label}A`), 404, "NOT_FOUND");
      });

      it("any key at all comes back as it went in", async () => {
        const { owner } = (await stage(target)).pages;
        const anyKey = fc
          .string({ unit: codePoint, minLength: 1, maxLength: 40 })
          .filter((key) => key !== "user");
        await fc.assert(
          fc.asyncProperty(anyKey, fc.nat(), async (key, value) => {
            const path = `${root}/${segment(key)}`;
            answered(await owner.send("PUT", path, [JSON_TYPE], String(value)), { ok: true });
            answered(await owner.get(path), { value });
            const list = await owner.get(`${root}?limit=1&prefix=${encodeURIComponent(key)}`);
            answered(list, { entries: [{ key, value }], nextCursor: null });
            answered(await owner.delete(path), { ok: true });
            refused(await owner.get(path), 404, "NOT_FOUND");
          }),
          { numRuns: 60 },
        );
      });
    });
  }
}
