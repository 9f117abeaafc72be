import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { answerQuestion, linkIn, newCanvas, openQuestion, type Shared, textOf } from "./confirming.ts";

await onSqlite("delete_canvas", (target, env) => {
  let ada: Person;
  let bob: Person;
  let tool: ConnectedTool;
  let free: ConnectedTool;

  before(async () => {
    [ada, bob] = await Promise.all([target.signIn(freshEmail("ada")), target.signIn(freshEmail("bob"))]);
    tool = await connectTool(target.base, ada, {}, env);
    free = await connectTool(target.base, ada, { confirms: false }, env);
  });

  const exists = async ({ id }: Shared) =>
    (await manage(target, ada, "GET", `/api/canvases/${id}`)).status === 200;
  const remove = async (canvas: Shared) => {
    assert.equal((await manage(target, ada, "DELETE", `/api/canvases/${canvas.id}`)).status, 204);
  };

  it("deletes only what the person has confirmed, whatever they have waived", async () => {
    const canvas = await newCanvas(target, ada);
    await manage(target, ada, "PATCH", `/api/canvases/${canvas.id}/capabilities`, {
      backendEnabled: true,
      kv: true,
    });
    for (const key of ["a", "b"])
      await manage(target, ada, "PUT", `/api/canvases/${canvas.id}/runtime/kv/${key}`, { value: 1 });
    const path = linkIn(await free.call("delete_canvas", { canvas: canvas.slug }));
    assert.equal(await exists(canvas), true);
    const page = await openQuestion(target, ada, path);
    assert.match(page.text, /Delete this canvas\?/);
    assert.match(page.text, /It has 2 keys\./);
    await answerQuestion(target, ada, path);
    assert.equal(await exists(canvas), false);
    const [entry] = await env.db.all<{ via: string }>`
      select via from audit where canvas_id = ${canvas.id} and act = ${"canvas.delete"}`;
    assert.deepEqual(JSON.parse(entry?.via ?? "null"), { client: "Test tool", tool: "delete_canvas" });
    const again = await free.use("delete_canvas", { canvas: canvas.id });
    assert.equal(again.deleted, true);
    assert.match((await openQuestion(target, ada, path)).text, /You have allowed this/);
  });

  it("no answer of a program deletes", async () => {
    const canvas = await newCanvas(target, ada);
    const capabilities = { elicitation: { form: {}, url: {} } };
    const asking = await connectTool(target.base, ada, { capabilities, confirms: false }, env);
    const { requestState = "", inputRequests } = await asking.call("delete_canvas", { canvas: canvas.id });
    assert.equal(inputRequests?.confirm?.params.mode, "url");
    const inputResponses = { confirm: { action: "accept", content: { allow: true } } };
    linkIn(await asking.call("delete_canvas", { canvas: canvas.id }, { inputResponses, requestState }));
    assert.equal(await exists(canvas), true);
    const path = new URL(String(inputRequests?.confirm?.params.url)).pathname;
    await answerQuestion(target, ada, path);
    const done = await asking.call("delete_canvas", { canvas: canvas.id }, { inputResponses, requestState });
    assert.equal(done.structuredContent?.deleted, true);
  });

  it("asks no editor", async () => {
    const canvas = await newCanvas(target, ada, { people: [{ email: bob.email, role: "editor" }] });
    const editors = await connectTool(target.base, bob, {}, env);
    assert.match(textOf(await editors.call("delete_canvas", { canvas: canvas.id })), /^OWNER_ONLY: /);
  });

  it("a link of one act does no other", async () => {
    const canvas = await newCanvas(target, ada);
    const path = linkIn(await tool.call("share_canvas", { canvas: canvas.id, access: "public_link" }));
    const requestState = path.slice("/confirm/".length);
    const answers = { inputResponses: { confirm: { action: "accept" } }, requestState };
    assert.match(
      textOf(await tool.call("delete_canvas", { canvas: canvas.id }, answers)),
      /^INVALID_BODY: `requestState`/,
    );
    assert.equal(await exists(canvas), true);
  });

  it("restores at once what only its owner can open", async () => {
    const canvas = await newCanvas(target, ada);
    await remove(canvas);
    const restored = await tool.use("delete_canvas", { canvas: canvas.id, restore: true });
    assert.deepEqual([restored.canvas, restored.deleted], [canvas.slug, false]);
    assert.equal(await exists(canvas), true);
    assert.equal((await tool.use("delete_canvas", { canvas: canvas.id, restore: true })).deleted, false);
  });

  it("asks before it opens a canvas to others again", async () => {
    const shared = await newCanvas(target, ada, { people: [{ email: bob.email, role: "viewer" }] });
    await remove(shared);
    const path = linkIn(await tool.call("delete_canvas", { canvas: shared.id, restore: true }));
    assert.match((await openQuestion(target, ada, path)).text, /Bring this canvas back\?/);
    await answerQuestion(target, ada, path);
    assert.equal(await exists(shared), true);
    await remove(shared);
    await free.use("delete_canvas", { canvas: shared.id, restore: true });

    const open = await newCanvas(target, ada, { access: "public_link" });
    await remove(open);
    linkIn(await free.call("delete_canvas", { canvas: open.id, restore: true }));
    const visited = await newCanvas(target, ada);
    await manage(target, ada, "POST", `/api/canvases/${visited.id}/invites`, { email: freshEmail("guest") });
    await remove(visited);
    linkIn(await free.call("delete_canvas", { canvas: visited.id, restore: true }));
    assert.deepEqual([await exists(open), await exists(visited)], [false, false]);
  });

  it("finds in the trash only what the connection may use", async () => {
    const canvas = await newCanvas(target, ada);
    await remove(canvas);
    const args = { canvas: canvas.id, restore: true };
    const own = await connectTool(target.base, ada, { ownOnly: true, clientId: "maker" }, env);
    const others = await connectTool(target.base, bob, {}, env);
    for (const each of [own, others])
      assert.match(textOf(await each.call("delete_canvas", args)), /^NOT_FOUND: /);
    assert.equal(await exists(canvas), false);
  });
});
