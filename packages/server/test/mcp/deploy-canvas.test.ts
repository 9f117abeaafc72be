import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { refusedText } from "../support/refused-text.ts";

/** What `deploy_canvas` returns. */
interface Deployed {
  canvas: string;
  url: string;
  version: string;
  published: boolean;
  preview_url: string;
  settings: string[];
  warnings: string[];
  left_out: string[];
  next: string;
}

const PAGE = "<!doctype html><title>Tasks</title><h1>Tasks</h1>";

await onSqlite("deploy_canvas", (target, env) => {
  let person: Person;
  let agent: ConnectedTool;

  before(async () => {
    person = await target.signIn(freshEmail("agent"));
    agent = await connectTool(target.base, person, { scope: "deploy" }, env);
  });

  const deploy = (args: object, by = agent) => by.use<Deployed>("deploy_canvas", args);

  /** Creates a canvas with files. */
  const create = (files: Record<string, string>, by = agent) =>
    deploy({ title: "Tasks", files: Object.entries(files).map(([path, text]) => ({ path, text })) }, by);

  const refused = (args: object, by = agent) => refusedText(by, "deploy_canvas", args);

  const pageOf = async (url: string, path = "") => {
    const request = { method: "GET", path: new URL(url + path).pathname, headers: person.headers };
    const answer = await send(target.base, request);
    return answer.status === 200 ? answer.text : answer.status;
  };

  it("creates a private canvas with its backend on", async () => {
    const { canvas, url, version, published, warnings } = await create({ "index.html": PAGE });
    assert.equal(await pageOf(url), PAGE);
    assert.deepEqual([published, warnings], [true, []]);
    const { json } = await manage(target, person, "GET", `/api/canvases/${canvas}`);
    const { title, access, version: current, capabilities } = json as Record<string, unknown>;
    assert.deepEqual([title, access, current], ["Tasks", "private", version]);
    assert.equal((capabilities as { backendEnabled: boolean }).backendEnabled, true);
  });

  it("changes files, and keeps those that are not sent", async () => {
    const made = await create({ "index.html": PAGE, "a.txt": "one", "b.txt": "two", "old/c.txt": "three" });
    const { url } = await deploy({
      canvas: made.url,
      files: [
        { path: "a.txt", edits: [{ old: "one", new: "1" }] },
        { path: "logo.png", base64: Buffer.from([0xff, 0xd8]).toString("base64") },
        { path: "old/", delete: true },
      ],
    });
    assert.equal(await pageOf(url, "a.txt"), "1");
    assert.equal(await pageOf(url, "b.txt"), "two");
    assert.equal(await pageOf(url, "old/c.txt"), 404);
    assert.equal(await pageOf(url), PAGE);
  });

  it("refuses an edit that does not match exactly once", async () => {
    const { canvas, version } = await create({ "index.html": "<p>a</p>\n<p>a</p>" });
    const edit = (old: string) =>
      refused({ canvas, files: [{ path: "index.html", edits: [{ old, new: "" }] }] });
    assert.match(
      await edit("<p>b</p>"),
      /^INVALID_BODY: Edit 1 of "index.html": the `old` text does not occur\.\n/,
    );
    assert.match(
      await edit("<p>a</p>"),
      /the `old` text occurs 2 times, in the lines 1 and 2\.\nNothing was changed/,
    );
    const { json } = await manage(target, person, "GET", `/api/canvases/${canvas}`);
    assert.equal(json.version, version);
  });
});
