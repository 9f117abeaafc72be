import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import type { Query } from "../../../src/http/query.ts";
import { parseQuery, parseWhere } from "../../../src/primitives/collections/record-query.ts";
import { RecordStore, type StoredRecord } from "../../../src/primitives/collections/store.ts";
import { onDatabases, times } from "../../drivers/databases.ts";
import { AUTHORS, asked, value } from "./record-arbitraries.ts";
import { named } from "./record-figures.ts";
import { type Asked, listed } from "./record-model.ts";

const ANY = { own: true, any: true };
const OWN = { own: true, any: false };

/** Converts a list query to URL parameters. An equality is written as its value alone, except for `authorId`. */
function queryOf({ where, orderBy }: Asked): Query {
  if (where.length === 0) return { orderBy };
  const entries = where.map(([name, each]) => [name, "eq" in each && name !== "authorId" ? each.eq : each]);
  return { orderBy, where: JSON.stringify(Object.fromEntries(entries)) };
}

const idsOf = (records: { id: string }[]) => records.map(({ id }) => id);

await onDatabases("queries of records", (db) => {
  let canvases = 0;
  /** Creates records with these values, whose authors alternate, in a new canvas. Returns them in the order of their ids. */
  const filled = async (values: Json[], at: number[] = []) => {
    const canvas = `query-${++canvases}`;
    const made = await times(values.length, (index) =>
      new RecordStore(db, canvas, "board", AUTHORS[index % AUTHORS.length] as string).create(
        values[index] as Json,
        at[index] ?? 1,
      ),
    );
    const records = made.filter((each): each is StoredRecord => each !== null);
    return { canvas, records };
  };
  const list = (canvas: string, query: Query, right = ANY, caller = "u-1") =>
    new RecordStore(db, canvas, "board", caller).list(parseQuery(query), right);
  const count = (canvas: string, query: Query, right: typeof ANY) =>
    new RecordStore(db, canvas, "board", "u-1").count(right, parseWhere(query) ?? []);
  /** Reads a list page by page, and returns all its records. */
  const walk = async (canvas: string, query: Query, limit: number, right = ANY, caller = "u-1") => {
    const seen: StoredRecord[] = [];
    for (let cursor: string | null = null, turns = 0; turns < 200; turns++) {
      const page: Awaited<ReturnType<RecordStore["list"]>> = await list(
        canvas,
        { ...query, limit: String(limit), ...(cursor === null ? {} : { cursor }) },
        right,
        caller,
      );
      seen.push(...page.entries);
      if (page.nextCursor === null) return seen;
      assert.equal(page.entries.length, limit);
      cursor = page.nextCursor;
    }
    return assert.fail("the list never ends");
  };

  it("any filter and order: the same records as filter and sort in JavaScript, in one page and in many", async () => {
    const records = fc.array(fc.tuple(value, fc.integer({ min: 1, max: 5 })), {
      minLength: 1,
      maxLength: 40,
    });
    const queries = fc.array(asked, { minLength: 30, maxLength: 30 });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(records, queries, fc.integer({ min: 1, max: 7 }), async (given, all, limit) => {
        const made = await filled(
          given.map(([each]) => each),
          given.map(([, time]) => time),
        );
        for (const each of all) {
          const expected = idsOf(listed(made.records, each));
          found += expected.length;
          const query = queryOf(each);
          const { entries } = await list(made.canvas, { ...query, limit: "1000" });
          const say = JSON.stringify(query);
          assert.deepEqual(idsOf(entries), expected, say);
          assert.deepEqual(idsOf(await walk(made.canvas, query, limit)), expected, `${say} by ${limit}`);
          const matching = listed(made.records, { ...each, orderBy: "createdAt" });
          const own = matching.filter(({ author_id }) => author_id === "u-1");
          assert.equal(await count(made.canvas, query, ANY), matching.length, say);
          assert.equal(await count(made.canvas, query, OWN), own.length, say);
        }
      }),
      { numRuns: 15 },
    );
    assert.ok(found > 300, `only ${found} records were found: the queries ask too little`);
  });

  it("a list that evaluates conditions record by record goes on after every thousand, and finds the same", async () => {
    const COUNT = 2_345;
    const values = Array.from({ length: COUNT }, (_, index) => ({
      same: 1,
      n: index % 7,
      rare: index % 1_100 === 1_099 ? "yes" : "no",
    }));
    const { canvas, records } = await filled(
      values,
      values.map((_, index) => 1 + (index % 5)),
    );
    const wanted = records.filter((_, index) => index % 1_100 === 1_099);
    const where = JSON.stringify({ "value.same": 1, "value.rare": { gte: "o" } });
    for (const orderBy of ["createdAt", "-createdAt", "updatedAt", "-updatedAt", "value.n", "-value.n"]) {
      const seen: string[] = [];
      let [pages, cursor]: [number, string | null] = [0, null];
      do {
        const page: Awaited<ReturnType<RecordStore["list"]>> = await list(canvas, {
          ...{ where, orderBy, limit: "100" },
          ...(cursor !== null && { cursor }),
        });
        seen.push(...idsOf(page.entries));
        cursor = page.nextCursor;
        pages++;
      } while (cursor !== null);
      assert.equal(pages, Math.ceil(COUNT / 1_000), orderBy);
      const rank = ({ id, updated_at, value: text }: StoredRecord): [number, string] => [
        orderBy.endsWith("createdAt")
          ? 0
          : orderBy.endsWith("updatedAt")
            ? updated_at
            : JSON.parse(text ?? "").n,
        id,
      ];
      const sorted = wanted.toSorted((one, other) => {
        const [[a, first], [b, second]] = [rank(one), rank(other)];
        return a - b || (first < second ? -1 : 1);
      });
      assert.deepEqual(seen, idsOf(orderBy.startsWith("-") ? sorted.toReversed() : sorted), orderBy);
    }
  });

  it("own records only: the right is applied before filter, order and limit", async () => {
    const records = fc.array(value, { minLength: 3, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(records, fc.array(asked, { minLength: 20, maxLength: 20 }), async (given, all) => {
        const made = await filled(given);
        for (const caller of ["u-2", "guest:u-1", "nobody"]) {
          const own = made.records.filter(({ author_id }) => author_id === caller);
          for (const each of all) {
            const seen = await walk(made.canvas, queryOf(each), 2, OWN, caller);
            assert.deepEqual(idsOf(seen), idsOf(listed(own, each)), JSON.stringify(queryOf(each)));
          }
        }
      }),
      { numRuns: 6 },
    );
  });

  for (const orderBy of ["createdAt", "-createdAt", "updatedAt", "-updatedAt", "value.n", "-value.n"]) {
    it(`${orderBy}: pages of any size make up the whole list`, async () => {
      const values = Array.from({ length: 12 }, (_, index) => ({ n: index % 4, index }));
      const { canvas, records } = await filled(
        values,
        values.map(({ index }) => 100 - (index % 3)),
      );
      const expected = idsOf(listed(records, { where: [], orderBy }));
      for (let limit = 1; limit <= 13; limit++)
        assert.deepEqual(idsOf(await walk(canvas, { orderBy }, limit)), expected, `limit ${limit}`);
    });
  }

  it("an updated record is found by its new fields, at its new position", async () => {
    const { canvas, records } = await filled([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const [first] = records;
    const store = new RecordStore(db, canvas, "board", "u-1");
    await store.update(named(first?.id ?? ""), { n: 9, more: true }, 5);
    const by = async (query: Query) => idsOf((await list(canvas, query)).entries);
    assert.deepEqual(await by({ where: '{"value.n":1}' }), []);
    assert.deepEqual(await by({ where: '{"value.n":9,"value.more":true}' }), [first?.id]);
    assert.equal((await by({ orderBy: "-value.n" }))[0], first?.id);
    assert.equal((await by({ orderBy: "-updatedAt" }))[0], first?.id);
    await store.update(named(first?.id ?? ""), 7, 6);
    assert.deepEqual(await by({ where: '{"value.n":9}' }), []);
    assert.equal((await by({ orderBy: "value.n" })).length, 2);
    assert.equal((await store.increment(first?.id ?? "", 1, 7))?.number, 8);
    assert.equal((await by({ orderBy: "-updatedAt" }))[0], first?.id);
    await store.delete(first?.id ?? "");
    assert.deepEqual(new Set(await by({})), new Set(idsOf(records.slice(1))));
  });

  it("the first 100 scalar fields of an object are indexed, with names of up to 256 bytes", async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, index]));
    const [fits, long] = ["é".repeat(128), "é".repeat(129)];
    const { canvas, records } = await filled([
      many,
      { nested: {}, [fits]: 1, [long]: 1, "\ud800": 1, last: 1 },
    ]);
    const found = async (name: string) =>
      idsOf((await list(canvas, { where: JSON.stringify({ [`value.${name}`]: { gte: 0 } }) })).entries);
    assert.deepEqual(await found("f0"), [records[0]?.id]);
    assert.deepEqual(await found("f99"), [records[0]?.id]);
    assert.deepEqual(await found("f100"), []);
    assert.deepEqual(await found(fits), [records[1]?.id]);
    assert.deepEqual(await found("last"), [records[1]?.id]);
    assert.throws(() => parseQuery({ where: JSON.stringify({ [`value.${long}`]: 1 }) }), /is no field/);
    assert.throws(() => parseQuery({ where: '{"value.\\ud800":1}' }), /is no field/);
  });

  it("strings with lone surrogates are stored, and a query for one finds no other record", async () => {
    const texts = ["\ud800", "\udc00", "\ufffd", "a\ud83d", "a😀"];
    const { canvas, records } = await filled(texts.map((t) => ({ t })));
    for (const [index, t] of texts.entries()) {
      if (!t.isWellFormed()) continue;
      const { entries } = await list(canvas, { where: JSON.stringify({ "value.t": t }) });
      assert.deepEqual(idsOf(entries), [records[index]?.id], JSON.stringify(t));
    }
  });
});
