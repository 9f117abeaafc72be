import assert from "node:assert/strict";
import { test } from "node:test";
import { mergePolicy, policyChanges } from "./merge-policy.ts";

const A = { preset: "personal" } as const;
const B = { preset: "managed" } as const;

const rows: [name: string, stored: Parameters<typeof mergePolicy>[0], changes: object, result: object][] = [
  ["no policy", null, { collections: { a: A } }, { collections: { a: A } }],
  ["another entry", { collections: { a: A } }, { collections: { b: B } }, { collections: { a: A, b: B } }],
  ["the same entry", { collections: { a: A } }, { collections: { a: B } }, { collections: { a: B } }],
  [
    "an entry that goes",
    { collections: { a: A, b: B } },
    { collections: { a: null } },
    { collections: { b: B } },
  ],
  [
    "a section that goes",
    { collections: { a: A } },
    { collections: null, fileGroups: { f: A } },
    { fileGroups: { f: A } },
  ],
  [
    "a field",
    { defaultMode: "read_only", collections: { a: A } },
    { defaultMode: null },
    { collections: { a: A } },
  ],
  ["what is no section", { collections: { a: A } }, { collections: [1] }, { collections: [1] }],
];

for (const [name, stored, changes, result] of rows)
  test(`changes with ${name}`, () => {
    assert.deepEqual(mergePolicy(stored, changes as Record<string, unknown>), result);
  });

test("names of prototypes are entries as any other", () => {
  const changes = JSON.parse('{"collections":{"__proto__":{"preset":"managed"}},"__proto__":{"x":1}}');
  const merged = mergePolicy({ collections: { a: A } }, changes);
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal(
    JSON.stringify(merged),
    '{"collections":{"a":{"preset":"personal"},"__proto__":{"preset":"managed"}},"__proto__":{"x":1}}',
  );
});

test("what differs is named by its entries", () => {
  assert.deepEqual(
    policyChanges({ collections: { a: A, b: B } }, { collections: { a: B, c: A }, defaultMode: "read_only" }),
    [
      "policy: collections.a",
      "policy: collections.c",
      "policy: defaultMode",
      "policy: collections.b removed",
    ],
  );
  assert.deepEqual(policyChanges({ collections: { a: A } }, null), ["policy: collections.a removed"]);
  assert.deepEqual(policyChanges(null, null), []);
});
