import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { ABSENT, samples } from "../corpus.ts";
import { stage } from "../fixture.ts";
import type { Page } from "../page.ts";
import { answered, refused } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { byBytes, freshKey, segment } from "./scope.ts";

/** Tests the key-value store with corpora of malformed JSON and unusual strings. */
export function corpora(target: Target): void {
  describe("hostile JSON and strings", () => {
    const [json, strings] = [samples("json/test_parsing"), samples("strings")];
    let page: Page;
    before(async () => {
      page = (await stage(target)).pages.owner;
    });

    if (!json) it("the JSON corpus", { skip: ABSENT });
    for (const { name, bytes } of json ?? []) {
      it(`PUT of ${name}: ${verdict(name, bytes)}`, async () => {
        const path = `/kv/user/${freshKey()}`;
        const answer = await page.putRaw(path, bytes);
        const expected = verdict(name, bytes);
        if (expected === "400") refused(answer, 400, "INVALID_BODY");
        else if (expected === "200" || answer.status === 200) answered(answer, { ok: true });
        else refused(answer, 400, "INVALID_BODY");
        const stored = await page.get(path);
        if (answer.status !== 200) refused(stored, 404, "NOT_FOUND");
        else if (expected === "200") same(stored.json.value, JSON.parse(bytes.toString("utf8")));
        else assert.equal(stored.status, 200, stored.text);
        if (answer.status === 200) answered(await page.delete(path), { ok: true });
      });
    }

    const naughty = strings?.find(({ name }) => name === "blns.json");
    it("every string of the corpus as a key and as its value: listed in order, and removed", {
      skip: !naughty && ABSENT,
    }, async () => {
      const texts = naughty ? (JSON.parse(naughty.bytes.toString("utf8")) as string[]) : [];
      const isKey = (text: string) => text !== "" && Buffer.byteLength(text) <= LIMITS.kvKeyBytes.value;
      const listed = async () => {
        const entries: Json[] = [];
        for (let cursor = ""; ; ) {
          const { json } = await page.get(`/kv?limit=500${cursor}`);
          entries.push(...(json.entries as Json[]));
          if (json.nextCursor === null) return entries;
          cursor = `&cursor=${encodeURIComponent(String(json.nextCursor))}`;
        }
      };
      for (const text of texts.filter((each) => !isKey(each))) {
        const path = `/kv/${freshKey()}`;
        answered(await page.put(path, text), { ok: true });
        answered(await page.get(path), { value: text });
        answered(await page.delete(path), { ok: true });
      }
      const keys = [...new Set(texts.filter(isKey))].sort(byBytes);
      for (const key of keys) answered(await page.put(`/kv/${segment(key)}`, key), { ok: true });
      same(
        await listed(),
        keys.map((key) => ({ key, value: key })),
      );
      for (const key of keys) answered(await page.delete(`/kv/${segment(key)}`), { ok: true });
      same(await listed(), []);
    });
  });
}

/**
 * Returns the expected status for a file of the corpus. The prefix of the file name says whether the file is JSON (`y_`), is not JSON
 * (`n_`), or may be accepted or refused (`i_`). A file with the JSON value `null` must be refused.
 */
function verdict(name: string, bytes: Buffer): "200" | "400" | "200 or 400" {
  if (name.startsWith("n_") || bytes.toString("utf8").trim() === "null") return "400";
  return name.startsWith("y_") ? "200" : "200 or 400";
}
