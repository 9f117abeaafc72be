import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { changedDb } from "../support/changed-db.ts";
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
const PERSONAL = { preset: "personal" };

await onSqlite("deploy_canvas", (target, env) => {
  let person: Person;
  let agent: ConnectedTool;

  before(async () => {
    person = await target.signIn(freshEmail("agent"));
    agent = await connectTool(target.base, person, { scope: "deploy" }, env);
  });

  const deploy = (args: object, by = agent) => by.use<Deployed>("deploy_canvas", args);
  const refused = (args: object, by = agent) => refusedText(by, "deploy_canvas", args);
  const textOf = async (args: object, by = agent) =>
    (await by.call("deploy_canvas", args)).content[0]?.text ?? "";
  const filesOf = (files: Record<string, string>) =>
    Object.entries(files).map(([path, text]) => ({ path, text }));

  /** Creates a canvas with files. */
  const create = (files: Record<string, string>, by = agent) =>
    deploy({ title: "Tasks", files: filesOf(files) }, by);

  const read = async (id: string) =>
    (await manage(target, person, "GET", `/api/canvases/${id}`)).json as Record<string, unknown>;

  const pageOf = async (url: string, path = "") => {
    const request = { method: "GET", path: new URL(url + path).pathname, headers: person.headers };
    const answer = await send(target.base, request);
    return answer.status === 200 ? answer.text : answer.status;
  };

  /** Opens a preview as a browser without a session does, and returns its page. */
  const previewOf = async (link: string) => {
    const { pathname, search } = new URL(link);
    const opened = await send(target.base, { method: "GET", path: pathname + search });
    const cookies = [opened.headers["set-cookie"] ?? []].flat().map((each) => each.split(";")[0]);
    const page = await send(target.base, {
      method: "GET",
      path: new URL(String(opened.headers.location), link).pathname,
      headers: [["Cookie", cookies.join("; ")]],
    });
    return page.text;
  };

  const versionsOf = async (id: string) => {
    const { json } = await manage(target, person, "GET", `/api/canvases/${id}/versions`);
    return (json as { versions: { id: string }[] }).versions.map((each) => each.id);
  };

  const canvasesOf = async (who: Person) => {
    const { json } = await manage(target, who, "GET", "/api/canvases");
    return (json as { canvases: object[] }).canvases.length;
  };

  it("creates a private canvas with its backend on", async () => {
    const { canvas, url, version, published, warnings } = await create({ "index.html": PAGE });
    assert.equal(await pageOf(url), PAGE);
    assert.deepEqual([published, warnings], [true, []]);
    const { title, access, version: current, capabilities } = await read(canvas);
    assert.deepEqual([title, access, current], ["Tasks", "private", version]);
    assert.equal((capabilities as { backendEnabled: boolean }).backendEnabled, true);
  });

  it("says where the canvas is, who may open it, and what to do next", async () => {
    const text = await textOf({ title: "To\u202edo", files: filesOf({ "index.html": PAGE }) });
    const [first, preview, next] = text.split("\n");
    assert.match(
      first ?? "",
      /^Created "To\\u202edo" at http\S+, version \S+\. Only its owner can open it\.$/,
    );
    assert.match(preview ?? "", /^Preview, for one browser within 10 minutes: http\S+$/);
    assert.equal(next, "Open the preview in your browser, then call `read_errors`.");
  });

  it("changes files, and keeps those that are not sent", async () => {
    const made = await create({ "index.html": PAGE, "a.txt": "one", "b.txt": "two", "old/c.txt": "three" });
    const { url } = await deploy({
      canvas: made.url,
      files: [
        {
          path: "a.txt",
          edits: [
            { old: "one", new: "1" },
            { old: "1", new: "11" },
          ],
        },
        { path: "logo.png", base64: Buffer.from([0xff, 0xd8]).toString("base64") },
        { path: "old/", delete: true },
      ],
    });
    assert.equal(await pageOf(url, "a.txt"), "11");
    assert.equal(await pageOf(url, "b.txt"), "two");
    assert.equal(await pageOf(url, "old/c.txt"), 404);
    assert.equal(await pageOf(url), PAGE);
    const replaced = await deploy({
      canvas: made.url,
      base: "none",
      files: filesOf({ "index.html": "<p>" }),
    });
    assert.equal(await pageOf(replaced.url, "b.txt"), 404);
  });

  it("shows a version without publishing it, which further changes begin with", async () => {
    const { canvas, url, version } = await create({ "index.html": "<p>one" });
    const edit = (old: string, text: string) => [{ path: "index.html", edits: [{ old, new: text }] }];
    const second = await deploy({ canvas, publish: false, files: edit("one", "two") });
    assert.equal(second.published, false);
    assert.equal(await previewOf(second.preview_url), "<p>two");
    const third = { canvas, base: second.version, publish: false, files: edit("two", "three") };
    assert.match(
      await textOf(third),
      /^Stored version \S+ of "Tasks" without publishing it: `publish_version` does\./,
    );
    assert.equal(await pageOf(url), "<p>one");
    assert.equal((await read(canvas)).version, version);
  });

  it("changes the newest version of a canvas that has published none", async () => {
    const { canvas } = await deploy({
      title: "Draft",
      publish: false,
      files: filesOf({ "index.html": "<p>one" }),
    });
    const files = [{ path: "index.html", edits: [{ old: "one", new: "two" }] }];
    const { url, published } = await deploy({ canvas, files });
    assert.deepEqual([published, await pageOf(url)], [true, "<p>two"]);
  });

  it("refuses to replace another version than the expected one, and says whose the current one is", async () => {
    const { canvas, version } = await create({ "index.html": "<p>one" });
    const { version: current } = await deploy({ canvas, files: filesOf({ "index.html": "<p>two" }) });
    const text = await refused({
      canvas,
      expected_version: version,
      files: filesOf({ "index.html": "<p>3" }),
    });
    assert.match(text, /^VERSION_CONFLICT: Another version of this canvas is live than you expect\.\n/);
    assert.ok(text.includes(`The current version is ${current}, deployed by "`), text);
    assert.match(text, /Read it with `read_files`, then try again on it\.$/);
    await deploy({ canvas, expected_version: current, files: filesOf({ "index.html": "<p>3" }) });
  });

  it("loses no change of two that are made at once", async () => {
    const { canvas, url } = await create({ "index.html": "<p>one" });
    const write = (name: string) => agent.call("deploy_canvas", { canvas, files: filesOf({ [name]: name }) });
    const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    const results = await Promise.all(names.map(write));
    const done = names.filter((_name, index) => results[index]?.isError !== true);
    assert.ok(done.length > 0);
    for (const name of done) assert.equal(await pageOf(url, name), name);
    for (const { isError, content } of results)
      if (isError === true) assert.match(content[0]?.text ?? "", /^VERSION_CONFLICT: /);
  });

  it("stores nothing if nothing differs", async () => {
    const { canvas, version } = await create({ "index.html": PAGE });
    const same = { canvas, files: filesOf({ "index.html": PAGE }) };
    assert.match(
      await textOf(same),
      new RegExp(`^Nothing to deploy: version ${version} of "Tasks" has these files`),
    );
    assert.deepEqual(await versionsOf(canvas), [version]);
  });

  it("applies easel.json as the command line does, at the first deploy and afterwards", async () => {
    const settings = {
      title: "From the file",
      spa: true,
      capabilities: ["kv"],
      policy: { collections: { a: PERSONAL } },
    };
    const file = (value: object) => ({ path: "easel.json", text: JSON.stringify(value) });
    const made = await deploy({ files: [{ path: "index.html", text: PAGE }, file(settings)] });
    assert.deepEqual(made.settings, ["capabilities", "spa", "policy"]);
    const canvas = await read(made.canvas);
    const { kv, ai } = canvas.capabilities as Record<string, boolean>;
    assert.deepEqual([canvas.title, canvas.spa, kv, ai], ["From the file", true, true, false]);
    assert.deepEqual(canvas.runtimePolicy, settings.policy);
    const changed = { ...settings, title: "Renamed", capabilities: ["kv", "ai"] };
    const again = await deploy({ canvas: made.canvas, files: [file(changed)] });
    assert.deepEqual(again.settings, ["title"]);
    assert.match(
      again.warnings.join(),
      /easel\.json needs what is off on this canvas: ai\. `configure_canvas`/,
    );
    const kept = await deploy({ canvas: made.canvas, files: filesOf({ "a.txt": "" }) });
    assert.deepEqual(kept.settings, []);
    const preview = { ...settings, title: "Not yet" };
    await deploy({ canvas: made.canvas, publish: false, files: [file(preview)] });
    assert.equal((await read(made.canvas)).title, "Renamed");
  });

  it("leaves settings that widen who may do, find or spend something to people", async () => {
    const full = await connectTool(target.base, person, {}, env);
    const settings = { aiAudience: "viewers", guestAi: true, authoringAudience: "viewers", listed: true };
    for (const by of [agent, full]) {
      const { canvas } = await create({ "index.html": PAGE }, by);
      await manage(target, person, "PUT", `/api/canvases/${canvas}/sharing`, { access: "whole_org" });
      const before = await read(canvas);
      const files = [{ path: "easel.json", text: JSON.stringify(settings) }];
      const { warnings } = await deploy({ canvas, files }, by);
      assert.match(warnings.join(), /easel\.json: .*guestAi.*, listed stay as they are/);
      const { capabilities, discoverability } = await read(canvas);
      assert.deepEqual([capabilities, discoverability], [before.capabilities, before.discoverability]);
    }
  });

  it("refuses an easel.json with faults before it creates anything", async () => {
    const someone = await target.signIn(freshEmail("nobody"));
    const theirs = await connectTool(target.base, someone, {}, env);
    for (const text of ['{"titel":"x"}', "{", `{"description":"${"x".repeat(65_536)}"}`]) {
      const files = [...filesOf({ "index.html": PAGE }), { path: "easel.json", text }];
      assert.match(
        await refused({ title: "Faulty", files }, theirs),
        /^INVALID_BODY: easel\.json: .*\nNothing was changed/s,
      );
    }
    assert.equal(await canvasesOf(someone), 0);
  });

  it("leaves no canvas behind if the first deploy fails", async () => {
    const someone = await target.signIn(freshEmail("full"));
    const theirs = await connectTool(target.base, someone, { scope: "deploy" }, env);
    const { json: me } = await manage(target, someone, "GET", "/api/me");
    const quotas = { "bundles.bytes.person": 10 };
    const admin = await target.signIn(target.admin);
    await manage(target, admin, "PATCH", `/api/admin/users/${me.id}`, { quotas });
    assert.match(
      await refused({ title: "Full", files: filesOf({ "index.html": PAGE }) }, theirs),
      /^QUOTA_EXCEEDED: /,
    );
    assert.equal(await canvasesOf(someone), 0);
  });

  it("says what to do about a slug that is taken", async () => {
    const { url } = await create({ "index.html": PAGE });
    const slug = url.split("/").at(-2);
    assert.equal(
      await refused({ title: "Taken", slug, files: filesOf({ "index.html": PAGE }) }),
      "SLUG_TAKEN: This slug is taken.\nGive another `slug`, or none. To change a canvas that exists, give `canvas` instead.",
    );
  });

  it("lists what is left out, and warns of likely mistakes", async () => {
    const { warnings, left_out } = await create({
      "app/start.html": PAGE,
      "app/.env": "x",
      "app/.DS_Store": "",
    });
    assert.deepEqual(left_out.sort(), ['".env" (dot_file)', '"app/.DS_Store" (litter)']);
    assert.match(
      warnings.join("\n"),
      /All files are in "app\/", so their paths on the canvas begin below it\./,
    );
    assert.match(warnings.join("\n"), /only page, `start\.html`, is served as `index\.html` too/);
  });

  it("changes the copy of an only page with the page", async () => {
    const { canvas, url } = await create({ "start.html": "<p>one" });
    await deploy({ canvas, files: [{ path: "start.html", edits: [{ old: "one", new: "two" }] }] });
    assert.deepEqual([await pageOf(url), await pageOf(url, "start.html")], ["<p>two", "<p>two"]);
  });

  it("says that an offline canvas is online again", async () => {
    const { canvas } = await create({ "index.html": PAGE });
    await manage(target, person, "POST", `/api/canvases/${canvas}/unpublish`);
    const text = await textOf({ canvas, files: filesOf({ "a.txt": "a" }) });
    assert.match(text, /The canvas was offline and is online again\./);
  });

  it("records who acted through what", async () => {
    const { canvas } = await create({ "index.html": PAGE });
    const rows = await env.db.all<{ act: string; via: string }>`
      select act, via from audit where canvas_id = ${canvas} order by id`;
    assert.deepEqual(
      rows.map(({ act }) => act),
      ["canvas.create", "canvas.capabilities", "canvas.stage-finish", "canvas.preview"],
    );
    for (const { via } of rows)
      assert.deepEqual(JSON.parse(via), { client: "Test tool", tool: "deploy_canvas" });
  });

  it("gives a connection of its own canvases those that it makes, and no others", async () => {
    const own = await connectTool(
      target.base,
      person,
      { scope: "deploy", ownOnly: true, clientId: "maker" },
      env,
    );
    const { canvas } = await create({ "index.html": PAGE }, own);
    await deploy({ canvas, files: filesOf({ "a.txt": "a" }) }, own);
    const other = await create({ "index.html": PAGE });
    assert.match(await refused({ canvas: other.canvas, files: filesOf({ a: "" }) }, own), /^NOT_FOUND: /);
    const again = await connectTool(
      target.base,
      person,
      { scope: "deploy", ownOnly: true, clientId: "maker" },
      env,
    );
    await deploy({ canvas, files: filesOf({ "b.txt": "b" }) }, again);
  });

  it("creates no canvas that cannot be recorded as made by the program", async () => {
    const someone = await target.signIn(freshEmail("unrecorded"));
    const own = await connectTool(target.base, someone, { ownOnly: true }, env);
    const { db } = env;
    const run: typeof db.run = (text, ...values) => {
      if (String(text).includes("made_canvases")) throw new Error("the disk is gone");
      return db.run(text, ...values);
    };
    env.db = changedDb(db, { run });
    try {
      assert.match(
        await refused({ title: "Lost", files: filesOf({ "index.html": PAGE }) }, own),
        /^INTERNAL/,
      );
    } finally {
      env.db = db;
    }
    assert.equal(await canvasesOf(someone), 0);
  });

  it("changes the one canvas of a connection, and creates no other", async () => {
    const { canvas } = await create({ "index.html": PAGE });
    const bound = await connectTool(target.base, person, { scope: "deploy", canvasId: canvas }, env);
    await deploy({ canvas, files: filesOf({ "a.txt": "a" }) }, bound);
    assert.equal(
      await refused({ title: "Two", files: filesOf({ "index.html": PAGE }) }, bound),
      "PERMISSION_DENIED: This connection is for one canvas and cannot create others.\nGive `canvas` to change it: `list_canvases` names it.",
    );
  });

  it("publishes to a Public link with the scope full only, and says who can see it", async () => {
    const { canvas, url } = await create({ "index.html": "<p>one" });
    await manage(target, person, "PUT", `/api/canvases/${canvas}/sharing`, { access: "public_link" });
    const two = { canvas, files: filesOf({ "index.html": "<p>two" }) };
    const text = await refused(two);
    assert.match(text, /^PERMISSION_DENIED: Everyone who has the address of this canvas can open it/);
    assert.match(
      text,
      /`full`, and this connection has `deploy`\.\nDeploy with `publish: false` and let your person/,
    );
    await deploy({ ...two, publish: false });
    assert.equal(await pageOf(url), "<p>one");
    const full = await connectTool(target.base, person, {}, env);
    assert.match(
      await textOf(two, full),
      /\nEveryone who has the address can see this, without a sign-in: tell your person\.\n/,
    );
  });

  it("needs the right to change the canvas", async () => {
    const { canvas } = await create({ "index.html": PAGE });
    const viewer = await target.signIn(freshEmail("viewer"));
    const people = [{ email: viewer.email, role: "viewer" }];
    await manage(target, person, "PUT", `/api/canvases/${canvas}/sharing`, { access: "private", people });
    const theirs = await connectTool(target.base, viewer, {}, env);
    assert.match(await refused({ canvas, files: filesOf({ a: "" }) }, theirs), /^PERMISSION_DENIED: /);
    const stranger = await connectTool(target.base, await target.signIn(freshEmail("stranger")), {}, env);
    assert.match(await refused({ canvas, files: filesOf({ a: "" }) }, stranger), /^NOT_FOUND: /);
  });

  it("applies no easel.json on a canvas with a Public link without the scope full, also before its first version", async () => {
    const { json } = await manage(target, person, "POST", "/api/canvases", { title: "Open" });
    const canvas = String(json.id);
    await manage(target, person, "PUT", `/api/canvases/${canvas}/sharing`, { access: "public_link" });
    const settings = {
      capabilities: ["kv"],
      policy: { collections: { ideas: { preset: "collaborative" } } },
    };
    const files = filesOf({ "index.html": PAGE, "easel.json": JSON.stringify(settings) });
    const given = { canvas, publish: false, files };
    assert.deepEqual((await deploy(given)).settings, []);
    assert.equal((await read(canvas)).runtimePolicy, null);
    const full = await connectTool(target.base, person, {}, env);
    assert.deepEqual((await deploy(given, full)).settings, ["capabilities", "policy"]);
  });
});
