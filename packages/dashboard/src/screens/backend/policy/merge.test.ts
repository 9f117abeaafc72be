import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RuntimePolicy } from "@easel/protocol/policy";
import { mergePolicies } from "./merge.ts";

const BASE: RuntimePolicy = {
  collections: {
    ideas: { preset: "contributions" },
    votes: { preset: "personal" },
    old: { preset: "managed" },
  },
  channels: {
    live: {
      subscribe: "viewers",
      publish: "editors",
      seePresence: "viewers",
      participatePresence: "viewers",
    },
  },
};

describe("merging policies", () => {
  it("changes of different entries are all kept, in any section", () => {
    const mine: RuntimePolicy = {
      ...BASE,
      collections: { ...BASE.collections, ideas: { preset: "managed" }, mine: { preset: "personal" } },
    };
    const { old: _, ...others } = BASE.collections ?? {};
    const theirs: RuntimePolicy = {
      collections: { ...others, votes: { preset: "submissions" } },
      connections: { weather: { audience: "viewers" } },
    };
    const { policy, conflicts, taken } = mergePolicies(BASE, mine, theirs);
    assert.deepEqual(policy, {
      collections: {
        ideas: { preset: "managed" },
        votes: { preset: "submissions" },
        mine: { preset: "personal" },
      },
      connections: { weather: { audience: "viewers" } },
    });
    assert.deepEqual(conflicts, []);
    assert.deepEqual(
      taken.map(({ name }) => name),
      ["votes", "old", "live", "weather"],
    );
  });

  it("an entry that both have changed is a conflict, unless they have changed it to the same", () => {
    const mine: RuntimePolicy = {
      collections: { ideas: { preset: "managed" }, votes: { preset: "managed", overrides: { read: "own" } } },
    };
    const theirs: RuntimePolicy = {
      collections: {
        ideas: { preset: "collaborative" },
        votes: { overrides: { read: "own" }, preset: "managed" },
        old: { preset: "personal" },
      },
    };
    const { policy, conflicts } = mergePolicies(BASE, mine, theirs);
    assert.deepEqual(conflicts, [
      {
        section: "collections",
        name: "ideas",
        mine: { preset: "managed" },
        theirs: { preset: "collaborative" },
      },
      { section: "collections", name: "old", mine: undefined, theirs: { preset: "personal" } },
    ]);
    // Until somebody decides, mine stand.
    assert.deepEqual(policy.collections, {
      ideas: { preset: "managed" },
      votes: { preset: "managed", overrides: { read: "own" } },
    });
  });

  it("both add an entry of one name", () => {
    const mine: RuntimePolicy = { fileGroups: { photos: { preset: "managed" } } };
    const theirs: RuntimePolicy = { fileGroups: { photos: { preset: "personal" } } };
    assert.equal(mergePolicies({}, mine, theirs).conflicts.length, 1);
    assert.deepEqual(mergePolicies({}, mine, structuredClone(mine)), {
      policy: mine,
      conflicts: [],
      taken: [],
    });
  });

  it("the starting choice is mine if I have changed it", () => {
    const base: RuntimePolicy = { defaultMode: "read_only" };
    assert.equal(
      mergePolicies(base, base, { defaultMode: "collaboration" }).policy.defaultMode,
      "collaboration",
    );
    assert.equal(mergePolicies(base, {}, { defaultMode: "collaboration" }).policy.defaultMode, undefined);
    assert.equal(mergePolicies({}, base, {}).policy.defaultMode, "read_only");
  });
});
