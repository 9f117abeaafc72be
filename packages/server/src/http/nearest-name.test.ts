import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nearestName } from "./nearest-name.ts";

const KNOWN = ["$schema", "title", "slug", "spa", "description", "policy", "capabilities"];

const ROWS: [name: string, nearest: string | undefined][] = [
  ["polcy", "policy"],
  ["policies", "policy"],
  ["titel", "title"],
  ["Title", "title"],
  ["capabilites", "capabilities"],
  ["capability", "capabilities"],
  ["schema", "$schema"],
  ["slugs", "slug"],
  ["spaa", "spa"],
  ["desc", undefined],
  ["name", undefined],
  ["s", undefined],
  ["", undefined],
  ["x".repeat(100_000), undefined],
];

describe("the nearest known name", () => {
  for (const [name, nearest] of ROWS)
    it(`${name.slice(0, 20)}: ${nearest}`, () => assert.equal(nearestName(name, KNOWN), nearest));
});
