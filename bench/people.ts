import { itemOf } from "./kv.ts";
import { openPage, type Page, setQuotas } from "./page.ts";
import { publishPage, textOf } from "./published.ts";
import { makeRecords, POLICY, recordOf } from "./records.ts";

/** The text in requests that `bench/load.ts` replaces with a number. */
export const UNIQUE = "#unique-number-#";

/** Keys, counters, records and names of submissions that each person has. */
const EACH = 40;
const FILES = 10;
const PAGE_BYTES = 10 * 1024;
/** A quota that a run does not reach. */
const ROOM = 1_000_000_000;

/** Kinds of requests, in the order of the table. */
export const KINDS = [
  "KV GET",
  "KV PUT",
  "KV PUT new key",
  "KV increment",
  "record get",
  "record create",
  "record update",
  "submission put",
  "files list",
  "page",
] as const;

export type Kind = (typeof KINDS)[number];

/** Complete HTTP/1.1 requests, by kind. */
export type Requests = Record<Kind, string[]>;

/**
 * Signs in `count` people. Each gets a canvas of their own with keys, records, files and a published page. Returns the requests of all
 * people, in which successive ones are by different people.
 */
export async function openPeople(base: string, count: number): Promise<Requests> {
  await setQuotas(base, {
    "kv.keys.shared": ROOM,
    "collections.records.canvas": ROOM,
    "submissions.canvas": ROOM,
    "submissions.author": ROOM,
  });
  const people = await Promise.all(
    Array.from({ length: count }, (_, index) => openPerson(base, `person-${index}@example.com`)),
  );
  const entries = KINDS.map((kind) => {
    const longest = Math.max(...people.map((each) => each[kind].length));
    return [
      kind,
      Array.from({ length: longest }, (_, index) => people.flatMap((each) => each[kind][index] ?? [])).flat(),
    ];
  });
  return Object.fromEntries(entries) as Requests;
}

async function openPerson(base: string, email: string): Promise<Requests> {
  const page = await openPage(base, POLICY, email);
  const indices = [...Array(EACH).keys()];
  const ids = await makeRecords(page, "items", EACH, recordOf);
  const puts = indices.map((index) => ["PUT", `/kv/item:${index}`, itemOf(index)] as const);
  const increments = indices.map((index) => ["POST", `/kv/count:${index}/increment`, '{"by":1}'] as const);
  const updates = ids.map((id, index) => ["PUT", `/collections/items/${id}`, recordOf(index)] as const);
  const submissions = indices.map(
    (index) => ["PUT", `/submissions/poll-${index}/mine`, itemOf(index)] as const,
  );
  for (const [method, path, body] of [...puts, ...increments, ...submissions])
    await page.call(method, path, body);
  for (let index = 0; index < FILES; index++) await upload(base, page, `note-${index}.txt`);

  return {
    "KV GET": puts.map(([, path]) => page.request("GET", path)),
    "KV PUT": puts.map((each) => page.request(...each)),
    "KV PUT new key": [page.request("PUT", `/kv/new:${UNIQUE}`, itemOf(0))],
    "KV increment": increments.map((each) => page.request(...each)),
    "record get": ids.map((id) => page.request("GET", `/collections/items/${id}`)),
    "record create": indices.map((index) => page.request("POST", "/collections/grown", recordOf(index))),
    "record update": updates.map((each) => page.request(...each)),
    "submission put": submissions.map((each) => page.request(...each)),
    "files list": [page.request("GET", "/files")],
    page: [await publishPage(base, page, textOf(PAGE_BYTES))],
  };
}

async function upload(base: string, page: Page, name: string): Promise<void> {
  const body = new FormData();
  body.append("file", new File(["A short note."], name, { type: "text/plain" }));
  const { path, headers } = page.target("/files");
  const response = await fetch(base + path, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`An upload was answered with ${response.status}.`);
}
