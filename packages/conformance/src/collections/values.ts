import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { Stage } from "../fixture.ts";
import { type Flood, flood, hangUp } from "../flood.ts";
import { keepsAnyJson } from "../hostile.ts";
import { quoted } from "../json-bodies.ts";
import { JSON_TYPE, pageHeaders, runtimePath } from "../page.ts";
import { collecting } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { add, type Entry, entriesIn, entryOf } from "./entry.ts";

const MAX = LIMITS.valueBytes.value;
const MiB = 1024 * 1024;

/**
 * Values that are refused because they are larger than 64 KiB when serialized. Some have far fewer than 65,536 characters, because their
 * characters take two or six bytes each.
 */
const TOO_LARGE: [name: string, body: string][] = [
  ["65,537 bytes", quoted("a", MAX + 1)],
  ["65,537 bytes of two-byte characters and one", `"a${"é".repeat((MAX - 2) / 2)}"`],
  ["65,537 bytes, an escaped line feed among them", `"\\n${"a".repeat(MAX - 3)}"`],
  ["lone surrogates, six bytes each", `"${"\\ud800".repeat(Math.ceil(MAX / 6))}"`],
  ["an object whose name alone is too large", `{${quoted("n", MAX)}:1}`],
];

/**
 * Request bodies that are larger than 64 KiB and that the service must accept, because it serializes the value in them to at most 64 KiB.
 */
const PADDED: [name: string, body: string][] = [
  ["65,536 bytes, padded with white space", `${" ".repeat(5_000)}${quoted("a", MAX)}\n`],
  ["65,536 bytes, written as escapes", `"${"\\u0061".repeat(MAX - 2)}"`],
];

const FLOODS: [name: string, flood: Flood][] = [
  ["announces 10 MiB and sends nothing", { announced: 10 * MiB, sent: 0 }],
  ["announces 10 MiB and sends half", { announced: 10 * MiB, sent: 5 * MiB }],
  ["announces 1 TiB", { announced: 2 ** 40, sent: MiB }],
  ["sends 10 MiB in chunks and does not stop there", { announced: null, sent: 10 * MiB }],
];

