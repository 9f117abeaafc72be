import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import { codePoint } from "./code-point.ts";
import type { Answer } from "./http.ts";
import { SMOKE_MALFORMED, SMOKE_WELL_FORMED } from "./json-bodies.ts";
import { refused } from "./refusal.ts";
import { same } from "./same.ts";

const NULLS: typeof SMOKE_WELL_FORMED = [
  ["null", "null"],
  ["null in white space", " null\n"],
];

/** A route that stores one JSON value of at most 64 KiB. The value may be null. */
export interface Shelf {
  /** Writes the value. */
  put(body: string | Buffer): Promise<Answer>;
  /** Resolves with the stored value, or undefined if there is none. */
  get(): Promise<Json | undefined>;
}

/**
 * Tests a route with many JSON texts. The route must store the value and return an equal one, or respond with 400 and keep the earlier
 * value.
 */
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

  for (const [name, body] of [...SMOKE_WELL_FORMED, ...NULLS])
    it(`${name}: stored and read back`, () => kept(body));
  for (const [name, body] of SMOKE_MALFORMED)
    it(`${name}: 400 INVALID_BODY, what is stored unchanged`, () => refusedWhole(body));

  it("a BOM before the value: stored without it, or 400", async () => {
    const answer = await shelf().put('\ufeff{"a":1}');
    if (answer.status === 400) refused(answer, 400, "INVALID_BODY");
    else assert.deepEqual(await shelf().get(), { a: 1 });
  });

  it("any JSON value is read back as it was put", async () => {
    const anything = fc.jsonValue({ stringUnit: codePoint, maxDepth: 5 });
    await fc.assert(
      fc.asyncProperty(anything, (value) => kept(JSON.stringify(value))),
      { numRuns: 15 },
    );
  });

  it("what is no JSON and longer than 64 KiB: refused, by its form or by its size", async () => {
    const before = await shelf().get();
    for (const body of ["[".repeat(100_000), '[{"":'.repeat(50_000)]) {
      const answer = await shelf().put(body);
      if (answer.status === 413) refused(answer, 413, "VALUE_TOO_LARGE");
      else refused(answer, 400, "INVALID_BODY");
      same(await shelf().get(), before);
    }
  });
}
