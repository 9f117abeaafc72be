import type { Server } from "./child.ts";
import { apply } from "./compare.ts";
import { startEasel } from "./easel.ts";
import { allowRecords, openPage } from "./page.ts";
import { makeRecords, POLICY, recordOf } from "./records.ts";
import { figure, median, type Table } from "./table.ts";

const SIZES = [1_000, 10_000, 100_000];
const MATCHING = 100;
const ROUNDS = 3;
const LOAD = { connections: 1, warmUpMs: 500, timedMs: 1000 };

/**
 * The requests to measure. Each row has a name for the table, and a function that returns the end of the URL after `/collections/items`,
 * such as `/count`. The function gets the id of the record in the middle of the collection.
 */
const CASES: [name: string, path: (middle: string) => string][] = [
  ["get", (middle) => `/${middle}`],
  ["list 100", () => ""],
  ["list 100 from the middle", (middle) => `?cursor=${middle}`],
  ["list 100 where 1 in 10 match", () => `?where=${encodeURIComponent('{"value.done":true}')}`],
  ["list 100 where 100 match", () => `?where=${encodeURIComponent('{"value.group":0}')}`],
  ["list 100 where none match", () => `?where=${encodeURIComponent('{"value.group":-1}')}`],
  ["list 100 orderBy value.id", () => "?orderBy=-value.id"],
  ["list 100 orderBy updatedAt", () => "?orderBy=-updatedAt"],
  ["count", () => "/count"],
];

/** Measures how the CPU time of a request depends on the size of the collection. */
export async function sizes(): Promise<Table> {
  const easel = await startEasel(0);
  try {
    await allowRecords(easel.url, Math.max(...SIZES));
    const requests: string[][] = [];
    for (const size of SIZES) {
      const page = await openPage(easel.url, POLICY);
      const ids = await makeRecords(page, "items", size, (index) => recordOf(index, size / MATCHING));
      const middle = ids[size / 2] ?? "";
      requests.push(CASES.map(([, path]) => page.request("GET", `/collections/items${path(middle)}`)));
    }
    const rows: string[][] = [];
    for (const [row, [name]] of CASES.entries()) {
      const costs: number[] = [];
      for (const each of requests) costs.push(await costOf(easel, each[row] ?? ""));
      const growth = (costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN);
      rows.push([name, ...costs.map((cost) => figure(cost, 0)), figure(growth, 2)]);
    }
    return {
      title: "sizes: server CPU µs/request, by the size of the collection",
      conditions: `One connection, medians of ${ROUNDS} rounds of ${LOAD.timedMs / 1000} s. Node ${process.version}.`,
      columns: ["", ...SIZES.map((size) => figure(size)), "last to first"],
      rows,
    };
  } finally {
    await easel.stop();
  }
}

async function costOf({ port, pid }: Server, request: string): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    costs.push((await apply({ port, pid, ...LOAD, requests: [request] })).cpu ?? Number.NaN);
  return median(costs);
}
