import assert from "node:assert/strict";
import { it } from "node:test";
import type { OwnUsage } from "../../api/types.ts";
import { ownQuotas, ownSpend } from "./own-usage.ts";

const usage: OwnUsage = {
  quotas: {
    "versions.canvas": { used: 12, limit: 50 },
    "canvases.person": { used: 250, limit: 200 },
    "bundles.bytes.person": { used: 3 * 1024 ** 2, limit: 5 * 1024 ** 3 },
    "files.bytes.person": { used: 0, limit: 0 },
  },
  ai: { day: "2026-01-31", spent: 1.25, reserved: 0, limit: 5 },
};

it("each own quota has an amount and a share that is never above 1", () => {
  assert.deepEqual(
    ownQuotas(usage).map(({ label, amount, share }) => [label, amount, Number(share.toFixed(4))]),
    [
      ["Canvases", "250 of 200", 1],
      ["Files of your versions", "3 MB of 5 GB", 0.0006],
      ["Uploads to your canvases", "0 bytes of 0 bytes", 1],
      ["Versions of one canvas", "12 of 50", 0.24],
    ],
  );
  for (const { note } of ownQuotas(usage)) assert.match(note, /At the limit/);
});

it("the spend of the day has what running requests may cost beside it", () => {
  const { amount, share, note } = ownSpend(usage);
  assert.deepEqual([amount, share], ["$1.25 of $5.00", 0.25]);
  assert.doesNotMatch(note, /under way/);
  const running = ownSpend({ ...usage, ai: { ...usage.ai, reserved: 2.5 } });
  assert.equal(running.amount, amount);
  assert.match(running.note, /Calls under way may cost \$2\.50 more\./);
});
