import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import { ABSENT, type Sample, samples } from "../corpus.ts";
import { stage } from "../fixture.ts";
import type { Page } from "../page.ts";
import { answered, refused } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { freshKey, segment } from "./scope.ts";

/** Hostile JSON and strings from elsewhere; the first letter of a JSON file says what must become of it. */
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
        answered(await page.delete(path), { ok: true });
      });
    }

    const naughty = strings?.find(({ name }) => name === "blns.json");
    if (!naughty) it("the corpus of strings", { skip: ABSENT });
    for (const [index, text] of naughty ? lines(naughty) : []) {
      it(`string ${index} as a value and as a key: ${JSON.stringify(text).slice(0, 40)}`, async () => {
        const isKey = text !== "" && Buffer.byteLength(text) <= LIMITS.kvKeyBytes.value;
        const keyed = `/kv/${isKey ? segment(text) : freshKey()}`;
        answered(await page.put(keyed, text), { ok: true });
        answered(await page.get(keyed), { value: text });
        if (!isKey) return void answered(await page.delete(keyed), { ok: true });
        const entries = [{ key: text, value: text }];
        answered(await page.get(`/kv?prefix=${encodeURIComponent(text)}`), { entries, nextCursor: null });
        answered(await page.delete(keyed), { ok: true });
      });
    }
  });
}

/** What must become of a file: `y_` is JSON, `n_` is not, `i_` is up to the service; a bare null is never stored. */
function verdict(name: string, bytes: Buffer): "200" | "400" | "200 or 400" {
  if (name.startsWith("n_") || bytes.toString("utf8").trim() === "null") return "400";
  return name.startsWith("y_") ? "200" : "200 or 400";
}

function lines({ bytes }: Sample): [number, string][] {
  return [...(JSON.parse(bytes.toString("utf8")) as string[]).entries()];
}
