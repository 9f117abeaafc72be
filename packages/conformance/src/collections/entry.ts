import assert from "node:assert/strict";
import type { Json } from "@easel/protocol/types";
import type { Answer } from "../http.ts";
import type { Page } from "../page.ts";
import { answered } from "../refusal.ts";

/** A record as the API returns it (specification 2). */
export interface Entry {
  id: string;
  authorId: string;
  value: Json;
  updatedAt: number;
}

/**
 * Asserts that a response has the status `expected` and contains a record with exactly the fields `id`, `authorId`, `value` and
 * `updatedAt`. Returns the record.
 */
export function entryOf({ status, headers, text, json }: Answer, expected = 200): Entry {
  assert.equal(status, expected, text.slice(0, 300));
  assert.match(headers["content-type"] ?? "", /^application\/json\b/);
  assert.deepEqual(Object.keys(json).sort(), ["authorId", "id", "updatedAt", "value"]);
  assert.match(String(json.id), /^[A-Za-z0-9-]{1,128}$/);
  assert.ok(Number.isInteger(json.updatedAt), text.slice(0, 300));
  return json as unknown as Entry;
}

/** Creates a record in the collection `name`, and returns the record. */
export const add = async (page: Page, name: string, value: Json): Promise<Entry> =>
  entryOf(await page.post(`/collections/${name}`, value), 201);

/** Returns the records of the collection `name` that the person who has the page open can list. Fails if there are more than 1,000. */
export async function entriesIn(page: Page, name: string): Promise<Entry[]> {
  const answer = await page.get(`/collections/${name}?limit=1000`);
  const entries = answer.json.entries as Entry[];
  answered(answer, { entries, nextCursor: null });
  return entries;
}

/** Returns records as a map by id, for comparisons in which the order does not matter. */
export const byId = (entries: Entry[]): Map<string, Entry> => new Map(entries.map((each) => [each.id, each]));
