import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import fc from "fast-check";
import { MANY, times } from "../../drivers/databases.ts";
import { fileOf, OWNER_QUOTA, onFileStores, setQuota } from "./file-stores.ts";

const SCOPES = ["shared", "submission", "group:photos"] as const;

interface Modelled {
  scope: string;
  owner: string;
  size: number;
  name: string;
}

const sumOf = (files: Iterable<Modelled>) => [...files].reduce((sum, { size }) => sum + size, 0);

await onFileStores("the quota of files", (open, db) => {
  test("200 concurrent creates on two connections with room for 10: 10 succeed", async () => {
    const { files, others, add, sound } = open();
    await setQuota(db, 1_000);
    await add(900);
    const made = await times(MANY, (index) => (index % 2 ? files : others).create(fileOf(10)));
    assert.equal(made.filter((each) => typeof each === "object").length, 10);
    assert.equal(made.filter((each) => each === "full").length, MANY - 10);
    assert.deepEqual(await sound(), { bytes: 1_000, files: 11 });
    await setQuota(db, null);
  });

  test("the first files of a canvas, created concurrently, stay within the quota", async () => {
    await setQuota(db, 100);
    for (let round = 0; round < 10; round++) {
      const { files, others, sound } = open();
      await times(20, (index) => (index % 2 ? files : others).create(fileOf(7 + (index % 3))));
      const { bytes } = await sound();
      assert.ok(bytes <= 100 && bytes > 100 - 7, String(bytes));
    }
    await setQuota(db, null);
  });

  test("a changed quota applies to the next create, and removes no file", async () => {
    const { files, add, sound } = open();
    assert.equal((await files.room()).canvas, LIMITS.filesBytesPerCanvas.value);
    await setQuota(db, 10);
    const first = await add(10);
    assert.deepEqual(await files.room(), {
      file: LIMITS.fileBytes.value,
      canvas: 0,
      owner: OWNER_QUOTA,
      ownerQuota: OWNER_QUOTA,
    });
    assert.equal(await files.create(fileOf(1)), "full");
    await setQuota(db, 11);
    await add(1);
    await setQuota(db, 5);
    assert.equal((await files.room()).canvas, 0);
    assert.equal(await files.create(fileOf(0)), "full");
    assert.equal(await files.delete(first.id, 0), true);
    assert.equal(await files.create(fileOf(4)), "full", "the bytes of the removed file may still be stored");
    await add(4);
    assert.equal(await files.create(fileOf(1)), "full");
    await setQuota(db, null);
    await add(1);
    assert.deepEqual(await sound(), { bytes: 6, files: 3 });
  });

  test("the quota is one of each canvas, and a file of another canvas is not found", async () => {
    await setQuota(db, 10);
    const [here, away] = [open(), open()];
    const { id } = await here.add(10);
    await away.add(10);
    assert.equal(await here.files.create(fileOf(1)), "full");
    assert.equal(await away.files.find(id), undefined);
    assert.equal(await away.files.rename(id, "mine.txt"), false);
    assert.equal(await away.files.delete(id, 0), false);
    assert.equal((await here.files.find(id))?.name, "tea.txt");
    for (const { sound } of [here, away]) assert.deepEqual(await sound(), { bytes: 10, files: 1 });
    await setQuota(db, null);
  });

  test("with a quota of 0 only empty files are created", async () => {
    const { files, add, sound } = open();
    await setQuota(db, 0);
    assert.equal(await files.create(fileOf(1)), "full");
    assert.deepEqual(await sound(), { bytes: 0, files: 0 });
    const { id } = await add(0);
    await add(0);
    assert.equal(await files.create(fileOf(1)), "full");
    assert.equal(await files.delete(id, 0), true);
    assert.deepEqual(await sound(), { bytes: 0, files: 1 });
    await setQuota(db, null);
  });

  test("a file whose record does not exist is not created, and counts nothing", async () => {
    const { files, record, sound } = open();
    assert.equal(await files.create(fileOf(5, { scope: "record:board", record_id: "gone" })), "gone");
    assert.deepEqual(await sound(), { bytes: 0, files: 0 });
    const record_id = await record();
    assert.equal(typeof (await files.create(fileOf(5, { scope: "record:board", record_id }))), "object");
  });

  test("concurrent deletes of a file on two connections: one succeeds, and its bytes are given back once", async () => {
    for (let round = 0; round < 20; round++) {
      const { files, others, add, sound } = open();
      await add(5);
      const { id } = await add(10);
      const done = await times(20, (index) => (index % 2 ? files : others).delete(id, 0));
      assert.equal(done.filter(Boolean).length, 1);
      assert.deepEqual(await sound(), { bytes: 5, files: 1 });
    }
  });

  test("a rename concurrent with a delete brings nothing back", async () => {
    for (let round = 0; round < 20; round++) {
      const { files, others, add, sound } = open();
      const { id } = await add(10);
      const [, removed] = await Promise.all([
        files.rename(id, "a"),
        others.delete(id, 0),
        others.rename(id, "b"),
        files.rename(id, "c"),
      ]);
      assert.equal(removed, true);
      assert.deepEqual(await sound(), { bytes: 0, files: 0 });
      assert.equal(await files.find(id), undefined);
    }
  });

  test("after any operations the counter is the sum of the sizes, and the lists are those of a model", async () => {
    const operation = fc.record({
      what: fc.constantFrom("create", "create", "create", "rename", "delete"),
      scope: fc.constantFrom(...SCOPES),
      owner: fc.constantFrom("u-1", "u-2"),
      size: fc.nat(40),
      which: fc.nat(20),
    });
    const turns = fc.array(fc.array(operation, { minLength: 1, maxLength: 8 }), {
      minLength: 1,
      maxLength: 6,
    });
    await setQuota(db, 100);
    await fc.assert(
      fc.asyncProperty(turns, async (rounds) => {
        const { files, others, sound } = open();
        const model = new Map<string, Modelled>();
        for (const round of rounds) {
          const before = [...model.keys()];
          // Each file is the target of at most one operation of a round, so that its outcome is known.
          const targets = new Set<string>();
          await Promise.all(
            round.map(async ({ what, scope, owner, size, which }, index) => {
              const store = index % 2 ? files : others;
              const id = before[which % Math.max(before.length, 1)] ?? "none";
              const file = model.get(id);
              if (what === "create") {
                const name = `created-${which}`;
                const given = { scope, owner_id: owner, uploaded_by: owner, name };
                const made = await store.create(fileOf(size, given));
                if (typeof made === "object") model.set(made.id, { scope, owner, size, name });
              } else if (targets.has(id)) return;
              else if (what === "rename") {
                targets.add(id);
                assert.equal(await store.rename(id, `renamed-${size}`), file !== undefined);
                if (file !== undefined) file.name = `renamed-${size}`;
              } else {
                targets.add(id);
                assert.equal(await store.delete(id, 0), file !== undefined);
                model.delete(id);
              }
            }),
          );
          const { bytes } = await sound();
          assert.ok(bytes <= 100);
          assert.equal(bytes, sumOf(model.values()));
        }
        for (const scope of SCOPES) {
          for (const owner of [null, "u-1", "u-2"]) {
            const expected = [...model]
              .filter(([, file]) => file.scope === scope && (owner === null || file.owner === owner))
              .map(([id, { name }]) => ({ id, name }))
              .sort((a, b) => (a.id < b.id ? -1 : 1));
            const listed = await files.list(scope, owner, "", 2);
            const second = listed[1];
            if (second !== undefined) listed.push(...(await files.list(scope, owner, second.id, 100)));
            assert.deepEqual(
              listed.map(({ id, name }) => ({ id, name })),
              expected,
            );
          }
        }
        assert.deepEqual(
          await files.scopesInUse([...SCOPES, "group:none"]),
          new Set([...model.values()].map(({ scope }) => scope)),
        );
      }),
      { numRuns: 25 },
    );
    await setQuota(db, null);
  });
});
