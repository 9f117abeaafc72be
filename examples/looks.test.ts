import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";

test("every example loads the stylesheet of the service first, and names the schema of easel.json", async () => {
  const examples = globSync("*/easel.json", { cwd: import.meta.dirname }).map((file) =>
    path.join(import.meta.dirname, path.dirname(file)),
  );
  assert.ok(examples.length >= 9);
  for (const folder of examples) {
    const page = await readFile(path.join(folder, "index.html"), "utf8");
    assert.match(page, /href="\/sdk\/easel\.css"[\s\S]*href="style\.css"/, folder);
    const { $schema } = JSON.parse(await readFile(path.join(folder, "easel.json"), "utf8"));
    assert.equal($schema, "http://localhost:3000/schema/easel.json", folder);
  }
});
