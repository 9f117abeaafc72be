import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Entry, entryOf } from "@easel/conformance/collections/entry";
import type { Stage } from "@easel/conformance/fixture";
import { collecting } from "@easel/conformance/policy";
import { refused } from "@easel/conformance/refusal";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import type { Query } from "../src/kit/page.ts";
import { readQuery } from "../src/primitives/collections/query.ts";
import { RecordStore, type StoredRecord } from "../src/primitives/collections/store.ts";
import { times } from "./databases.ts";
import { onEngines } from "./engines.ts";
import { type Asked, type Comparisons, listed } from "./record-model.ts";

const ANY = { own: true, any: true };
const OWN = { own: true, any: false };

const AUTHORS = ["u-1", "u-2", "guest:u-1"];
const FIELDS = ["a", "b", "c.d", "é", "__proto__", "authorId", "0", "x y"];
const LONG = "l".repeat(250);

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("", "a", "ab", "abc", "A", "b", "a\0", "a\u007f", "é", "e\u0301") },
  fc.constantFrom("a\ud7ff", "a\ue000", "a\uffff", "a\u{10000}", "a\u{10ffff}", "1", "null", "true"),
  fc.constantFrom(
    LONG,
    `${LONG}1234`,
    `${LONG}12345`,
    `${LONG}éé`,
    `${LONG}ééé`,
    `${LONG}123456789`,
    "é".repeat(200),
  ),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const number = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, -0, 1, -1, 1.5, 2, 10, 100, -100) },
  fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, -5e-324, 2 ** 53, 2 ** 53 + 2, 1e21, 1 / 3),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const field = fc.constantFrom(...FIELDS);

/** Values with scalars in few fields, so that queries find something, and some of every other kind. */
const value: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(
        fc.tuple(field, fc.oneof({ weight: 9, arbitrary: scalar }, fc.constantFrom([], ["a"], { a: 1 }))),
        {
          maxLength: 6,
        },
      )
      .map((entries) => Object.fromEntries(entries) as Json),
  },
  scalar,
  fc.constantFrom<Json[]>([], ["a"], [{ a: 1 }]),
);

const operand = scalar.filter((each) => typeof each !== "string" || Buffer.byteLength(each) < 256);
const comparisons = fc.oneof(
  operand.map((eq): Comparisons => ({ eq })),
  fc
    .tuple(fc.constantFrom("lt", "lte", "gt", "gte"), operand)
    .map(([name, each]): Comparisons => ({ [name]: each })),
  fc.tuple(operand, operand).map(([gte, lt]): Comparisons => ({ gte, lt })),
  text.filter((each) => Buffer.byteLength(each) < 256).map((startsWith): Comparisons => ({ startsWith })),
);
const condition = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(
      field.map((name) => `value.${name}`),
      comparisons,
    ),
  },
  fc.tuple(
    fc.constant("authorId"),
    fc.constantFrom(...AUTHORS).map((eq): Comparisons => ({ eq })),
  ),
  fc.tuple(fc.constant("authorId"), comparisons),
);
const order = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(
      fc.constantFrom("createdAt", "updatedAt"),
      field.map((name) => `value.${name}`),
    ),
  )
  .map((parts) => parts.join(""));
const asked: fc.Arbitrary<Asked> = fc
  .record({ where: fc.array(condition, { maxLength: 3 }), orderBy: order })
  .filter(
    ({ where }) =>
      where.flatMap(([, each]) => Object.keys(each)).length <= 3 &&
      new Set(where.map(([name]) => name)).size === where.length,
  );

/** A list as it stands in the address; of a field, not of the author, an equality as the value alone. */
function queryOf({ where, orderBy }: Asked): Query {
  if (where.length === 0) return { orderBy };
  const entries = where.map(([name, each]) => [name, "eq" in each && name !== "authorId" ? each.eq : each]);
  return { orderBy, where: JSON.stringify(Object.fromEntries(entries)) };
}

const idsOf = (records: { id: string }[]) => records.map(({ id }) => id);

