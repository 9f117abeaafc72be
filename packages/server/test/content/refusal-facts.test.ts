import assert from "node:assert/strict";
import { it } from "node:test";
import { NAVIGATES } from "@easel/conformance/browser";
import { amend, type Cast, cast, manage, type Role, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { send } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";
import { ERRORS, type ErrorCode } from "@easel/protocol/errors";
import { type Principal, visitor } from "../../src/access/principal.ts";
import { factsFor } from "../../src/content/error-pages.ts";
import { onSqlite, startDev } from "../support/engines.ts";
import { guestWith, userWith } from "../support/principals.ts";
import { publish, visit } from "../support/publish.ts";

const TITLE = "Quarter <figures>";
const REASON = 'Loads "ads" & trackers.';
/**
 * The facts about a canvas that the page of a refusal may show, as they appear in HTML. `told` adds the owner's address, which differs
 * between canvases.
 */
const TOLD = {
  title: "Quarter &lt;figures&gt;",
  reason: "Loads &quot;ads&quot; &amp; trackers.",
  mail: "mailto:",
};

await onSqlite("the facts about a canvas on the page of a refusal", (target, env) => {
  async function make(people?: Cast): Promise<Stage> {
    const site = await stage(target, people === undefined ? {} : { people });
    await manage(target, site.people.owner, "PATCH", `/api/canvases/${site.id}`, { title: TITLE });
    await publish(target, site, { "index.html": "in" });
    return site;
  }
  /** Returns the names of the facts that the page of a refusal shows to a person. `owner` is the owner's address. */
  async function told(site: Stage, person: Person | null): Promise<string[]> {
    const page = await visit(target, site.slug, person, "", [NAVIGATES]);
    // The footer is left out for the owner, because it shows the address of the caller.
    const text = person?.email === site.people.owner.email ? page.text.replace(/<footer.*/s, "") : page.text;
    const facts = { ...TOLD, owner: site.people.owner.email.split("@")[0] ?? "" };
    return Object.entries(facts).flatMap(([name, words]) => (text.includes(words) ? [name] : []));
  }
  async function expect(site: Stage, rows: [who: Role, told: string[]][]): Promise<void> {
    for (const [who, expected] of rows) assert.deepEqual(await told(site, site.people[who]), expected, who);
  }

  it("not shared: the owner's address for signed-in users; nothing for guests of other canvases", async () => {
    const site = await make();
    await expect(site, [["stranger", ["mail", "owner"]]]);
    const { text } = await visit(target, site.slug, site.people.stranger, "", [NAVIGATES]);
    const [, mail = ""] = /href="(mailto:[^"]+)"/.exec(text) ?? [];
    const url = new URL(mail.replaceAll("&amp;", "&"));
    assert.equal(url.pathname, site.people.owner.email);
    assert.match(url.searchParams.get("subject") ?? "", /share/);
    const address = `${target.base}/c/${site.slug}/`;
    assert.equal(url.searchParams.get("body"), `Please share ${address} with ${site.people.stranger.email}.`);

    const other = await make();
    assert.deepEqual(await told(site, await guestOf(target, other)), []);
    assert.deepEqual(await told(site, null), []);
    await env.db.run`update users set deactivated_at = 1 where email = ${site.people.owner.email}`;
    await expect(site, [["stranger", []]]);
  });

  it("an owner's address with special characters is escaped in the link", async () => {
    const owner = await target.signIn(`o'neil?cc=all&x=%41#${Date.now()}@example.com`);
    const site = await make({ ...(await cast(target)), owner });
    const { text } = await visit(target, site.slug, site.people.stranger, "", [NAVIGATES]);
    const mail = new URL(
      (/href="(mailto:[^"]+)"/.exec(text)?.[1] ?? "").replaceAll("&amp;", "&").replaceAll("&#39;", "'"),
    );
    assert.equal(decodeURIComponent(mail.pathname), owner.email);
    assert.deepEqual([...mail.searchParams.keys()], ["subject", "body"]);
  });

  it("only the password is missing: the title for callers with access, also after a wrong password", async () => {
    const site = await make();
    await amend(target, site, {
      password: "open sesame",
      people: [{ email: site.people.viewer.email, role: "viewer" }],
    });
    await expect(site, [
      ["viewer", ["title"]],
      ["stranger", ["mail", "owner"]],
    ]);
    const wrong = await send(target.base, {
      method: "POST",
      path: `/c/${site.slug}/__gate`,
      headers: [
        ...site.people.viewer.headers,
        NAVIGATES,
        ["Content-Type", "application/x-www-form-urlencoded"],
      ],
      body: "password=no",
    });
    assert.ok(wrong.status === 403 && wrong.text.includes(TOLD.title), wrong.text);
    await amend(target, site, { access: "public_link" });
    assert.deepEqual(await told(site, null), ["title"]);
    await amend(target, site, { expiresAt: Date.now() + 60_000 });
    await env.db.run`update canvases set expires_at = 1 where id = ${site.id}`;
    await expect(site, [["viewer", []]]);
  });

  it("each page links to the documentation, for every canvas and caller alike", async () => {
    const [site, locked] = [await make(), await make()];
    await amend(target, locked, { access: "public_link", password: "open sesame" });
    const guest = await guestOf(target, await make());
    for (const [slug, person] of [
      [site.slug, site.people.stranger],
      [site.slug, guest],
      ["no-such-canvas", site.people.stranger],
      ["no-such-canvas", guest],
      [locked.slug, null],
    ] as const) {
      const { text } = await visit(target, slug, person, "", [NAVIGATES]);
      assert.ok(text.includes(`<a href="${target.base}/docs">Documentation</a></footer>`), text);
    }
  });

  it("disabled: the reason, for owner and editors, here and by the API", async () => {
    const site = await make();
    const admin = await target.signIn(target.admin);
    const path = `/api/admin/canvases/${site.id}/disable`;
    assert.equal((await manage(target, admin, "POST", path, { reason: REASON })).status, 200);
    await expect(site, [
      ["owner", ["reason"]],
      ["editor", ["reason"]],
      ["viewer", []],
      ["stranger", []],
    ]);
    for (const [who, reason] of [
      ["owner", REASON],
      ["editor", REASON],
      ["viewer", null],
    ] as const) {
      const { json } = await manage(target, site.people[who], "GET", `/api/canvases/${site.id}`);
      assert.equal(json.disabledReason, reason, who);
      const { canvases } = (await manage(target, site.people[who], "GET", "/api/canvases")).json;
      assert.equal((canvases as { disabledReason: unknown }[])[0]?.disabledReason, reason, who);
    }
    await manage(target, admin, "POST", path);
    await expect(site, [["owner", []]]);
  });

  it("archived, expired, unpublished, without a version, and unknown slugs: no facts", async () => {
    const site = await make();
    const { stranger, owner, viewer } = site.people;
    await env.db.run`update canvases set expires_at = 1 where id = ${site.id}`;
    assert.deepEqual(await told(site, viewer), []);
    await env.db.run`update canvases set archived_at = 1 where id = ${site.id}`;
    for (const person of [owner, stranger]) assert.deepEqual(await told(site, person), []);
    assert.deepEqual(await told({ ...site, slug: "no-such-canvas" }, stranger), []);
    await manage(target, owner, "PATCH", `/api/canvases/${site.id}`, { archived: false });
    await manage(target, owner, "DELETE", `/api/canvases/${site.id}`);
    assert.deepEqual(await told(site, stranger), []);
  });

  it("no refusal shows facts to guests of other canvases or anonymous callers", async () => {
    const site = await make();
    const { json } = await manage(target, site.people.stranger, "GET", "/api/me");
    const { id, email } = json as unknown as Pick<Principal, "id" | "email">;
    const stranger = { ...userWith(id), email };
    const guest = { ...guestWith("guest:1", "another canvas"), email };
    const owner = async (viewer: Principal) => (await factsFor("OWNER_ONLY", site.slug, viewer, env)).owner;
    assert.equal((await owner(stranger))?.email, site.people.owner.email);
    for (const viewer of [guest, visitor()]) {
      for (const code of Object.keys(ERRORS) as ErrorCode[]) {
        assert.deepEqual(
          await factsFor(code, site.slug, viewer, env),
          { title: null, owner: null, asks: null, disabledReason: null },
          code,
        );
      }
    }
  });

  it("JSON contains no facts", async () => {
    const site = await make();
    const { json } = await visit(target, site.slug, site.people.stranger);
    assert.deepEqual(Object.keys(json).sort(), ["code", "message", "requestId"]);
  });
});

