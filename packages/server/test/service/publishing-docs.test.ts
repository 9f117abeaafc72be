import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startService, temporaryDirectory } from "../support/service.ts";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../../..");

const missing = ["curl", "jq", "zip", "sha256sum"].filter(
  (tool) =>
    !(process.env.PATH ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, tool))),
);

test("the commands of docs/publishing.md do what they say", {
  skip: missing.length > 0 && `${missing.join(", ")} not installed`,
}, async (t) => {
  const { base, env } = await startService(t, { SERVICE_AUTHORING: "on" });
  const cwd = await temporaryDirectory(t);
  const docs = await readFile(path.join(root, "docs/publishing.md"), "utf8");
  const blocks = [...docs.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = ""]) => commands);
  assert.ok(blocks.length >= 9);
  const npm = `npm() { '${process.execPath}' '${path.join(root, "examples/deploy.ts")}' "$4" '${base}'; }\n`;
  const script = npm + blocks.join("echo ---\n").replaceAll("http://localhost:3000", base);
  const { stdout, stderr } = await run("sh", ["-eu", "-c", script], { cwd });
  assert.equal(stderr, "");

  const printed = stdout.split("---\n").map((text) => text.trim());
  const [, folder, zip, single, ci, authoring, published, versions, again, down] = printed;
  const version = /[0-9a-f-]{36}/.exec(single ?? "")?.[0] ?? assert.fail(single);
  assert.equal(folder, `${base}/c/tea/`);
  const first = JSON.parse(zip ?? "");
  assert.deepEqual(first, { url: `${base}/c/coffee/`, version: first.version, leftOut: [], warnings: [] });
  const [url, third] = (ci ?? "").split(" ");
  assert.equal(url, `${base}/c/coffee/`);
  assert.equal(authoring, "true");
  const { publicationStatus, url: authored } = JSON.parse(published ?? "");
  assert.deepEqual([publicationStatus, authored], ["published", `${base}/c/lunch-poll/`]);
  const lines = (versions ?? "").split("\n");
  assert.deepEqual(
    lines.slice(0, 3).map((line) => JSON.parse(line).id),
    [third, version, first.version],
  );
  assert.equal(JSON.parse(lines[0] ?? "").files, 2);
  assert.equal(lines[3], version);
  assert.equal(again, '{"leftOut":[],"warnings":[]}');
  assert.equal(down, "unpublished\npublished");

  const blobs = await env.db.all<{ canvases: number }>`
    select count(distinct canvas_id) as canvases from bundle_blobs`;
  assert.deepEqual(blobs, [{ canvases: 3 }]);
});
