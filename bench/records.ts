import type { Page } from "./page.ts";

/** A policy whose collections everyone may read, change and count. */
export const POLICY = {
  collections: Object.fromEntries(
    ["items", "numbers", "grown"].map((name) => [
      name,
      { preset: "collaborative", aggregateCount: "viewers" },
    ]),
  ),
};

const AT_ONCE = 64;

/** Returns a record of typical size as JSON. `done` is true if `index` is a multiple of ten. `group` is a number from 0 to `groups - 1`. */
export function recordOf(index: number, groups = 10): string {
  return JSON.stringify({
    id: index,
    title: "Water the plants by the window",
    done: index % 10 === 0,
    group: index % groups,
    tags: ["home"],
  });
}

/** Creates records and returns their ids in list order. */
export async function makeRecords(
  page: Page,
  collection: string,
  count: number,
  bodyOf: (index: number) => string,
): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const make = async () => {
    for (let index = next++; index < count; index = next++) {
      const made = await page.call("POST", `/collections/${collection}`, bodyOf(index));
      ids.push(((await made.json()) as { id: string }).id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
  return ids.sort();
}
