import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";

test("every example has a copy of the shared stylesheet, loads it first, and names the schema of easel.json", async () => {
  const shared = await readFile(path.join(import.meta.dirname, "easel.css"), "utf8");
  const examples = globSync("*/easel.json", { cwd: import.meta.dirname }).map((file) =>
    path.join(import.meta.dirname, path.dirname(file)),
  );
  assert.ok(examples.length >= 9);
  for (const folder of examples) {
    assert.equal(await readFile(path.join(folder, "easel.css"), "utf8"), shared, `cp easel.css ${folder}`);
    const page = await readFile(path.join(folder, "index.html"), "utf8");
    assert.match(page, /href="easel\.css"[\s\S]*href="style\.css"/, folder);
    const { $schema } = JSON.parse(await readFile(path.join(folder, "easel.json"), "utf8"));
    assert.equal($schema, "http://localhost:3000/schema/easel.json", folder);
  }
});