/** Tests the values of records, which are any JSON of at most 64 KiB when serialized. */
export function values(target: Target): void {
  describe("values", () => {
    let canvas: Stage;
    let kept: Entry;
    before(async () => {
      canvas = await collecting(target, {
        board: { preset: "collaborative" },
        made: { preset: "collaborative" },
      });
      kept = await add(canvas.pages.viewer, "board", "before");
    });
    const at = (id: string) => `/collections/board/${id}`;

    describe("any JSON, in the place of a record's value", () => {
      keepsAnyJson(() => ({
        put: (body) => canvas.pages.viewer.putRaw(at(kept.id), body),
        get: async () => entryOf(await canvas.pages.viewer.get(at(kept.id))).value,
      }));
    });

    describe("any JSON, as a new record", () => {
      let [made, last] = [0, ""];
      keepsAnyJson(() => ({
        async put(body) {
          const answer = await canvas.pages.viewer.send("POST", "/collections/made", [JSON_TYPE], body);
          if (answer.status !== 201) return answer;
          made++;
          last = entryOf(answer, 201).id;
          return answer;
        },
        async get() {
          if (last === "") return undefined;
          return entryOf(await canvas.pages.viewer.get(`/collections/made/${last}`)).value;
        },
      }));

      it("after all refusals the list has exactly the accepted records", async () => {
        const page = canvas.pages.viewer;
        const entries = await entriesIn(page, "made");
        assert.equal(entries.length, made);
        for (const { id, value } of entries.slice(0, 50))
          same(entryOf(await page.get(`/collections/made/${id}`)).value, value);
        const { deleted } = (await page.delete("/collections/made")).json;
        assert.equal(deleted, made);
      });
    });

    it("a refused value creates no record", async () => {
      const page = canvas.pages.viewer;
      await page.delete("/collections/made");
      for (const body of ["", "{", "1e400", quoted("a", MAX + 1)])
        assert.ok((await page.send("POST", "/collections/made", [JSON_TYPE], body)).status >= 400);
      assert.deepEqual(await entriesIn(page, "made"), []);
    });

    for (const [name, body] of TOO_LARGE) {
      it(`${name}: 413 VALUE_TOO_LARGE, made or replaced; nothing has changed`, async () => {
        const page = canvas.pages.viewer;
        const before = await entriesIn(page, "board");
        refused(await page.send("POST", "/collections/board", [JSON_TYPE], body), 413, "VALUE_TOO_LARGE");
        refused(await page.putRaw(at(kept.id), body), 413, "VALUE_TOO_LARGE");
        assert.deepEqual(await entriesIn(page, "board"), before);
      });
    }

    for (const [name, body] of PADDED) {
      it(`${name}: stored and read back`, async () => {
        const page = canvas.pages.viewer;
        const made = entryOf(await page.send("POST", "/collections/board", [JSON_TYPE], body), 201);
        assert.equal(made.value, JSON.parse(body));
        assert.equal(entryOf(await page.putRaw(at(kept.id), body)).value, JSON.parse(body));
      });
    }

    it("a chunked body is accepted", async () => {
      const page = canvas.pages.viewer;
      const chunked = [JSON_TYPE, ["Transfer-Encoding", "chunked"]] satisfies [string, string][];
      const made = entryOf(await page.send("POST", "/collections/board", chunked, "[1,2]"), 201);
      assert.deepEqual(made.value, [1, 2]);
    });

    describe("bodies without an end", () => {
      const request = (method: string, path: string) => ({
        method,
        path: runtimePath(target, canvas.slug) + path,
        headers: [...canvas.people.viewer.headers, ...pageHeaders(target, canvas.slug), JSON_TYPE],
      });

      for (const [name, body] of FLOODS) {
        it(`a body that ${name}: 413 VALUE_TOO_LARGE at once, nothing changed`, async () => {
          const before = await entriesIn(canvas.pages.viewer, "board");
          const posted = await flood(target.base, request("POST", "/collections/board"), body);
          refused(posted, 413, "VALUE_TOO_LARGE");
          refused(await flood(target.base, request("PUT", at(kept.id)), body), 413, "VALUE_TOO_LARGE");
          assert.deepEqual(await entriesIn(canvas.pages.viewer, "board"), before);
        });
      }

      it("refusals for missing rights and wrong paths come before the body is sent", async () => {
        const none = { announced: 1_000, sent: 0 };
        const gone = request(
          "PUT",
          at(kept.id).replace(/.$/, (last) => (last === "0" ? "1" : "0")),
        );
        refused(await flood(target.base, gone, none), 404, "NOT_FOUND");
        const unnamed = request("POST", "/collections/unnamed");
        refused(await flood(target.base, unnamed, none), 404, "COLLECTION_NOT_CONFIGURED");
      });

      it("a body that ends early makes and changes nothing", async () => {
        const before = await entriesIn(canvas.pages.viewer, "board");
        await hangUp(target.base, request("POST", "/collections/board"));
        await hangUp(target.base, request("PUT", at(kept.id)));
        assert.deepEqual(await entriesIn(canvas.pages.viewer, "board"), before);
      });
    });

    it("null is a value", async () => {
      const page = canvas.pages.viewer;
      const made = await add(page, "board", null);
      assert.equal(made.value, null);
      answered(await page.get(at(made.id)), made);
      assert.deepEqual(
        (await entriesIn(page, "board")).find(({ id }) => id === made.id),
        made,
      );
      assert.equal(entryOf(await page.put(at(made.id), 1)).value, 1);
      assert.equal(entryOf(await page.put(at(made.id), null)).value, null);
    });
  });
}
