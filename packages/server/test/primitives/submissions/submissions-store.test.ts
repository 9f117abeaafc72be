import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Db } from "../../../src/drivers/db/db.ts";
import { SubmissionStore } from "../../../src/primitives/submissions/store.ts";
import { MANY, onDatabases, times } from "../../drivers/databases.ts";
import { submissionsOf } from "../collections/record-figures.ts";

/** The number of canvases so far. Each test uses new ones. */
let canvases = 0;
const opener = (db: Db) => () => {
  const canvas = `canvas-${++canvases}`;
  return {
    store: (collection = "poll") => new SubmissionStore(db, canvas, collection),
    sound: async () => {
      const [counted, held] = await submissionsOf(db, canvas);
      assert.equal(counted, held, "the counter says how many answers there are");
      return held;
    },
  };
};

await onDatabases("submissions", (db) => {
  const open = opener(db);
  const limit = (name: "canvas" | "author", value: number) => db.run`
    insert into quotas (name, value) values (${`submissions.${name}`}, ${value})
    on conflict (name) do update set value = excluded.value`;
  const unlimited = () => db.run`delete from quotas`;
  const yes = (done: boolean[]) => done.filter(Boolean).length;

  test("200 concurrent submissions with room for 10 on the canvas: 10 succeed", async () => {
    const { store, sound } = open();
    await limit("canvas", 25);
    await times(15, (index) => store().put(`old-${index}`, "1", 1));
    const done = await times(MANY, (index) => store(`poll-${index % 3}`).put(`new-${index}`, "1", 1));
    assert.equal(yes(done), 10);
    assert.equal(await sound(), 25);
    const found = await times(MANY, (index) => store(`poll-${index % 3}`).get(`new-${index}`));
    assert.deepEqual(
      found.map((each) => each !== undefined),
      done,
    );
    await unlimited();
  });

  test("200 concurrent submissions of an author with room for 10: 10 succeed; other authors are not affected", async () => {
    const { store, sound } = open();
    await limit("author", 12);
    await times(2, (index) => store(`old-${index}`).put("u-1", "1", 1));
    const done = await times(MANY, (index) => store(`new-${index}`).put("u-1", "1", 1));
    assert.equal(yes(done), 10);
    assert.equal(yes(await times(12, (index) => store(`new-${index}`).put("u-2", "1", 1))), 12);
    assert.equal(await store("more").put("u-2", "1", 1), false);
    assert.equal(await sound(), 24);
    await unlimited();
  });

  test("both quotas apply, whichever is reached first", async () => {
    const { store, sound } = open();
    await limit("author", 3);
    await limit("canvas", 7);
    const done = await times(MANY, (index) =>
      store(`poll-${index}`).put(`u-${index % 2 === 0 ? 0 : index % 5}`, "1", 1),
    );
    assert.equal(yes(done), 7);
    assert.equal(await sound(), 7);
    await unlimited();
  });

  test("at both quotas submissions are updated and removed; a lower quota removes none", async () => {
    const { store, sound } = open();
    await times(4, (index) => store(`poll-${index}`).put("u-1", "1", 1));
    await limit("author", 4);
    assert.equal(await store("more").put("u-1", "1", 1), false);
    assert.equal(await store("poll-0").put("u-1", '"changed"', 2), true);
    await limit("author", 2);
    await limit("canvas", 3);
    assert.equal(await store("poll-1").put("u-1", '"changed"', 2), true);
    assert.equal(await sound(), 4);
    await store("poll-2").delete("u-1");
    assert.equal(await store("poll-2").put("u-1", "1", 1), false);
    assert.equal(await store("poll-2").put("u-2", "1", 1), false);
    await store("poll-3").delete("u-1");
    assert.equal(await store("poll-3").put("u-1", "1", 1), false);
    assert.equal(await store("poll-3").put("u-2", "1", 1), true);
    await unlimited();
    assert.equal(await store("poll-2").put("u-1", "1", 1), true);
    assert.equal(await sound(), 4);
    assert.deepEqual(await store("poll-0").get("u-1"), {
      userId: "u-1",
      value: '"changed"',
      updatedAt: 2,
    });
  });

  test("with a quota of 0 for the canvas or the author no submission is created", async () => {
    for (const name of ["canvas", "author"] as const) {
      const { store, sound } = open();
      await limit(name, 0);
      assert.equal(yes(await times(20, (index) => store().put(`u-${index}`, "1", 1))), 0);
      assert.equal(await sound(), 0);
      await unlimited();
      assert.equal(await store().put("u-1", "1", 1), true);
      assert.equal(await sound(), 1);
    }
  });

  test("concurrent puts create one submission, also the last possible one", async () => {
    const { store, sound } = open();
    await limit("canvas", 3);
    await limit("author", 1);
    for (const user of ["u-1", "u-2", "u-3"]) {
      const done = await times(MANY, (index) => store().put(user, String(index), index));
      assert.equal(yes(done), MANY);
    }
    assert.equal(await store().put("u-4", "1", 1), false);
    assert.equal(await sound(), 3);
    const { entries } = await store().list({ cursor: "", limit: 10 });
    for (const { value, updatedAt } of entries) assert.equal(value, String(updatedAt));
    await unlimited();
  });

  test("concurrent puts and deletes of a submission are never refused while there is room", async () => {
    const { store, sound } = open();
    await limit("canvas", 2);
    await limit("author", 1);
    for (let round = 0; round < 20; round++) {
      const done = await times(90, async (index) => {
        if (index % 3 < 2) return store().put("u-1", "1", index);
        await store().delete("u-1");
        return true;
      });
      assert.equal(yes(done), 90);
    }
    assert.ok((await sound()) <= 1);
    await unlimited();
  });

  test("concurrent deletes decrease the counter once", async () => {
    const { store, sound } = open();
    await times(3, (index) => store().put(`u-${index}`, "1", 1));
    await times(MANY, () => store().delete("u-0"));
    assert.equal(await sound(), 2);
    await times(20, () => store().clear());
    assert.equal(await sound(), 0);
  });

  test("clearing a collection leaves the others", async () => {
    const [here, away] = [open(), open()];
    for (const { store } of [here, away]) {
      await times(4, (index) => store("poll").put(`u-${index}`, "1", 1));
      await times(3, (index) => store("other").put(`u-${index}`, "1", 1));
    }
    await here.store("poll").clear();
    assert.deepEqual([await here.sound(), await away.sound()], [3, 7]);
    await here.store("never").clear();
    await open().store().clear();
    assert.equal(await here.sound(), 3);
  });

  test("the list is by author, page by page", async () => {
    const { store } = open();
    const users = ["u-2", "guest:a", "U-1", "u-1", "0", "guest:B", "u-10"];
    await times(users.length, (index) => store().put(users[index] ?? "", String(index), index));
    const whole = (await store().list({ cursor: "", limit: 100 })).entries;
    assert.deepEqual(new Set(whole.map(({ userId }) => userId)), new Set(users));
    for (let size = 1; size <= users.length + 1; size++) {
      const seen = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: Awaited<ReturnType<SubmissionStore["list"]>> = await store().list({
          cursor,
          limit: size,
        });
        seen.push(...page.entries);
        cursor = page.nextCursor;
      }
      assert.deepEqual(seen, whole);
    }
  });

  test("after any concurrent writes the counter matches the submissions, within the quotas", async () => {
    const health = fc.record({
      what: fc.constantFrom("put", "put", "put", "delete", "clear"),
      user: fc.constantFrom("u-1", "u-2", "u-3"),
      collection: fc.constantFrom("a", "b", "c", "d"),
    });
    const rounds = fc.array(fc.array(health, { minLength: 1, maxLength: 40 }), {
      minLength: 1,
      maxLength: 3,
    });
    await limit("canvas", 7);
    await limit("author", 3);
    await fc.assert(
      fc.asyncProperty(rounds, async (turns) => {
        const { store, sound } = open();
        for (const turn of turns) {
          await Promise.all(
            turn.map(async ({ what, user, collection }): Promise<unknown> => {
              if (what === "put") return store(collection).put(user, "1", 1);
              return what === "delete" ? store(collection).delete(user) : store(collection).clear();
            }),
          );
          assert.ok((await sound()) <= 7);
          for (const user of ["u-1", "u-2", "u-3"]) {
            const found = await Promise.all(["a", "b", "c", "d"].map((name) => store(name).get(user)));
            assert.ok(found.filter((each) => each !== undefined).length <= 3);
          }
        }
      }),
      { numRuns: 25 },
    );
    await unlimited();
  });
});
