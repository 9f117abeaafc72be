import { startServer } from "./child.ts";
import { type Case, compare } from "./compare.ts";
import { startEasel } from "./easel.ts";
import { openPage, type Page } from "./page.ts";
import type { Table } from "./table.ts";

const KEYS = 1000;

/**
 * Compares `GET` and `PUT /kv/{key}`, sent by a signed-in user's page, with the same requests to a plain `node:http` server that only
 * returns fixed bodies.
 */
export async function kv(): Promise<Table> {
  const easel = await startEasel(0);
  try {
    const { cases, bodies } = await kvCases(await openPage(easel.url));
    const bare = await startServer(0, "bench/bare.ts", bodies);
    try {
      return await compare("kv: the whole pipeline against a bare node:http server", bare, easel, cases);
    } finally {
      await bare.stop();
    }
  } finally {
    await easel.stop();
  }
}

/**
 * Stores 1,000 keys on the canvas to which `page` belongs. Returns `cases`, the benchmark cases of `GET` and `PUT`, and `bodies`, the body
 * of one response to `GET` and of one to `PUT`.
 */
export async function kvCases(page: Page): Promise<{ cases: [Case, Case]; bodies: [string, string] }> {
  const pathOf = (index: number) => `/kv/item:${String(index).padStart(4, "0")}`;
  const indices = [...Array(KEYS).keys()];
  for (const index of indices) await page.call("PUT", pathOf(index), itemOf(index));
  const got = await page.call("GET", pathOf(0));
  const put = await page.call("PUT", pathOf(0), itemOf(0));
  return {
    cases: [
      { name: "GET", target: 0.5, requests: indices.map((index) => page.request("GET", pathOf(index))) },
      {
        name: "PUT",
        target: 0.3,
        requests: indices.map((index) => page.request("PUT", pathOf(index), itemOf(index))),
      },
    ],
    bodies: [await got.text(), await put.text()],
  };
}

/**
 * Returns the value to store under the key with this index: a small JSON object, as text. The values of all 1,000 keys have the same
 * length.
 */
export function itemOf(index: number): string {
  return JSON.stringify({
    id: KEYS + index,
    title: "Water the plants by the window",
    done: false,
    tags: ["home"],
  });
}
