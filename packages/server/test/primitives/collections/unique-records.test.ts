import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@easel/protocol/types";
import { type Db, sql } from "../../../src/drivers/db/db.ts";
import { Refusal } from "../../../src/http/refusal.ts";
import { fieldsOf } from "../../../src/primitives/collections/fields.ts";
import { RecordStore } from "../../../src/primitives/collections/store.ts";
import { MANY, onDatabases, times } from "../../drivers/databases.ts";
import { indexed, named, recordsOf } from "./record-figures.ts";

const ANY = { own: true, any: true };
const VOTE = ["authorId", "value.card"];

/** The number of canvases so far. Each test uses a new one. */
let canvases = 0;

/** Opens a collection of a new canvas. The function that it returns opens it with other unique fields, database or author. */
const opener = (first: Db) => {
  const canvas = `unique-${++canvases}`;
  const open = (unique: string[], author = "u-1", db = first) =>
    new RecordStore(db, canvas, "votes", author, unique);
  const sound = async () => {
    const [counted, held] = await recordsOf(first, canvas);
    assert.equal(counted, held);
    await indexed(first, canvas);
    return held;
  };
  return { open, sound, canvas };
};

/** Returns "stored", "none" if nothing was stored, or the code of the refusal. */
const outcome = (written: Promise<unknown>): Promise<string> =>
  written.then(
    (stored) => (stored === null ? "none" : "stored"),
    (error) => (error instanceof Refusal ? String(error.code) : assert.fail(error)),
  );

