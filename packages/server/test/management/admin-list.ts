import assert from "node:assert/strict";
import { manage } from "@easel/conformance/fixture";
import type { Person, Target } from "@easel/conformance/target";

/** A row of a list of the administration API. */
export type Row = Record<string, unknown> & { id: string };

/** Fetches one page of a list: its rows and the cursor of the next page. */
export async function pageOf(target: Target, admin: Person, path: string, query = "") {
  const answer = await manage(target, admin, "GET", `/api/admin/${path}?${query}`);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.json), [path === "audit" ? "entries" : path, "nextCursor"]);
  const [rows, nextCursor] = Object.values(answer.json) as [Row[], string | null];
  return { rows, nextCursor };
}

/** Fetches all rows of a list in pages of `limit`. */
export async function everyPage(target: Target, admin: Person, path: string, limit: number, query = "") {
  const all: Row[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null; pages++) {
    assert.ok(pages < 200, "the list does not end");
    const page = await pageOf(target, admin, path, `limit=${limit}&${query}${cursor && `&cursor=${cursor}`}`);
    assert.ok(page.rows.length <= limit);
    assert.ok(page.nextCursor === null || page.rows.length === limit);
    all.push(...page.rows);
    cursor = page.nextCursor;
  }
  return all;
}
