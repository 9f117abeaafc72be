import assert from "node:assert/strict";
import { it } from "node:test";
import { tightQuotas } from "./quotas.ts";

it("quotas above 60 % are shown, the fullest first", () => {
  const found = tightQuotas({
    "kv.keys.shared": { used: 6_000, limit: 10_000 },
    "versions.canvas": { used: 31, limit: 50 },
    "files.bytes.canvas": { used: 2 * 1024 ** 3, limit: 1024 ** 3 },
    "submissions.canvas": { used: 0, limit: 0 },
    "of.a.plugin": { used: 9_001, limit: 10_000 },
  });
  assert.deepEqual(found, [
    { name: "files.bytes.canvas", label: "Files", amount: "2 GB of 1 GB", share: 1 },
    { name: "of.a.plugin", label: "of.a.plugin", amount: "9,001 of 10,000", share: 0.9001 },
    { name: "versions.canvas", label: "Versions", amount: "31 of 50", share: 0.62 },
  ]);
});
