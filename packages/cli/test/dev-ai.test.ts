import assert from "node:assert/strict";
import { test } from "node:test";
import { startDev } from "./support/dev.ts";
import { folderWith } from "./support/easel.ts";

for (const [what, settings, isSaid] of [
  ["names", { capabilities: ["ai"] }, true],
  ["does not name", {}, false],
] as const) {
  test(`without a key of an AI provider, easel dev says so if easel.json ${what} ai`, async (t) => {
    const files = { "index.html": "<title>Page</title>", "easel.json": JSON.stringify(settings) };
    const dev = await startDev(t, await folderWith(t, "page", files));
    assert.equal(/ai is off: .*SERVICE_AI_API_KEY/.test(dev.said()), isSaid, dev.said());
  });
}
