import { startServer } from "./child.ts";
import { compare } from "./compare.ts";
import { startEasel } from "./easel.ts";
import { kvCases } from "./kv.ts";
import { allowRecords, openPage } from "./page.ts";
import { makeRecords, POLICY, recordOf } from "./records.ts";
import type { Table } from "./table.ts";

const RECORDS = 1000;
const BY_ONE = '{"by":1}';
/** The quota of records, which is too high for a run to reach. */
const ROOM = 100_000_000;

const WHERE = `/collections/items?where=${encodeURIComponent('{"value.done":true}')}`;
const ORDER = "/collections/items?orderBy=-value.id";

/** Compares requests for the records of a collection with requests to a bare server and with KV requests, in the same run. */
export async function collections(): Promise<Table> {
  const easel = await startEasel(0);
  try {
    await allowRecords(easel.url, ROOM);
    const page = await openPage(easel.url, POLICY);
    const kv = await kvCases(page);
    await makeRecords(page, "items", RECORDS, recordOf);
    const numbers = await makeRecords(page, "numbers", RECORDS, String);

    const values = Array.from({ length: RECORDS }, (_, index) => recordOf(index));
    const creates = values.map((value) => page.request("POST", "/collections/grown", value));
    const increments = numbers.map((id) =>
      page.request("POST", `/collections/numbers/${id}/increment`, BY_ONE),
    );
    const answer = async (method: string, path: string, body?: string) =>
      (await page.call(method, path, body)).text();
    const bares = await Promise.all([
      startServer(0, "bench/bare.ts", kv.bodies),
      startServer(0, "bench/bare.ts", [
        await answer("GET", "/collections/items"),
        await answer("POST", "/collections/grown", recordOf(0)),
      ]),
      startServer(0, "bench/bare.ts", [
        await answer("GET", `/collections/numbers/${numbers[0]}`),
        await answer("POST", `/collections/numbers/${numbers[0]}/increment`, BY_ONE),
      ]),
    ]);
    const [plain, listing, single] = bares;
    try {
      return await compare(
        "collections: the whole pipeline against a bare node:http server, and beside KV",
        plain,
        easel,
        [
          ...kv.cases,
          {
            name: "get",
            bare: single,
            beside: "GET",
            requests: numbers.map((id) => page.request("GET", `/collections/numbers/${id}`)),
          },
          {
            name: "list 100",
            bare: listing,
            beside: "GET",
            requests: [page.request("GET", "/collections/items")],
          },
          { name: "list 100 where", bare: listing, beside: "GET", requests: [page.request("GET", WHERE)] },
          { name: "list 100 orderBy", bare: listing, beside: "GET", requests: [page.request("GET", ORDER)] },
          { name: "increment", bare: single, beside: "PUT", requests: increments },
          { name: "create", bare: listing, beside: "PUT", requests: creates },
        ],
        { rounds: 3, timedMs: 1500 },
      );
    } finally {
      await Promise.all(bares.map((bare) => bare.stop()));
    }
  } finally {
    await easel.stop();
  }
}
