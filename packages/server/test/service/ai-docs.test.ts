import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { parseEnv, promisify } from "node:util";
import { readConfig, unknownVariables } from "../../src/config/config.ts";
import { currentModels, priceOf } from "../../src/organisation/ai/prices.ts";
import { startAiProvider } from "../support/ai-provider.ts";
import { ROOT } from "../support/import-tests.ts";
import { startService, temporaryDirectory } from "../support/service.ts";

const docs = await readFile(path.join(ROOT, "docs/ai.md"), "utf8");

/** Returns the code blocks of the page in a language. */
const blocks = (language: string): string[] =>
  [...docs.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, text = ""]) => text,
  );

const missing = ["curl", "jq"].filter(
  (tool) =>
    !(process.env.PATH ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, tool))),
);

test("the commands of docs/ai.md stream a response", {
  skip: missing.length > 0 && `${missing.join(", ")} not installed`,
}, async (t) => {
  const provider = await startAiProvider(t);
  const { base } = await startService(t, provider.settings);
  const script = blocks("sh").join("").replaceAll("http://localhost:3000", base);
  const cwd = await temporaryDirectory(t);
  const { stdout, stderr } = await promisify(execFile)("sh", ["-eu", "-c", script], { cwd });
  assert.equal(stderr, "");
  const [audience, ...events] = stdout.split("\n");
  assert.equal(audience, "viewers", stdout);
  assert.deepEqual(
    events.filter((line) => line !== "").map((line) => JSON.parse(line.replace(/^data: /, ""))),
    [
      { type: "delta", text: "You said: " },
      { type: "delta", text: "Name a tea." },
      {
        type: "done",
        usage: { inputTokens: 12, outputTokens: 7, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
        cost: 0.0000047,
      },
    ],
  );
});

test("the settings of docs/ai.md allow a model that has a price", () => {
  const settings = blocks("ini").map((block) => parseEnv(block));
  assert.ok(settings.length >= 4);
  for (const environment of settings) {
    assert.deepEqual(unknownVariables(environment), []);
    const config = readConfig(environment);
    const models = config.aiModels.length > 0 ? config.aiModels : currentModels(config);
    for (const model of models) assert.ok(priceOf(model, 1, config), model);
  }
});
