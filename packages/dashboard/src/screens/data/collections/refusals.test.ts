import assert from "node:assert/strict";
import { it } from "node:test";
import type { Rights } from "@easel/protocol/types";
import { whyHidden, whyNot } from "./refusals.ts";

const all = { own: true, any: true };
const own = { own: true, any: false };
const none = { own: false, any: false };
const rights = (given: Partial<Rights>): Rights => ({
  read: all,
  create: all,
  update: all,
  delete: all,
  increment: all,
  ...given,
});

it("what is hidden is explained by the preset, or by what replaces it", () => {
  assert.equal(whyHidden(rights({}), { preset: "contributions" }), null);
  assert.equal(
    whyHidden(rights({ read: own }), { preset: "personal" }),
    "The preset personal shows each person only their own records, you too.",
  );
  assert.match(
    whyHidden(rights({ read: own }), { preset: "managed", overrides: { read: "own" } }) ?? "",
    /^The policy/,
  );
  assert.match(whyHidden(rights({ read: none }), { preset: "managed" }) ?? "", /nobody/);
});

it("what the person may not do is explained, and what they may is not", () => {
  assert.equal(whyNot(rights({}), "update", false), null);
  assert.equal(whyNot(rights({ update: own }), "update", true), null);
  assert.match(whyNot(rights({ update: own }), "update", false) ?? "", /only its author change a record/);
  assert.match(whyNot(rights({ delete: none }), "delete", true) ?? "", /nobody delete/);
  assert.match(whyNot(rights({ create: none }), "create", true) ?? "", /nobody add records to/);
});
