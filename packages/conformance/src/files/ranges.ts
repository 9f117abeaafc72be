import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { stage } from "../fixture.ts";
import type { Header } from "../http.ts";
import type { Page } from "../page.ts";
import { refused, unshared } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, contentOf } from "./record.ts";

const BYTES = "0123456789";

/** `Range` headers for a file of ten bytes, each with the part that is returned and the position of its first byte. */
const PARTS: [range: string, part: string, first: number][] = [
  ["bytes=0-0", "0", 0],
  ["bytes=0-4", "01234", 0],
  ["bytes=5-9", "56789", 5],
  ["bytes=5-", "56789", 5],
  ["bytes=9-", "9", 9],
  ["bytes=0-", BYTES, 0],
  ["bytes=0-9", BYTES, 0],
  ["bytes=8-100", "89", 8],
  ["bytes=8-99999999999999999999", "89", 8],
  ["bytes=-1", "9", 9],
  ["bytes=-3", "789", 7],
  ["bytes=-10", BYTES, 0],
  ["bytes=-100", BYTES, 0],
];

/** `Range` headers whose range contains no byte of the file. */
const NONE = ["bytes=10-", "bytes=10-20", "bytes=99999999999999999999-", "bytes=-0"];

/**
 * `Range` headers to which the service responds with the whole file: several ranges, malformed ranges, and ranges in another unit than
 * bytes.
 */
const WHOLE = [
  "bytes=0-1,5-6",
  "bytes=0-0, -1",
  "bytes=4-2",
  "bytes=",
  "bytes=-",
  "bytes=a-b",
  "bytes=1.5-2",
  "bytes=--1",
  "items=0-1",
  "0-1",
  "",
];

/** Tests `Range` and `If-Range` on the bytes of a file. */
export function ranges(target: Target): void {
  describe("ranges", () => {
    let page: Page;
    let path: string;
    let etag: string;
    before(async () => {
      page = (await stage(target)).pages.owner;
      path = contentOf(await add(page, {}, { name: "a.mp4", type: "video/mp4", bytes: BYTES }));
      etag = String((await page.get(path)).headers.etag);
      assert.match(etag, /^"[^"]+"$/);
    });
    const ranged = (range: string, ...headers: Header[]) =>
      page.send("GET", path, [["Range", range], ...headers]);
    const isWhole = async (asked: ReturnType<typeof ranged>) => {
      const { status, text, headers } = await asked;
      assert.deepEqual([status, text], [200, BYTES]);
      assert.deepEqual([headers["content-length"], headers["content-range"]], ["10", undefined]);
    };

    it("without a range: the whole file, which offers ranges", async () => {
      const { headers } = await page.get(path);
      assert.equal(headers["accept-ranges"], "bytes");
    });

    for (const [range, part, first] of PARTS) {
      it(`${range}: 206, ${part}`, async () => {
        const answer = await ranged(range);
        assert.deepEqual([answer.status, answer.text], [206, part]);
        const { headers } = answer;
        assert.equal(headers["content-range"], `bytes ${first}-${first + part.length - 1}/10`);
        assert.equal(headers["content-length"], String(part.length));
        assert.equal(headers["content-type"], "video/mp4");
        assert.match(String(headers["content-disposition"]), /^attachment/);
        assert.equal(headers["x-content-type-options"], "nosniff");
        assert.match(String(headers["content-security-policy"]), /sandbox/);
        assert.equal(headers.etag, etag);
        unshared(answer);
      });
    }

    for (const range of NONE) {
      it(`${range}: 416, with the length of the file`, async () => {
        const answer = await ranged(range);
        refused(answer, 416, "RANGE_NOT_SATISFIABLE");
        assert.equal(answer.headers["content-range"], "bytes */10");
        unshared(answer);
      });
    }

    for (const range of WHOLE)
      it(`${range || "an empty range"}: the whole file`, () => isWhole(ranged(range)));

    it("If-Range with this file's tag: the part; with another one or a time: the whole", async () => {
      assert.equal((await ranged("bytes=0-1", ["If-Range", etag])).text, "01");
      for (const other of ['"other"', `W/${etag}`, etag.slice(1, -1), new Date().toUTCString()])
        await isWhole(ranged("bytes=0-1", ["If-Range", other]));
      await isWhole(ranged("bytes=99-", ["If-Range", '"other"']));
    });

    it("HEAD with a range: the length of the whole, or of the part", async () => {
      const { status, text, headers } = await page.send("HEAD", path, [["Range", "bytes=0-1"]]);
      assert.equal(text, "");
      assert.deepEqual([status, headers["content-length"]], status === 206 ? [206, "2"] : [200, "10"]);
    });

    it("an empty file has no range", async () => {
      const empty = contentOf(await add(page, {}, { bytes: "" }));
      const answer = await page.send("GET", empty, [["Range", "bytes=0-"]]);
      refused(answer, 416, "RANGE_NOT_SATISFIABLE");
      assert.equal(answer.headers["content-range"], "bytes */0");
    });

    it("a range within many bytes, and the last of them", async () => {
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
      const large = contentOf(await add(page, {}, { bytes }));
      for (const [range, start, end] of [
        ["bytes=65535-65536", 65_535, 65_537],
        ["bytes=100000-250000", 100_000, 250_001],
        ["bytes=-7", 299_993, 300_000],
      ] as const) {
        const answer = await page.send("GET", large, [["Range", range]]);
        assert.equal(answer.status, 206);
        assert.ok(bytes.subarray(start, end).equals(answer.bytes), range);
      }
    });
  });
}
