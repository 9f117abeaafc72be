import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  AUDIENCES,
  OPERATIONS,
  type PolicyRight,
  PRESETS,
  type Preset,
  type RecordPolicy,
  RIGHTS,
  type RuntimePolicy,
} from "@easel/protocol/policy";
import { checkPolicy } from "@easel/server/policy-faults";
import fc from "fast-check";
import {
  changesBetween,
  entriesIn,
  entryIn,
  isSamePolicy,
  presetRight,
  readPolicy,
  SECTIONS,
  textOf,
  withEntry,
  withField,
  withPhase,
  withPreset,
  withRight,
} from "./document.ts";

const read = (text: string) => readPolicy(text, checkPolicy);
const faultsOf = (value: unknown) => read(JSON.stringify(value)).faults;

/** A policy with all that the protocol knows, and names that people mistype. */
const FULL: RuntimePolicy = {
  defaultMode: "participation",
  collections: {
    "0": { preset: "managed" },
    hasOwn: {
      preset: "submissions",
      overrides: { read: "viewers", increment: "none" },
      phases: { revealed: { create: "none" }, empty: {} },
      aggregateCount: "viewers",
      unique: ["authorId", 'value.\u202e, “\\"</script>'],
    },
  },
  fileGroups: { "a.b:c_d-e": { preset: "personal", overrides: {} } },
  channels: {
    live: { subscribe: "none", publish: "editors", seePresence: "viewers", participatePresence: "none" },
  },
  connections: { weather: { audience: "none", methods: [] }, open: { audience: "viewers" } },
};

const names = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9.:_-]{0,12}$/)
  .filter((name) => !(name in Object.prototype) && name !== "prototype");