await onEngines("what records are listed by", (target, { db }) => {
  let canvases = 0;
  /** A collection with these values, each by an author in turn; in the order of their ids. */
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
    new RecordStore(db, canvas, "board", caller).list(readQuery(query), right);
  /** The whole list, page by page. */
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

  it("any filter and order: the records that a plain filter and sort give, whole and by pages", async () => {
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
        }
      }),
      { numRuns: 15 },
    );
    assert.ok(found > 300, `only ${found} records were found: the queries ask too little`);
  });

  it("one's own records only: the right is applied before filter, order and limit", async () => {
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
    it(`${orderBy}: pages of any size make up the whole`, async () => {
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

  it("a change of a record changes what it is found by and where it stands", async () => {
    const { canvas, records } = await filled([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const [first] = records;
    const store = new RecordStore(db, canvas, "board", "u-1");
    await store.update(first?.id ?? "", { n: 9, more: true }, 5);
    const by = async (query: Query) => idsOf((await list(canvas, query)).entries);
    assert.deepEqual(await by({ where: '{"value.n":1}' }), []);
    assert.deepEqual(await by({ where: '{"value.n":9,"value.more":true}' }), [first?.id]);
    assert.equal((await by({ orderBy: "-value.n" }))[0], first?.id);
    assert.equal((await by({ orderBy: "-updatedAt" }))[0], first?.id);
    await store.update(first?.id ?? "", 7, 6);
    assert.deepEqual(await by({ where: '{"value.n":9}' }), []);
    assert.equal((await by({ orderBy: "value.n" })).length, 2);
    assert.equal(await store.increment(first?.id ?? "", 1, 7), 8);
    assert.equal((await by({ orderBy: "-updatedAt" }))[0], first?.id);
    await store.delete(first?.id ?? "");
    assert.deepEqual(new Set(await by({})), new Set(idsOf(records.slice(1))));
  });

  it("of an object the first 100 scalar fields count, and names of up to 256 bytes", async () => {
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
    assert.throws(() => readQuery({ where: JSON.stringify({ [`value.${long}`]: 1 }) }), /is no field/);
    assert.throws(() => readQuery({ where: '{"value.\\ud800":1}' }), /is no field/);
  });

  it("texts with halves of surrogate pairs are kept, and asking for them finds no more than them", async () => {
    const texts = ["\ud800", "\udc00", "\ufffd", "a\ud83d", "a😀"];
    const { canvas, records } = await filled(texts.map((t) => ({ t })));
    for (const [index, t] of texts.entries()) {
      if (!t.isWellFormed()) continue;
      const { entries } = await list(canvas, { where: JSON.stringify({ "value.t": t }) });
      assert.deepEqual(idsOf(entries), [records[index]?.id], JSON.stringify(t));
    }
  });

  describe("over HTTP", () => {
    let canvas: Stage;
    let made: Entry[];
    before(async () => {
      canvas = await collecting(target, {
        board: { preset: "contributions" },
        box: { preset: "submissions" },
        shut: { preset: "contributions", overrides: { read: "none" } },
      });
      made = [];
      for (const [index, role] of (["owner", "viewer", "stranger", "viewer"] as const).entries()) {
        for (const name of ["board", "box"]) {
          const page = canvas.pages[role];
          const entry = entryOf(await page.post(`/collections/${name}`, { n: index, t: `t${index}` }), 201);
          if (name === "board") made.push(entry);
        }
      }
    });
    const get = (query: string, name = "board", role: "owner" | "viewer" | "stranger" = "viewer") =>
      canvas.pages[role].get(`/collections/${name}?${query}`);
    const where = (filter: unknown) => `where=${encodeURIComponent(JSON.stringify(filter))}`;
    const numbers = async (query: string, name?: string, role?: "owner" | "viewer" | "stranger") => {
      const answer = await get(query, name, role);
      assert.equal(answer.status, 200, answer.text);
      return (answer.json.entries as Entry[]).map(({ value: each }) => (each as { n: number }).n);
    };

    it("filter, order and pages together", async () => {
      assert.deepEqual(await numbers(`${where({ "value.n": { gte: 1 } })}&orderBy=-value.n`), [3, 2, 1]);
      const first = await get(`${where({ "value.n": { gte: 1 } })}&orderBy=-value.n&limit=2`);
      const cursor = encodeURIComponent(String(first.json.nextCursor));
      assert.deepEqual(
        await numbers(`${where({ "value.n": { gte: 1 } })}&orderBy=-value.n&limit=2&cursor=${cursor}`),
        [1],
      );
      assert.deepEqual(
        await numbers(`${where({ "value.t": { startsWith: "t" }, "value.n": { lt: 2 } })}`),
        [0, 1],
      );
      assert.deepEqual(await numbers(where({ authorId: made[0]?.authorId })), [0]);
      assert.deepEqual(await numbers(where({})), [0, 1, 2, 3]);
    });

    it("a filter opens nothing that the caller may not read", async () => {
      const all = where({ "value.n": { gte: 0 } });
      assert.deepEqual(await numbers(all, "box", "owner"), [0, 1, 2, 3]);
      assert.deepEqual(await numbers(`${all}&orderBy=-value.n`, "box", "viewer"), [3, 1]);
      assert.deepEqual(await numbers(`${all}&limit=1`, "box", "stranger"), [2]);
      const others = where({ authorId: made[0]?.authorId });
      assert.deepEqual(await numbers(others, "box", "viewer"), []);
      refused(await get(others, "shut"), 403, "PERMISSION_DENIED");
    });

    const WRONG: [what: string, query: string, says: RegExp][] = [
      ...(
        [
          ["no JSON", "{", /`where`/],
          ["nothing but a space", "%20", /`where`/],
          ["a bare word", "open", /`where`/],
          ["a list", "[]", /`where`/],
          ["a number", "1", /`where`/],
          ["null", "null", /`where`/],
          ["a text", '""', /`where`/],
          ["too deep", `${"[".repeat(4_000)}`, /`where`/],
          ["too long", JSON.stringify({ "value.a": "a".repeat(4_100) }), /`where`/],
          ["a field of nothing", '{"a":1}', /field/],
          ["a field without a name", '{"value.":1}', /field/],
          ["the value itself", '{"value":1}', /field/],
          ["the id", '{"id":"a"}', /field/],
          ["a time", '{"updatedAt":1}', /field/],
          ["capitals", '{"Value.a":1}', /field/],
          ["the prototype", '{"__proto__":1}', /field/],
          ["a field of an object's own", '{"constructor":1}', /field/],
          ["a name of 257 bytes", JSON.stringify({ [`value.${"n".repeat(257)}`]: 1 }), /field/],
          ["a name with half a pair", '{"value.\\ud800":1}', /field/],
          ["an unknown comparison", '{"value.a":{"ne":1}}', /comparison/],
          ["a comparison of an object's own", '{"value.a":{"toString":1}}', /comparison/],
          ["the prototype as a comparison", '{"value.a":{"__proto__":1}}', /comparison/],
          ["a list to compare with", '{"value.a":[1]}', /compared/],
          ["a list in a comparison", '{"value.a":{"eq":[1]}}', /compared/],
          ["an object in a comparison", '{"value.a":{"eq":{}}}', /compared/],
          ["a text of 256 bytes", JSON.stringify({ "value.a": "a".repeat(256) }), /text/],
          ["a text of 256 bytes in 128 characters", JSON.stringify({ "value.a": "é".repeat(128) }), /text/],
          ["a number as a prefix", '{"value.a":{"startsWith":1}}', /startsWith/],
          ["null as a prefix", '{"value.a":{"startsWith":null}}', /startsWith/],
          ["four comparisons", '{"value.a":1,"value.b":1,"value.c":1,"value.d":1}', /comparisons/],
          ["four comparisons of one field", '{"value.a":{"gt":1,"gte":1,"lt":1,"lte":1}}', /comparisons/],
        ] as const
      ).map(([what, text, says]): [string, string, RegExp] => [
        `where: ${what}`,
        `where=${text === "%20" ? text : encodeURIComponent(text)}`,
        says,
      ]),
      ["where twice", "where=%7B%7D&where=%7B%7D", /`where`/],
      ["where that is not UTF-8", "where=%ff", /`where`/],
      ...(
        [
          ["id", /orderBy/],
          ["authorId", /orderBy/],
          ["value", /orderBy/],
          ["value.", /orderBy/],
          ["-", /orderBy/],
          ["--createdAt", /orderBy/],
          ["CreatedAt", /orderBy/],
          ["createdAt,updatedAt", /orderBy/],
          ["createdAt%20desc", /orderBy/],
          ["+createdAt", /orderBy/],
          ["constructor", /orderBy/],
          ["__proto__", /orderBy/],
          ["createdAt;drop%20table%20records", /orderBy/],
          [`value.${"n".repeat(257)}`, /field/],
        ] as const
      ).map(([given, says]): [string, string, RegExp] => [
        `orderBy: ${given.slice(0, 30)}`,
        `orderBy=${given}`,
        says,
      ]),
      ["orderBy twice", "orderBy=createdAt&orderBy=createdAt", /`orderBy`/],
      ...[
        "orderBy=updatedAt&cursor=0",
        "orderBy=updatedAt&cursor=.0",
        "orderBy=updatedAt&cursor=1.",
        "orderBy=updatedAt&cursor=a.0",
        "orderBy=updatedAt&cursor=-1.0",
        "orderBy=updatedAt&cursor=1e3.0",
        "orderBy=updatedAt&cursor=1.5.0",
        "orderBy=updatedAt&cursor=99999999999999999.0",
        "orderBy=updatedAt&cursor=1.%ff",
        "orderBy=updatedAt&cursor=1.0.0",
        "orderBy=value.n&cursor=0",
        "orderBy=value.n&cursor=.0",
        "orderBy=value.n&cursor=Ag.",
        "orderBy=value.n&cursor=A*.0",
        "orderBy=value.n&cursor=Ag==.0",
        `orderBy=value.n&cursor=${"A".repeat(1_000)}.0`,
        "orderBy=createdAt&cursor=1.0",
      ].map((query): [string, string, RegExp] => [query.slice(0, 50), query, /`cursor`/]),
    ];
    for (const [what, query, says] of WRONG) {
      it(`${what}: 400 INVALID_BODY, in words`, async () => {
        const answer = await get(query);
        refused(answer, 400, "INVALID_BODY");
        assert.match(String(answer.json.message), says);
        assert.ok(String(answer.json.message).length < 300);
      });
    }

    it("empty parameters are none", async () => {
      assert.deepEqual(await numbers("where=&orderBy=&cursor="), [0, 1, 2, 3]);
    });

    it("a cursor of another list is a place like any, or none: never a 5xx", async () => {
      const cursors = [];
      for (const orderBy of ["createdAt", "-updatedAt", "value.n", "-value.t"]) {
        const { nextCursor } = (await get(`orderBy=${orderBy}&limit=1`)).json;
        assert.equal(typeof nextCursor, "string");
        cursors.push(encodeURIComponent(String(nextCursor)));
      }
      cursors.push("0", "f", "0.0", "9999999999999999.0", "AA.0", "____.0", `${"A".repeat(400)}.0`);
      for (const orderBy of ["createdAt", "-createdAt", "updatedAt", "-updatedAt", "value.n", "-value.t"]) {
        for (const cursor of cursors) {
          const answer = await get(`orderBy=${orderBy}&cursor=${cursor}`);
          if (answer.status !== 200) refused(answer, 400, "INVALID_BODY");
        }
      }
    });

    it("any text in the place of any parameter: 200 or 400, at once", async () => {
      const hostile = fc.oneof(
        fc.string({ unit: "binary", maxLength: 40 }),
        fc.jsonValue({ maxDepth: 3 }).map((each) => JSON.stringify(each)),
        fc
          .dictionary(fc.constantFrom("authorId", "value.n", "value.t", "__proto__"), fc.jsonValue())
          .map((each) => JSON.stringify(each)),
        fc.stringMatching(/^-?(createdAt|updatedAt|value\.[a-z'"\\;%_-]{0,6})$/),
        fc.stringMatching(/^[A-Za-z0-9_-]{0,12}\.?[0-9a-f-]{0,12}$/),
      );
      const parameters = fc.record(
        { where: hostile, orderBy: hostile, cursor: hostile },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(parameters, async (given) => {
          const query = Object.entries(given).map(
            ([name, each]) => `${name}=${encodeURIComponent(each.toWellFormed())}`,
          );
          const answer = await get(query.join("&"));
          if (answer.status !== 200) refused(answer, 400, "INVALID_BODY");
        }),
        { numRuns: 200 },
      );
    });
  });
});
