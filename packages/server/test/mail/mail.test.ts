import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { giveNotice } from "../../src/organisation/notices.ts";
import { startDev } from "../support/engines.ts";
import { fileScope } from "../support/service.ts";
import { plain, startMailing } from "./mailing.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("mail", async () => {
  const scope = fileScope();
  const { smtp, target, env } = await startMailing(scope);
  const taken = async (count: number) => {
    await until("the mails are sent", () => smtp.received.length >= count);
    return smtp.received.splice(0);
  };
  const rows = () => env.db.all<{
    id: string;
    body: string;
    due_at: number | null;
    tries: number;
    error: string | null;
  }>`
    select id, body, due_at, tries, error from outbox order by created_at, id`;

  /** Makes a canvas with its people, and waits until the mails about that are sent. */
  async function quietStage() {
    const made = await stage(target);
    await until("all are sent", async () => (await rows()).every(({ due_at }) => due_at === null));
    smtp.received.length = 0;
    return made;
  }

  test("a guest gets the link of the invitation, which is not kept", async () => {
    const { id, people } = await quietStage();
    const guest = { email: "guest@other.test", name: "Gus" };
    const { json } = await manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, guest);
    assert.equal(json.mailed, true);
    const [mail] = await taken(1);
    assert.deepEqual([mail?.from, mail?.to], ["easel@acme.test", ["guest@other.test"]]);
    assert.ok(plain(mail?.text ?? "").includes(String(json.url)));
    assert.match(mail?.text ?? "", /^Auto-Submitted: auto-generated$/m);
    await until("it is written down", async () => (await rows()).at(-1)?.due_at === null);
    assert.equal((await rows()).at(-1)?.body, "");
    assert.equal(
      (await send(target.base, { method: "GET", path: new URL(String(json.url)).pathname })).status,
      303,
    );
  });

  test("new people of a canvas get one mail, those who were there and who share get none", async () => {
    const { id, people } = await quietStage();
    const entry = (email: string) => ({ email, role: "viewer" });
    const list = [entry("one@acme.test")];
    const put = (more: string[], by = people.owner) =>
      manage(target, by, "PUT", `/api/canvases/${id}/sharing`, { people: [...list, ...more.map(entry)] });
    assert.equal((await put([])).status, 200);
    assert.deepEqual(
      (await taken(1)).flatMap(({ to }) => to),
      ["one@acme.test"],
    );
    await put(["two@acme.test"]);
    await put([]);
    await put(["two@acme.test", "three@acme.test"]);
    const sent = await taken(2);
    assert.deepEqual(sent.flatMap(({ to }) => to).sort(), ["three@acme.test", "two@acme.test"]);
  });

  test("titles and names of others are one short line, and no headers", async () => {
    const { id, people } = await quietStage();
    const title = `Tea \u202e\u2028Bcc: eve@evil.test ${"x".repeat(100)}`;
    assert.equal((await manage(target, people.owner, "PATCH", `/api/canvases/${id}`, { title })).status, 200);
    const { row } = { row: await env.db.get<{ title: string }>`select title from canvases where id = ${id}` };
    // Whatever the API lets through, a title that is already stored does no harm.
    await env.db
      .run`update canvases set title = ${`${row?.title}\r\nBcc: eve@evil.test\r\n\r\nHello`} where id = ${id}`;
    await manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, { email: "gus@other.test" });
    const [mail] = await taken(1);
    assert.deepEqual(mail?.to, ["gus@other.test"]);
    const [head = "", body = ""] = (mail?.text ?? "").split("\n\n");
    assert.doesNotMatch(head, /^Bcc:/im);
    assert.doesNotMatch(plain(body), /[\u202e\u2028]|^Bcc/m);
  });

  test("titles and names of others are no links, and not half a character", async () => {
    const { id, people } = await quietStage();
    const title = "Log in at https://evil.test/a or evil.test, v1.2";
    await env.db.run`update canvases set title = ${title} where id = ${id}`;
    const guest = { email: "gus@other.test", name: "\u{1f600}".repeat(99) };
    await manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, guest);
    const [mail] = await taken(1);
    const text = plain(mail?.text ?? "");
    assert.match(text, /“Log in at https: evil\u2024test\/a or evil\u2024test, v1\.2”/);
    assert.doesNotMatch(text, /evil\.test|\ufffd/);
    const row = await env.db.get<{ recipient_name: string }>`
      select recipient_name from outbox where recipient = ${guest.email} order by created_at desc limit 1`;
    assert.equal(row?.recipient_name, `${"\u{1f600}".repeat(79)}…`);
  });

  test("a server that is busy is asked again, one that refuses the recipient is not", async () => {
    const { id, people } = await quietStage();
    const invite = (email: string) =>
      manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, { email });
    smtp.answers.push("451 come back later");
    await invite("late@other.test");
    await until("it has failed", async () => (await rows()).at(-1)?.tries === 1);
    const [late] = (await rows()).slice(-1);
    assert.ok((late?.due_at ?? 0) > env.clock() + 30_000);
    assert.match(late?.error ?? "", /451/);
    await env.db.run`update outbox set due_at = 1 where id = ${late?.id ?? ""}`;
    assert.deepEqual((await taken(1))[0]?.to, ["late@other.test"]);
    smtp.answers.push("550 nobody here");
    await invite("none@other.test");
    await until("it is given up", async () => (await rows()).some(({ error }) => error?.includes("550")));
    const dead = (await rows()).find(({ error }) => error?.includes("550"));
    assert.deepEqual([dead?.due_at, dead?.body, dead?.tries], [null, "", 1]);
  });

  test("one person causes 20 mails a day to an address, and 200 in all; nobody fills the limit of an address for the others", async () => {
    const { id, people } = await quietStage();
    const invite = async (email: string) =>
      (await manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, { email })).json.mailed;
    const now = env.clock();
    const fill = (count: number, of: { recipient: string; by: string }) =>
      Promise.all(
        Array.from(
          { length: count },
          (_, index) => env.db.run`
          insert into outbox (id, kind, recipient, recipient_name, subject, body, caused_by, created_at)
          values (${`${of.recipient} ${of.by} ${index}`}, 'shared', ${of.recipient}, '', '', '', ${of.by}, ${now})`,
        ),
      );
    const me = String((await manage(target, people.owner, "GET", "/api/me")).json.id);
    await fill(20, { recipient: "often@other.test", by: "eve" });
    await fill(19, { recipient: "often@other.test", by: me });
    assert.deepEqual([await invite("often@other.test"), await invite("often@other.test")], [true, false]);
    await fill(100, { recipient: "flooded@other.test", by: "many" });
    assert.equal(await invite("flooded@other.test"), false);
    await env.db.run`update outbox set created_at = ${now - DAY_MS} where caused_by = ${me}`;
    await fill(200, { recipient: "x", by: me });
    assert.equal(await invite("another@other.test"), false);
    await env.db.run`update outbox set created_at = ${now - DAY_MS} where recipient = ${"x"}`;
    assert.equal(await invite("another@other.test"), true);
    await taken(2);
  });

  test("a new owner is told, and a token is told a week before its end, once", async () => {
    const { id, people } = await quietStage();
    const to = people.editor.email;
    assert.equal(
      (await manage(target, people.owner, "PUT", `/api/canvases/${id}/owner`, { email: to })).status,
      200,
    );
    assert.deepEqual((await taken(1))[0]?.to, [to]);
    await env.db.run`
      insert into tokens (id, user_id, name, token_hash, created_at, expires_at) select 't', id, 'CI', 'h',
        ${env.clock() - 30 * DAY_MS}, ${env.clock() + 6 * DAY_MS} from users where email = ${to}`;
    for (let each = 0; each < 2; each++) await giveNotice(env, new AbortController().signal);
    assert.match(plain((await taken(1))[0]?.text ?? ""), /CI/);
    assert.equal(smtp.received.length, 0);
  });
});

test("without a mail server nothing is written; strangers by domain get no mail about sharing", async (t) => {
  const { target, env } = await startDev(t);
  const { id, people } = await stage(target);
  const invited = await manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, {
    email: "g@other.test",
  });
  assert.equal(invited.json.mailed, false);
  assert.deepEqual(await env.db.all`select id from outbox`, []);
  const own = await startMailing(t, { SERVICE_ALLOWED_EMAIL_DOMAINS: "example.com,acme.test" });
  const other = await stage(own.target);
  const people2 = ["a@acme.test", "b@evil.test"].map((email) => ({ email, role: "viewer" }));
  await manage(own.target, other.people.owner, "PUT", `/api/canvases/${other.id}/sharing`, {
    people: people2,
  });
  const mailed = await own.env.db.all<{ recipient: string }>`select recipient from outbox`;
  assert.deepEqual(
    mailed.map(({ recipient }) => recipient).filter((each) => each.endsWith(".test")),
    ["a@acme.test"],
  );
});
