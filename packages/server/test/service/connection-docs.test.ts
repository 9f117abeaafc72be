import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { parseEnv, promisify } from "node:util";
import { readConfig, unknownVariables } from "../../src/config/config.ts";
import { startExternalApi } from "../support/external-api.ts";
import { ROOT } from "../support/import-tests.ts";
import { startExample, temporaryDirectory } from "../support/service.ts";

/** Returns the code blocks in `language` from a page of the docs. */
async function blocks(file: string, language: string): Promise<string[]> {
  const text = await readFile(path.join(ROOT, file), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, block = ""]) => block,
  );
}

const missing = ["curl", "jq"].filter(
  (tool) =>
    !(process.env.PATH ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, tool))),
);

/** The expected output of the shell commands on each page of the docs. */
const PRINTED: Record<string, string> = {
  "docs/connections.md": `editors
["authorization"]
GET /v2/tickets?limit=5 Bearer secret
false
["GET"]
viewers
["canvases","days","from","to","total"]
`,
  "examples/weather/README.md": `["GET"]
`,
};

for (const [file, printed] of Object.entries(PRINTED))
  test(`the commands of ${file} run`, {
    skip: missing.length > 0 && `${missing.join(", ")} not installed`,
  }, async (t) => {
    const api = await startExternalApi(
      t,
      ({ method, url, headers }) => `${method} ${url} ${headers.authorization}\n`,
    );
    const { base, env } = await startExample(t, "weather", {
      ...api.settings,
      SERVICE_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    });
    const script = (await blocks(file, "sh"))
      .join("")
      .replaceAll("http://localhost:3000", base)
      .replaceAll("https://api.example.com", api.origin);
    const cwd = await temporaryDirectory(t);
    const { stdout, stderr } = await promisify(execFile)("sh", ["-eu", "-c", script], { cwd });
    assert.equal(stderr, "");
    assert.equal(stdout, printed);
    const granted = await env.db.all<{ profile: string; slug: string; public: number }>`
      select profile, slug, public from connection_grants join canvases on canvases.id = canvas_id`;
    assert.deepEqual(
      granted.map((each) => Object.values(each).join()),
      [file === "docs/connections.md" ? "tickets,help-desk,1" : "weather,weather,0"],
    );
  });

test("the settings of docs/connections.md are valid", async () => {
  const settings = (await blocks("docs/connections.md", "ini")).map((block) => parseEnv(block));
  assert.equal(settings.length, 2);
  for (const environment of settings) {
    assert.deepEqual(unknownVariables(environment), []);
    readConfig(environment);
  }
});
