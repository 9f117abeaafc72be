import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "./limits.ts";
import { uploadGroups } from "./upload-groups.ts";

test("a form has at most so many files and bytes as the service takes; large files go alone", () => {
  const sizes = [300_000, 5, ...Array(600).fill(1), ...Array(9).fill(200_000)];
  const groups = uploadGroups(sizes.map((size) => ({ size })));
  assert.deepEqual(groups.flat().length, sizes.length);
  for (const group of groups) {
    assert.ok(group.length <= LIMITS.uploadFiles.value);
    const bytes = group.reduce((sum, { size }) => sum + size, 0);
    assert.ok(group.length === 1 || bytes <= LIMITS.uploadBytes.value);
  }
  assert.ok(groups.some((group) => group.length === 1 && group[0]?.size === 300_000));
  assert.ok(groups.length <= 7);
});
