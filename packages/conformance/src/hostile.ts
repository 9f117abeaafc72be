import assert from "node:assert/strict";
import { it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import { ABSENT, samples } from "./corpus.ts";
import type { Answer } from "./http.ts";
import { MALFORMED, WELL_FORMED } from "./json-bodies.ts";
import { refused } from "./refusal.ts";
import { same } from "./same.ts";

/** What is larger may be refused for its size before anyone looks at it. */
const MAX = LIMITS.valueBytes.value;

/** So many strings together are well below that. */
const BATCH = 25;

/** A place for one JSON value of at most 64 KiB, null too. */
export interface Shelf {
  /** Sends these bytes as the value. */
  put(body: string | Buffer): Promise<Answer>;
  /** What is there now, undefined where nothing is. */
  get(): Promise<Json | undefined>;
}

/** Rows on any JSON: it is kept and read back equal, or refused as 400 and nothing has changed. */
export function keepsAnyJson(shelf: () => Shelf): void {
  const kept = async (body: string | Buffer) => {
    const answer = await shelf().put(body);
    assert.ok(
      answer.status === 200 || answer.status === 201,
      `${answer.status} ${answer.text.slice(0, 300)}`,
    );
    const value = JSON.parse(body.toString());
    same(answer.json.value, value);
    same(await shelf().get(), value);
  };
  const refusedWhole = async (body: string | Buffer) => {
    const before = await shelf().get();
    refused(await shelf().put(body), 400, "INVALID_BODY");
    same(await shelf().get(), before);
  };

  for (const [name, body] of [...WELL_FORMED, ["null", "null"], ["null in white space", " null\n"]] as const)
    it(`${name}: stored and read back`, () => kept(body));
  for (const [name, body] of MALFORMED)
    it(`${name}: 400 INVALID_BODY, what is stored unchanged`, () => refusedWhole(body));

  it("a BOM before the value: stored without it, or 400", async () => {
    const answer = await shelf().put('\ufeff{"a":1}');
    if (answer.status === 400) refused(answer, 400, "INVALID_BODY");
    else assert.deepEqual(await shelf().get(), { a: 1 });
  });

  it("any JSON value is read back as it was put", async () => {
    const anything = fc.jsonValue({ stringUnit: "binary", maxDepth: 5 });
    await fc.assert(
      fc.asyncProperty(anything, (value) => kept(JSON.stringify(value))),
      { numRuns: 40 },
    );
  });

  const json = samples("json/test_parsing")?.filter(({ bytes }) => bytes.length <= MAX);
  if (!json) it("the corpus of hostile JSON", { skip: ABSENT });
  for (const { name, bytes } of json ?? []) {
    // The first letter says what must become of a file: kept, refused, or as the service likes.
    if (name.startsWith("y_")) it(`${name}: stored and read back`, () => kept(bytes));
    else if (name.startsWith("n_")) it(`${name}: 400 INVALID_BODY`, () => refusedWhole(bytes));
    else {
      it(`${name}: stored, or 400 INVALID_BODY`, async () => {
        const before = await shelf().get();
        const answer = await shelf().put(bytes);
        if (answer.status === 400) {
          refused(answer, 400, "INVALID_BODY");
          same(await shelf().get(), before);
        } else same(await shelf().get(), answer.json.value);
      });
    }
  }

  it("what is no JSON and longer than 64 KiB: refused, by its form or by its size", async () => {
    const before = await shelf().get();
    for (const body of ["[".repeat(100_000), '[{"":'.repeat(50_000)]) {
      const answer = await shelf().put(body);
      if (answer.status === 413) refused(answer, 413, "VALUE_TOO_LARGE");
      else refused(answer, 400, "INVALID_BODY");
      same(await shelf().get(), before);
    }
  });

  const strings = samples("strings")?.find(({ name }) => name === "blns.json");
  if (!strings) it("the corpus of strings", { skip: ABSENT });
  else {
    it("every string of the corpus: stored and read back, also as a name", async () => {
      const texts = JSON.parse(strings.bytes.toString("utf8")) as string[];
      for (let start = 0; start < texts.length; start += BATCH) {
        const some = texts.slice(start, start + BATCH);
        await kept(JSON.stringify([some, Object.fromEntries(some.map((text) => [text, text]))]));
      }
    });
  }
}
