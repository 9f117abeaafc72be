import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { freshEmail } from "@easel/conformance/target";
import { startDev } from "../support/engines.ts";
import { fileScope } from "../support/service.ts";
import { startMailing } from "./mailing.ts";

describe("switches of mails", async () => {
  const { target, env } = await startMailing(fileScope(), { SERVICE_ADMIN_EMAILS: "boss@acme.test" });
  const recipients = async (kind: string) =>
    (
      await env.db.all<{ recipient: string }>`
        select recipient from outbox where kind = ${kind} order by created_at, id`
    ).map(({ recipient }) => recipient);

  it("a person turns kinds off and on; what the patch does not name stays", async () => {
    const { people } = await stage(target);
    const call = (method: "GET" | "PATCH", body?: object) =>
      manage(target, people.viewer, method, "/api/me/mails", body);
    const all = { sent: true, shared: true, asked: true, quota: true };
    assert.deepEqual((await call("GET")).json, all);
    assert.deepEqual((await call("PATCH", { asked: false, quota: false })).json, {
      ...all,
      asked: false,
      quota: false,
    });
    assert.deepEqual((await call("PATCH", { quota: true })).json, { ...all, asked: false });
    assert.deepEqual((await call("PATCH", { asked: false })).json, { ...all, asked: false });
    assert.deepEqual((await call("PATCH", {})).json, { ...all, asked: false });
    for (const body of [{ token: false }, { ownership: false }, { shared: "no" }, { shared: null }])
      refused(await call("PATCH", body), 400, "INVALID_BODY");
    assert.deepEqual((await manage(target, people.owner, "GET", "/api/me/mails")).json, all);
  });

  it("a kind that is off is not sent to them, others are", async () => {
    const { id, people } = await stage(target);
    const [off, on] = [await target.signIn(freshEmail("off")), await target.signIn(freshEmail("on"))];
    await manage(target, off, "PATCH", "/api/me/mails", { shared: false });
    const entries = [off, on].map(({ email }) => ({ email, role: "viewer" }));
    assert.equal(
      (await manage(target, people.owner, "PUT", `/api/canvases/${id}/sharing`, { people: entries })).status,
      200,
    );
    const shared = await recipients("shared");
    assert.deepEqual([shared.includes(off.email), shared.includes(on.email)], [false, true]);
  });

  it("an administrator who hands canvases over tells the new owner: once, and not themself", async () => {
    const admin = await target.signIn("boss@acme.test", "The Boss");
    const [first, second] = [await stage(target), await stage(target)];
    const heir = first.people.editor;
    const put = (id: string) =>
      manage(target, admin, "PUT", `/api/admin/canvases/${id}/owner`, { email: heir.email });
    assert.equal((await put(first.id)).status, 200);
    assert.deepEqual(await recipients("ownership"), [heir.email]);
    assert.equal((await put(first.id)).status, 200);
    assert.deepEqual(await recipients("ownership"), [heir.email], "they own it already");
    assert.equal((await manage(target, admin, "POST", `/api/admin/canvases/${second.id}/take`)).status, 200);
    assert.deepEqual(await recipients("ownership"), [heir.email]);
    for (let made = 0; made < 2; made++)
      await manage(target, second.people.viewer, "POST", "/api/canvases", { title: `Page ${made}` });
    const leaver = String((await manage(target, second.people.viewer, "GET", "/api/me")).json.id);
    const moved = await manage(target, admin, "POST", `/api/admin/users/${leaver}/handover`, {
      to: heir.email,
      deactivate: true,
    });
    assert.equal(moved.json.moved, 2);
    assert.deepEqual(await recipients("ownership"), [heir.email, heir.email]);
  });
});

it("without a mail server the switches say that nothing is sent", async (t) => {
  const { target } = await startDev(t);
  const { people } = await stage(target);
  assert.equal((await manage(target, people.owner, "GET", "/api/me/mails")).json.sent, false);
});
