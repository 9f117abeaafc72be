import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Browser, FORM, NAVIGATES } from "@easel/conformance/browser";
import { amend, manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import type { Header } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { freshEmail, type Person } from "@easel/conformance/target";
import type { Member } from "../../src/access/principal.ts";
import { factsFor } from "../../src/content/error-pages.ts";
import { userWith } from "../support/principals.ts";
import { publish, visit } from "../support/publish.ts";
import { fileScope } from "../support/service.ts";
import { plain, startMailing } from "./mailing.ts";

describe("asking the owner of a canvas for access by mail", async () => {
  const { smtp, target, env } = await startMailing(fileScope());

  const make = async (): Promise<Stage> => {
    const site = await stage(target);
    await publish(target, site, { "index.html": "in" });
    await until("other mails are sent", async () => {
      const waiting = await env.db.get`select 1 as found from outbox where due_at is not null`;
      return waiting === undefined;
    });
    smtp.received.length = 0;
    return site;
  };
  const page = async (site: Pick<Stage, "slug">, who: Person | null) =>
    (await visit(target, site.slug, who, "", [NAVIGATES])).text;
  const ask = (site: Pick<Stage, "slug">, who: Person | null, more: Header[] = [NAVIGATES]) =>
    visit(target, site.slug, who, "__ask?to=tea.html", [FORM, ...more], "POST");
  const asked = (site: Pick<Stage, "id">) =>
    env.db.all<{ recipient: string }>`
      select recipient from outbox where kind = 'asked' and id like ${`asked-${site.id}-%`}`;

  it("the page has a form without a script; the owner gets a mail that leads to sharing; the page says so, once a day", async () => {
    const site = await make();
    const eve = await target.signIn(freshEmail("eve+x"), "Eve\u202e Smith");
    const title = "Secret figures";
    await manage(target, site.people.owner, "PATCH", `/api/canvases/${site.id}`, { title });
    const text = await page(site, eve);
    const [, action = ""] =
      /<form method="post" action="([^"]+)"><button class="button">Ask for access/.exec(text) ?? [];
    assert.equal(action, `${target.base}/c/${site.slug}/__ask?to=`);
    assert.doesNotMatch(text, /<script|<input|Secret/);
    const answer = await ask(site, eve);
    assert.deepEqual(
      [answer.status, answer.headers.location],
      [303, `${target.base}/c/${site.slug}/tea.html`],
    );
    await until("it is sent", () => smtp.received.length > 0);
    const [mail] = smtp.received;
    assert.deepEqual(mail?.to, [site.people.owner.email]);
    const body = plain(mail?.text ?? "");
    assert.ok(
      body.includes(`${target.base}/canvases/${site.id}/sharing?add=${encodeURIComponent(eve.email)}`),
      body,
    );
    assert.ok(
      body.includes(`Eve Smith (${eve.email})`) && body.includes(`${target.base}/account#mails`),
      body,
    );
    assert.match(await page(site, eve), /<h1>You have asked for access<\/h1>/);
    assert.doesNotMatch(await page(site, eve), /__ask|Secret/);
    assert.equal((await ask(site, eve)).status, 303);
    assert.equal((await asked(site)).length, 1);
    await env.db.run`update outbox set id = 'earlier' where id like ${`asked-${site.id}-%`}`;
    assert.equal((await ask(site, eve)).status, 303);
    assert.equal((await asked(site)).length, 1);
  });

  it("who may open it is led there and asks nobody; a canvas that must not be revealed answers as without a form", async () => {
    const site = await make();
    const { stranger, viewer, owner } = site.people;
    await amend(target, site, { people: [{ email: viewer.email, role: "viewer" }] });
    assert.equal((await ask(site, viewer)).status, 303);
    assert.equal((await ask(site, owner)).status, 303);
    const bare = ({ status, text }: { status: number; text: string }, slug: string) =>
      [
        status,
        text.replaceAll(slug, "SLUG").replaceAll("/tea.html", "/").replaceAll("%2Ftea.html", "%2F"),
      ] as const;
    const guest = await guestOf(target, await make());
    const none = { slug: "no-such-canvas" };
    for (const who of [stranger, guest, null])
      assert.deepEqual(
        bare(await ask(none, who), none.slug),
        bare(await visit(target, none.slug, who, "", [NAVIGATES]), none.slug),
      );
    for (const who of [guest, null])
      assert.deepEqual(
        bare(await ask(site, who), site.slug),
        bare(await visit(target, site.slug, who, "", [NAVIGATES]), site.slug),
      );
    await env.db.run`update users set deactivated_at = 1 where email = ${owner.email}`;
    assert.equal((await ask(site, stranger)).status, 404);
    assert.doesNotMatch(await page(site, stranger), /__ask|mailto/);
    assert.deepEqual(await asked(site), []);
    const json = await ask(site, stranger, []);
    assert.deepEqual([json.status, json.json.code], [404, "OWNER_ONLY"]);
  });

  it("pages of other origins and of other canvases cannot ask in somebody's name; programs can", async () => {
    const site = await make();
    const { stranger } = site.people;
    const other = `${target.base}/c/other-canvas/`;
    const foreign: Header[][] = [
      [["Sec-Fetch-Site", "cross-site"]],
      [["Sec-Fetch-Site", "same-site"]],
      [["Origin", "https://evil.test"]],
      [["Referer", other]],
      [
        ["Sec-Fetch-Site", "same-origin"],
        ["Origin", target.base],
        ["Referer", other],
      ],
    ];
    for (const headers of foreign)
      assert.deepEqual(
        (await ask(site, stranger, headers)).json.code,
        "CROSS_SITE_FORBIDDEN",
        String(headers),
      );
    assert.deepEqual(await asked(site), []);
    assert.equal((await ask(site, stranger, [["Referer", `${target.base}/c/${site.slug}/`]])).status, 303);
    assert.equal((await asked(site)).length, 1);
  });

  it("the session of a preview cannot ask in the name of its person", async () => {
    const site = await make();
    const { json } = await manage(target, site.people.stranger, "GET", "/api/me");
    const member = { ...userWith(String(json.id)), email: site.people.stranger.email };
    const asks = async (who: Member) =>
      (await factsFor("OWNER_ONLY", site.slug, who, env)).asks?.state ?? null;
    assert.equal(await asks(member), "open");
    assert.equal(await asks({ ...member, restriction: { scope: "read", canvasId: site.id } }), null);
  });

  it("an owner who has turned it off, or has got too many mails, is written to as without mail", async () => {
    const site = await make();
    const { stranger, owner } = site.people;
    const fill = (count: number) =>
      Promise.all(
        Array.from(
          { length: count },
          (_, index) => env.db.run`
            insert into outbox (id, kind, recipient, recipient_name, subject, body, caused_by, created_at)
            values (${`${site.id} ${index}`}, 'asked', ${owner.email}, '', '', '', 'others', ${env.clock()})`,
        ),
      );
    await fill(100);
    const { status, text } = await ask(site, stranger);
    assert.equal(status, 404);
    assert.match(text, /role="alert">Easel sends no more mails/);
    assert.match(text, /href="mailto:/);
    assert.deepEqual(await asked(site), []);
    await env.db.run`delete from outbox where caused_by = 'others'`;
    await manage(target, owner, "PATCH", "/api/me/mails", { asked: false });
    assert.match(await page(site, stranger), /class="button" href="mailto:/);
    assert.doesNotMatch(await page(site, stranger), /__ask/);
    assert.equal((await ask(site, stranger)).status, 404);
    assert.deepEqual(await asked(site), []);
  });
});

describe("asking for access on the host of a canvas", async () => {
  const { smtp, target, env } = await startMailing(fileScope(), {
    SERVICE_URL_MODE: "subdomain",
    SERVICE_RATELIMIT_ENABLED: "true",
    SERVICE_RATELIMIT_GATE_PER_MIN: "2",
  });

  it("the form is on that host; one person tries at most as often a minute as at passwords", async () => {
    const site = await stage(target);
    await publish(target, site, { "index.html": "in" });
    const browser = new Browser(target, site.people.stranger);
    const url = new URL(env.base.canvasUrl(site.slug));
    const first = await browser.visit(url);
    assert.ok(first.text.includes(`action="${url}__ask?to="`), first.text);
    const submit = (origin: string) =>
      browser.send("POST", new URL("__ask?to=", url), [NAVIGATES, FORM, ["Origin", origin]]);
    assert.equal((await submit(env.base.origin)).status, 403);
    assert.deepEqual(
      [
        (await submit(url.origin)).status,
        (await submit(url.origin)).status,
        (await submit(url.origin)).status,
      ],
      [303, 303, 429],
    );
    await until("it is sent", () => smtp.received.some(({ to }) => to.includes(site.people.owner.email)));
  });
});