await onDatabases("unique records", (db, other) => {
  /** The unique fields, pairs of author and value that are created in order, and what becomes of each. */
  const ROWS: [unique: string[], records: [author: string, value: Json, expected: string][]][] = [
    [
      VOTE,
      [
        ["u-1", { card: "a" }, "stored"],
        ["u-1", { card: "a", more: true }, "NOT_UNIQUE"],
        ["u-1", { card: "b" }, "stored"],
        ["u-2", { card: "a" }, "stored"],
        ["u-1", { card: "A" }, "stored"],
        ["u-1", { card: "" }, "stored"],
        ["u-1", { card: "" }, "NOT_UNIQUE"],
        ["u-1", { card: null }, "stored"],
        ["u-1", { card: null }, "NOT_UNIQUE"],
        ["u-1", { card: 0 }, "stored"],
        ["u-1", { card: -0 }, "NOT_UNIQUE"],
        ["u-1", { card: false }, "stored"],
        ["u-1", { card: "0" }, "stored"],
        ["u-1", {}, "INVALID_BODY"],
        ["u-1", { card: ["a"] }, "INVALID_BODY"],
        ["u-1", { card: { id: "a" } }, "INVALID_BODY"],
        ["u-1", { card: "\ud800" }, "INVALID_BODY"],
        ["u-1", { card: "é".repeat(128) }, "INVALID_BODY"],
        ["u-1", { card: `${"é".repeat(127)}a` }, "stored"],
        ["u-1", { card: `${"é".repeat(127)}b` }, "stored"],
        ["u-1", ["a"], "INVALID_BODY"],
        ["u-1", 5, "INVALID_BODY"],
        ["u-1", null, "INVALID_BODY"],
        [
          "u-1",
          { ...Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, at])), card: "z" },
          "INVALID_BODY",
        ],
      ],
    ],
    [
      ["authorId"],
      [
        ["u-1", 5, "stored"],
        ["u-1", "anything", "NOT_UNIQUE"],
        ["u-2", ["anything"], "stored"],
      ],
    ],
    [
      ["value.slot"],
      [
        ["u-1", { slot: 9 }, "stored"],
        ["u-2", { slot: 9 }, "NOT_UNIQUE"],
        ["u-2", { slot: 10 }, "stored"],
      ],
    ],
    [
      ["value.day", "value.room", "value.hour", "authorId"],
      [
        ["u-1", { day: "mon", room: 1, hour: 9 }, "stored"],
        ["u-1", { hour: 9, room: 1, day: "mon" }, "NOT_UNIQUE"],
        ["u-1", { day: "mon", room: 1, hour: 10 }, "stored"],
        ["u-1", { day: "mon", room: 10, hour: 1 }, "stored"],
        ["u-1", { day: "tue", room: 1, hour: 9 }, "stored"],
        ["u-2", { day: "mon", room: 1, hour: 9 }, "stored"],
        ["u-1", { day: "mon", room: 1 }, "INVALID_BODY"],
      ],
    ],
  ];
  for (const [unique, records] of ROWS)
    test(`created by ${unique.join(", ")}`, async () => {
      const { open, sound } = opener(db);
      for (const [author, value, expected] of records)
        assert.equal(await outcome(open(unique, author).create(value, 1)), expected, JSON.stringify(value));
      assert.equal(await sound(), records.filter(([, , expected]) => expected === "stored").length);
    });

  test("a collection without `unique` takes equal records, and other collections are not compared", async () => {
    const { open } = opener(db);
    for (const unique of [[], [], ["authorId"]]) {
      const expected = unique.length === 0 ? "stored" : "NOT_UNIQUE";
      assert.equal(await outcome(open(unique).create({ card: 1 }, 1)), expected);
    }
    assert.equal(await outcome(opener(db).open(["authorId"]).create({ card: 1 }, 1)), "stored");
  });

  test("an update keeps its own value, takes a free one, and no value of another record", async () => {
    const { open, sound } = opener(db);
    const votes = open(VOTE);
    const [a, b] = [await votes.create({ card: "a" }, 1), await votes.create({ card: "b" }, 1)];
    const theirs = await open(VOTE, "u-2").create({ card: "c" }, 1);
    const rows: [record: typeof a, card: Json, expected: string][] = [
      [a, "a", "stored"],
      [a, "b", "NOT_UNIQUE"],
      [a, "c", "stored"],
      [b, "a", "stored"],
      [b, "c", "NOT_UNIQUE"],
      [a, [], "INVALID_BODY"],
      // The author of the record counts, not who changes it.
      [theirs, "a", "stored"],
      [theirs, "c", "stored"],
    ];
    for (const [record, card, expected] of rows) {
      const { id, author_id } = record ?? assert.fail();
      assert.equal(await outcome(votes.update(named(id, author_id), { card }, 2)), expected, String(card));
    }
    assert.equal(await outcome(votes.update(named("none"), { card: "z" }, 2)), "none");
    assert.equal(await sound(), 3);
  });

  test("records of which more than 256 agree in a field are compared as well", async () => {
    const { open, canvas } = opener(db);
    const older = Array.from({ length: 257 }, (_, index) => [
      { a: 1, b: `${index}` },
      { a: `${index}`, b: 1 },
    ]).flat();
    await db.batch(
      older.flatMap((value, index) => {
        const id = `${canvas}-${index}`;
        return [
          sql`insert into records (id, canvas_id, collection, author_id, value, created_at, updated_at)
            values (${id}, ${canvas}, 'votes', 'u-1', ${JSON.stringify(value)}, 1, 1)`,
          ...fieldsOf(value).map(
            ({ name, key }) => sql`insert into record_fields (canvas_id, collection, name, key, record_id)
              values (${canvas}, 'votes', ${name}, ${key}, ${id})`,
          ),
        ];
      }),
    );
    const store = open(["value.a", "value.b"]);
    const rows: [value: Json, expected: string][] = [
      [{ a: 1, b: "7" }, "NOT_UNIQUE"],
      [{ a: "7", b: 1 }, "NOT_UNIQUE"],
      [{ a: 1, b: 1 }, "stored"],
      [{ a: 1, b: 1 }, "NOT_UNIQUE"],
      [{ a: "7", b: "7" }, "stored"],
      [{ a: "7", b: "7" }, "NOT_UNIQUE"],
    ];
    for (const [value, expected] of rows)
      assert.equal(await outcome(store.create(value, 2)), expected, JSON.stringify(value));
  });

  test("deleting and clearing free the values", async () => {
    const { open, sound } = opener(db);
    const votes = open(VOTE);
    const { id } = (await votes.create({ card: "a" }, 1)) ?? assert.fail();
    assert.equal(await votes.delete(id), true);
    assert.equal(await outcome(votes.create({ card: "a" }, 1)), "stored");
    for await (const _ of votes.clear(ANY));
    assert.equal(await outcome(votes.create({ card: "a" }, 1)), "stored");
    assert.equal(await sound(), 1);
  });

  test("a quota that is used up comes after the comparison", async () => {
    const { open } = opener(db);
    await open(VOTE).create({ card: "a" }, 1);
    await db.run`insert into quotas (name, value) values ('collections.records.canvas', 1)`;
    assert.equal(await outcome(open(VOTE).create({ card: "a" }, 1)), "NOT_UNIQUE");
    assert.equal(await outcome(open(VOTE).create({ card: "b" }, 1)), "none");
    await db.run`delete from quotas`;
  });

  test("fields that are made unique later count for what is written from then on, also beside older records", async () => {
    const { open } = opener(db);
    const before = await times(2, () => open([]).create({ card: "a" }, 1));
    const { id } = before[0] ?? assert.fail();
    assert.equal(await outcome(open(VOTE).create({ card: "a" }, 2)), "NOT_UNIQUE");
    assert.equal(await outcome(open(VOTE).update(named(id), { card: "a" }, 2)), "NOT_UNIQUE");
    assert.equal(await outcome(open(VOTE).update(named(id), { card: "b" }, 2)), "stored");
  });

  test(`${MANY} concurrent creates of one value on two connections: one is stored`, async () => {
    const { open, sound } = opener(db);
    const done = await times(MANY, (index) =>
      outcome(open(VOTE, "u-1", index % 2 === 0 ? db : other).create({ card: "a", index }, 1)),
    );
    assert.deepEqual(Map.groupBy(done, (each) => each).get("stored")?.length, 1);
    assert.equal(done.filter((each) => each === "NOT_UNIQUE").length, MANY - 1);
    assert.equal(await sound(), 1);
  });

  test("concurrent updates to one value on two connections: one is stored", async () => {
    const { open, sound } = opener(db);
    const made = await times(20, (index) => open(VOTE).create({ card: index }, 1));
    const done = await Promise.all(
      made.map((record, index) =>
        outcome(
          open(VOTE, "u-1", index % 2 === 0 ? db : other).update(
            named(record?.id ?? ""),
            { card: "same" },
            2,
          ),
        ),
      ),
    );
    assert.equal(done.filter((each) => each === "stored").length, 1);
    assert.equal(await sound(), 20);
  });

  test("concurrent creates and updates never make equal records", async () => {
    const { open } = opener(db);
    const made = await times(5, (index) => open(VOTE).create({ card: `old ${index}` }, 1));
    await times(MANY, async (index) => {
      const store = open(VOTE, "u-1", index % 2 === 0 ? db : other);
      const value = { card: index % 7 };
      const id = made[index % 5]?.id ?? "";
      await outcome(index % 3 === 0 ? store.update(named(id), value, 2) : store.create(value, 2));
    });
    const { entries } = await open([]).list(
      { conditions: [], order: { by: "createdAt" }, descending: false, after: null, limit: 100 },
      ANY,
    );
    const cards = entries.map(({ value }) => JSON.parse(value ?? "").card);
    assert.equal(new Set(cards).size, cards.length, cards.join());
  });
});
