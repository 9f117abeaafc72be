import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onEngines } from "../support/engines.ts";
import { later, MINUTE_MS } from "../support/time.ts";
import {
  answerQuestion,
  linkIn,
  newCanvas,
  openQuestion,
  readCanvas,
  shownIn,
  submitAnswer,
  textOf,
} from "./confirming.ts";

await onEngines("questions of tools to their person", (target, env) => {
  let ada: Person;
  let eve: Person;
  let tool: ConnectedTool;

  before(async () => {
    [ada, eve] = await Promise.all([target.signIn(freshEmail("ada")), target.signIn(freshEmail("eve"))]);
    tool = await connectTool(target.base, ada, {}, env);
  });

  /** Asks for a Public link, and returns the canvas and the path of the question. */
  async function asked() {
    const canvas = await newCanvas(target, ada);
    const args = { canvas: canvas.id, access: "public_link" };
    return { canvas, args, path: linkIn(await tool.call("share_canvas", args)) };
  }

  it("does what the person allows, once, and records the program", async () => {
    const { canvas, args, path } = await asked();
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
    const page = await openQuestion(target, ada, path);
    assert.match(page.text, /everyone who has the link/);
    const done = await submitAnswer(target, ada, path, { answer: "allow", shown: shownIn(page) });
    assert.equal(done.status, 200);
    assert.equal((await readCanvas(target, ada, canvas)).access, "public_link");
    const [entry] = await env.db.all<{ via: string; actor_email: string }>`
      select via, actor_email from audit where canvas_id = ${canvas.id} and act = ${"canvas.share"} order by id desc limit 1`;
    assert.deepEqual(JSON.parse(entry?.via ?? "null"), { client: "Test tool", tool: "share_canvas" });
    assert.equal(entry?.actor_email, ada.email);

    await manage(target, ada, "PUT", `/api/canvases/${canvas.id}/sharing`, { access: "private" });
    const again = await submitAnswer(target, ada, path, { answer: "allow", shown: shownIn(page) });
    assert.match(again.text, /You have allowed this/);
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
    assert.ok(linkIn(await tool.call("share_canvas", args)) !== path);
  });

  it("is answered once by two requests at the same time", async () => {
    const canvas = await newCanvas(target, ada);
    const people = [{ email: freshEmail("guest"), role: "guest" }];
    const path = linkIn(await tool.call("share_canvas", { canvas: canvas.id, people }));
    const shown = shownIn(await openQuestion(target, ada, path));
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => submitAnswer(target, ada, path, { answer: "allow", shown })),
    );
    assert.equal(answers.filter(({ text }) => text.includes("/auth/invite/")).length, 1);
    const { json } = await manage(target, ada, "GET", `/api/canvases/${canvas.id}/invites`);
    assert.equal((json.invites as unknown[]).length, 1);
  });

  it("tells nothing to anybody else, and nobody else answers", async () => {
    const { canvas, path } = await asked();
    const shown = shownIn(await openQuestion(target, ada, path));
    for (const { status, text } of [
      await openQuestion(target, eve, path),
      await submitAnswer(target, eve, path, { answer: "allow", shown }),
    ]) {
      assert.equal(status, 404);
      assert.doesNotMatch(text, /Minutes|Test tool/);
    }
    assert.equal((await submitAnswer(target, { headers: [] }, path, { answer: "allow", shown })).status, 401);
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
  });

  it("ends after ten minutes", async () => {
    const { canvas, path } = await asked();
    const shown = shownIn(await openQuestion(target, ada, path));
    await later(env, 10 * MINUTE_MS, async () => {
      assert.equal((await openQuestion(target, ada, path)).status, 404);
      assert.equal((await submitAnswer(target, ada, path, { answer: "allow", shown })).status, 404);
    });
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
  });

  it("is shown again if the canvas has changed meanwhile", async () => {
    const { canvas, path } = await asked();
    const shown = shownIn(await openQuestion(target, ada, path));
    const people = [{ email: eve.email, role: "viewer" }];
    await manage(target, ada, "PUT", `/api/canvases/${canvas.id}/sharing`, { people });
    const page = await submitAnswer(target, ada, path, { answer: "allow", shown });
    assert.equal(page.status, 409);
    assert.match(page.text, /has changed meanwhile/);
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
    await submitAnswer(target, ada, path, { answer: "allow", shown: shownIn(page) });
    const now = await readCanvas(target, ada, canvas);
    assert.deepEqual([now.access, now.people.length], ["public_link", 1]);
  });

  it("two questions at once: one is done, and the other is shown again with what the first has changed", async () => {
    const canvas = await newCanvas(target, ada);
    const paths = await Promise.all(
      [{ access: "public_link" }, { people: [{ email: eve.email, role: "editor" }] }].map(async (args) =>
        linkIn(await tool.call("share_canvas", { canvas: canvas.id, ...args })),
      ),
    );
    const pages = await Promise.all(paths.map((path) => openQuestion(target, ada, path)));
    const answers = await Promise.all(
      paths.map((path, index) =>
        submitAnswer(target, ada, path, { answer: "allow", shown: shownIn(pages[index] ?? assert.fail()) }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const again = answers.findIndex(({ status }) => status === 409);
    const shown = shownIn(answers[again] ?? assert.fail());
    const last = await submitAnswer(target, ada, paths[again] ?? "", { answer: "allow", shown });
    assert.match(last.text, /Allowed and done/);
    const now = await readCanvas(target, ada, canvas);
    assert.deepEqual([now.access, now.people.length], ["public_link", 1]);
  });

  it("is refused for good, and the tool learns it", async () => {
    const { canvas, args, path } = await asked();
    const shown = shownIn(await openQuestion(target, ada, path));
    assert.match((await answerQuestion(target, ada, path, "deny")).text, /Nothing was done/);
    await submitAnswer(target, ada, path, { answer: "allow", shown });
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
    assert.match(
      textOf(await tool.call("share_canvas", args)),
      /^PERMISSION_DENIED: Your person did not allow/,
    );
    await later(env, 10 * MINUTE_MS, async () => {
      const fresh = await connectTool(target.base, ada, {}, env);
      linkIn(await fresh.call("share_canvas", args));
    });
  });

  it("is refused again when it is asked again, for as long", async () => {
    const { args, path } = await asked();
    await answerQuestion(target, ada, path, "deny");
    // The first answer no longer matters, but has not been removed.
    await env.db.run`update used_tickets set expires_at = 1`;
    const again = linkIn(await tool.call("share_canvas", args));
    await answerQuestion(target, ada, again, "deny");
    assert.match(textOf(await tool.call("share_canvas", args)), /^PERMISSION_DENIED: Your person did not/);
  });

  it("uses the rights that the person has when they answer", async () => {
    const canvas = await newCanvas(target, ada, { people: [{ email: eve.email, role: "editor" }] });
    const editors = await connectTool(target.base, eve, {}, env);
    const path = linkIn(await editors.call("share_canvas", { canvas: canvas.id, access: "public_link" }));
    const shown = shownIn(await openQuestion(target, eve, path));
    await manage(target, ada, "PUT", `/api/canvases/${canvas.id}/sharing`, { people: [] });
    assert.equal((await submitAnswer(target, eve, path, { answer: "allow", shown })).status, 404);
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
  });

  it("can be answered again if it was refused and nothing has changed", async () => {
    const { canvas, path } = await asked();
    const shown = shownIn(await openQuestion(target, ada, path));
    const allow = (allowed: number) =>
      env.db.run`update users set can_publish_public = ${allowed} where email = ${ada.email}`;
    await allow(0);
    const refused = await submitAnswer(target, ada, path, { answer: "allow", shown });
    assert.equal(refused.status, 403);
    await allow(1);
    assert.match(
      (await submitAnswer(target, ada, path, { answer: "allow", shown })).text,
      /Allowed and done/,
    );
    assert.equal((await readCanvas(target, ada, canvas)).access, "public_link");
  });

  it("ends with the connection of the program", async () => {
    const canvas = await newCanvas(target, ada);
    const other = await connectTool(target.base, ada, {}, env);
    const path = linkIn(await other.call("share_canvas", { canvas: canvas.id, access: "public_link" }));
    await env.db.run`update apps set expires_at = 1 where id = ${other.id}`;
    const page = await openQuestion(target, ada, path);
    assert.equal(page.status, 404);
    assert.match(page.text, /no longer connected/);
  });

  it("is no page of another site, of a canvas or in a frame", async () => {
    const { canvas, path } = await asked();
    const page = await openQuestion(target, ada, path);
    assert.match(String(page.headers["content-security-policy"]), /frame-ancestors 'none'/);
    assert.equal(page.headers["x-frame-options"], "DENY");
    const fields = { answer: "allow", shown: shownIn(page) };
    for (const header of [
      ["Origin", "https://evil.example"],
      ["Sec-Fetch-Site", "cross-site"],
      ["Referer", `${target.base}/c/evil/`],
      ["Sec-Fetch-Dest", "empty"],
      ["Sec-Fetch-Dest", "iframe"],
    ] as [string, string][])
      assert.equal((await submitAnswer(target, ada, path, fields, [header])).status, 403, header.join());
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
  });

  it("is no forged ticket, and none of another kind", async () => {
    const { path } = await asked();
    const [text = "", signature = ""] = path.slice("/confirm/".length).split(".");
    const changed = Buffer.from(text, "base64url").toString().replace("public_link", "whole_org__");
    const forged = `${Buffer.from(changed).toString("base64url")}.${signature}`;
    for (const ticket of [forged, text, "a.b", `${text}.${signature}x`])
      assert.equal((await openQuestion(target, ada, `/confirm/${ticket}`)).status, 404, ticket);
  });
});