it("a page of a refusal links to the home page, and for 429 to the same page with the wait", async (t) => {
  const limits = { SERVICE_RATELIMIT_ENABLED: "true", SERVICE_RATELIMIT_LOGIN_PER_MIN: "1" };
  const { base } = (await startDev(t, limits)).target;
  const ask = (method: string, path: string) => send(base, { method, path, headers: [NAVIGATES] });
  const home = `<a href="${base}/">Your canvases</a>`;
  const again = /Wait (\d+ seconds|a moment), then go on\..*<a class="button" href="([^"]+)">Try again<\/a>/s;
  for (const path of ["/none", "//none.example/"]) {
    const { status, text } = await ask("GET", path);
    assert.ok(status === 404 && text.includes("Your canvases") && !again.test(text), text);
  }
  for (let tries = 0; tries < 3; tries++) await ask("GET", "/auth/invite/none?a=1&b");
  const { status, text } = await ask("GET", "/auth/invite/none?a=1&b");
  assert.ok(status === 429 && text.includes(home), text);
  assert.equal(again.exec(text)?.[2], "/auth/invite/none?a=1&amp;b");
  assert.match(text, /Too many requests/);
  const posted = await ask("POST", "/auth/invite/none");
  assert.ok(posted.status === 429 && posted.text.includes(home) && !again.test(posted.text), posted.text);
});