const overrides = fc.record(
  {
    read: fc.constantFrom(...(Object.keys(RIGHTS) as PolicyRight[])),
    create: fc.constantFrom(...AUDIENCES),
    update: fc.constantFrom(...(Object.keys(RIGHTS) as PolicyRight[])),
    delete: fc.constantFrom(...(Object.keys(RIGHTS) as PolicyRight[])),
  },
  { requiredKeys: [] },
);
const records = fc.record(
  {
    preset: fc.constantFrom(...(Object.keys(PRESETS) as Preset[])),
    overrides,
    phases: fc.dictionary(names, overrides, { maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: ["preset"] },
);
const policies: fc.Arbitrary<RuntimePolicy> = fc.record(
  {
    collections: fc.dictionary(names, records, { maxKeys: 4, noNullPrototype: true }),
    fileGroups: fc.dictionary(names, records, { maxKeys: 4, noNullPrototype: true }),
  },
  { requiredKeys: [] },
);

describe("the document of a policy", () => {
  it("what is valid is read as it stands, with all of its fields in their order", () => {
    assert.deepEqual(read(textOf(FULL)), { policy: FULL, faults: [] });
    assert.equal(textOf(read(textOf(FULL)).policy as RuntimePolicy), textOf(FULL));
  });

  it("a document goes through its entries and back", () => {
    fc.assert(
      fc.property(policies, (policy) => {
        let rebuilt: RuntimePolicy = {};
        for (const section of SECTIONS)
          for (const [name, entry] of entriesIn(policy, section))
            rebuilt = withEntry(rebuilt, { section, name }, entry);
        assert.ok(isSamePolicy(policy, rebuilt));
        const again = read(textOf(rebuilt));
        assert.deepEqual(again.faults, []);
        assert.ok(isSamePolicy(again.policy as RuntimePolicy, policy));
      }),
    );
  });

  it("a right that is set is the right of the entry, and one that is set back leaves no trace", () => {
    fc.assert(
      fc.property(
        records,
        fc.constantFrom(...OPERATIONS),
        fc.constantFrom(...AUDIENCES),
        (given, operation, right) => {
          const entry = given as RecordPolicy;
          const now = (of: RecordPolicy) => of.overrides?.[operation] ?? presetRight(of, operation);
          const set = withRight(entry, operation, right);
          assert.equal(now(set), right);
          assert.deepEqual(set.phases, entry.phases);
          for (const other of OPERATIONS)
            if (other !== operation) assert.equal(set.overrides?.[other], entry.overrides?.[other]);
          const back = withRight(set, operation, presetRight(entry, operation));
          assert.equal(back.overrides === undefined || !(operation in back.overrides), true);
        },
      ),
    );
    const plain: RecordPolicy = { preset: "contributions" };
    assert.deepEqual(withRight(withRight(plain, "read", "own"), "read", "viewers"), plain);
    assert.deepEqual(withPreset(withRight(plain, "read", "own"), "managed"), { preset: "managed" });
    const phased = withPhase(withRight(plain, "read", "own"), "open", { read: "viewers" });
    assert.deepEqual(withPreset(phased, "managed"), {
      preset: "managed",
      phases: { open: { read: "viewers" } },
    });
    assert.deepEqual(withPhase(withPhase(plain, "open", { read: "own" }), "open", undefined), plain);
    assert.deepEqual(
      withField(withField({ preset: "managed" }, "aggregateCount", "viewers"), "aggregateCount", undefined),
      { preset: "managed" },
    );
  });

  it("hostile documents have faults, each with the path of its value, and no policy", () => {
    const hostile = [
      '{"collections": {"__proto__": {"preset": "managed"}}}',
      '{"collections": {"constructor": {"preset": "managed"}}}',
      '{"collections": {"a b": {"preset": "managed"}}}',
      '{"collections": {"": {"preset": "managed"}}}',
      '{"collections": [{"preset": "managed"}]}',
      '{"collections": {"ideas": {"preset": "managed", "overrides": {"create": "own"}}}}',
      '{"collections": {"ideas": {"preset": "__proto__"}}}',
      '{"fileGroups": {"ideas": {"preset": "managed", "unique": ["authorId"]}}}',
      '{"__proto__": {"collections": {}}}',
      "[]",
      "null",
      "1",
    ];
    for (const text of hostile) {
      const { policy, faults } = read(text);
      assert.equal(policy, null, text);
      assert.ok(faults.length > 0, text);
    }
    for (const text of ["", "{", "{'a': 1}"]) assert.deepEqual(read(text), { policy: null, faults: [] });
    assert.equal(Object.hasOwn(Object.prototype, "preset"), false);
  });

  it("a fault says where it is and what is right", () => {
    assert.deepEqual(faultsOf({ collections: { ideas: { preset: "contribution" } } }), [
      {
        path: ["collections", "ideas", "preset"],
        message:
          '`collections.ideas.preset` must be "personal", "submissions", "contributions", "managed" or "collaborative".',
      },
    ]);
    assert.deepEqual(faultsOf({ collection: {} }), [
      { path: ["collection"], message: "`collection` is unknown; did you mean `collections`?" },
    ]);
    const many = Object.fromEntries(
      Array.from({ length: 51 }, (_, index) => [`c${index}`, { preset: "managed" }]),
    );
    assert.deepEqual(
      faultsOf({ collections: many }).map(({ path }) => path),
      [["collections"]],
    );
  });

  it("entries that no object has are not found, and a section goes with its last entry", () => {
    assert.equal(entryIn(FULL, { section: "collections", name: "constructor" }), undefined);
    assert.equal(entryIn(FULL, { section: "collections", name: "toString" }), undefined);
    const at = { section: "fileGroups", name: "a.b:c_d-e" } as const;
    assert.equal("fileGroups" in withEntry(FULL, at, undefined), false);
    assert.deepEqual(changesBetween(FULL, withEntry(FULL, at, undefined)), [{ ...at, kind: "removed" }]);
    assert.equal(isSamePolicy({ collections: {} }, {}), true);
  });
});
