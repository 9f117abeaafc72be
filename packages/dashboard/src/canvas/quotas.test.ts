import assert from "node:assert/strict";
import { it } from "node:test";
import { quotasOf, tightQuotas } from "./quotas.ts";

it("quotas above 60 % are shown, the fullest first", () => {
  const found = tightQuotas({
    "kv.keys.shared": { used: 6_000, limit: 10_000 },
    "versions.canvas": { used: 31, limit: 50 },
    "files.bytes.canvas": { used: 2 * 1024 ** 3, limit: 1024 ** 3 },
    "submissions.canvas": { used: 0, limit: 0 },
    "of.a.plugin": { used: 9_001, limit: 10_000 },
  });
  assert.deepEqual(
    found.map(({ atLimit, ...quota }) => quota),
    [
      { name: "files.bytes.canvas", label: "Files", amount: "2 GB of 1 GB", share: 1 },
      { name: "of.a.plugin", label: "of.a.plugin", amount: "9,001 of 10,000", share: 0.9001 },
      { name: "versions.canvas", label: "Versions", amount: "31 of 50", share: 0.62 },
    ],
  );
});

it("every quota says what happens once it is used up, those of the canvas first", () => {
  const found = quotasOf({
    "of.a.plugin": { used: 1, limit: 2 },
    "canvases.person": { used: 9, limit: 200 },
    "kv.keys.shared": { used: 0, limit: 10_000 },
  });
  assert.deepEqual(
    found.map(({ name, share }) => [name, share]),
    [
      ["kv.keys.shared", 0],
      ["canvases.person", 0.045],
      ["of.a.plugin", 0.5],
    ],
  );
  for (const { atLimit } of found) assert.match(atLimit, /^[A-Z].+\.$/);
});
