import assert from "node:assert/strict";
import { before, it } from "node:test";
import { type Cast, cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { publish } from "@easel/conformance/lifecycle";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person, proxyTarget } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { signIn } from "../support/client.ts";
import { onSqlite } from "../support/engines.ts";
import { PROXY, startService } from "../support/service.ts";
import { everyPage, pageOf, type Row } from "./admin-list.ts";

await onSqlite("administration of users", (target, env) => {
  let admin: Person;
  before(async () => {
    admin = await target.signIn(target.admin);
  });

  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
  const patch = (id: string, change: object) =>
    manage(target, admin, "PATCH", `/api/admin/users/${id}`, change);
  const row = async (person: Person) =>
    (await pageOf(target, admin, "users", `q=${person.email}`)).rows[0] as Row;

  it("a row has identity, rights and the number of owned canvases", async () => {
    const from = Date.now();
    const site = await stage(target);
    const { owner, viewer } = site.people;
    await stage(target, { people: site.people });
    const gone = await stage(target, { people: site.people });
    await env.db.run`update canvases set deleted_at = ${from} where id = ${gone.id}`;
    const shown = await row(owner);
    const { createdAt, lastSeenAt, ...rest } = shown;
    assert.equal(lastSeenAt, null, "it is written every minute");
    assert.ok(Number(createdAt) >= from && Number(createdAt) <= Date.now());
    assert.deepEqual(rest, {
      id: await idOf(owner),
      email: owner.email,
      name: owner.name,
      avatarUrl: null,
      deactivatedAt: null,
      erasedAt: null,
      canPublishPublic: true,
      isAdmin: false,
      canvases: 2,
      quotas: {
        "canvases.person": null,
        "bundles.bytes.person": null,
        "files.bytes.person": null,
        "versions.canvas": null,
      },
    });
    assert.equal((await row(viewer)).canvases, 0);
    assert.equal((await row(admin)).isAdmin, true);
  });

  it("newest first, in pages of any length, each user once", async () => {
    const mark = freshEmail("paged").split("@")[0] as string;
    for (let index = 0; index < 7; index++) await target.signIn(`${mark}-${index}@example.com`);
    const all = (await everyPage(target, admin, "users", 1000, `q=${mark}`)).map(({ id }) => id);
    assert.equal(new Set(all).size, 7);
    assert.deepEqual(all, all.toSorted().reverse());
    for (const limit of [1, 2, 3, 6, 7, 8]) {
      const paged = await everyPage(target, admin, "users", limit, `q=${mark}`);
      assert.deepEqual(
        paged.map(({ id }) => id),
        all,
      );
    }
  });

  it("a user who signs in between two pages is not in later pages, and none is missing", async () => {
    const mark = freshEmail("moving").split("@")[0] as string;
    for (let index = 0; index < 4; index++) await target.signIn(`${mark}-${index}@example.com`);
    const first = await pageOf(target, admin, "users", `limit=2&q=${mark}`);
    await target.signIn(`${mark}-new@example.com`);
    const second = await pageOf(target, admin, "users", `limit=2&q=${mark}&cursor=${first.nextCursor}`);
    const emails = [...first.rows, ...second.rows].map(({ email }) => email);
    assert.deepEqual(
      emails.toSorted(),
      [0, 1, 2, 3].map((index) => `${mark}-${index}@example.com`),
    );
    assert.equal(second.nextCursor, null);
  });

  const people: [email: string, name: string][] = [
    ["percent%sign@find.example", "One Hundred % Sure"],
    ["under_score@find.example", "Ünder Score"],
    ["wow!@find.example", "Wow!"],
    ["o'brien@find.example", "Seán O'Brien"],
  ];
  const everyone = people.map(([, name]) => name);
  const found: [q: string, names: string[]][] = [
    ["find.example", everyone],
    ["FIND.Example", everyone],
    ["% sure", ["One Hundred % Sure"]],
    ["t%s", ["One Hundred % Sure"]],
    ["r_s", ["Ünder Score"]],
    ["ünder", ["Ünder Score"]],
    ["ÜNDER", ["Ünder Score"]],
    ["SEÁN", ["Seán O'Brien"]],
    ["!", ["Wow!"]],
    ["o'b", ["Seán O'Brien"]],
    ["' or '1'='1", []],
    ["percent_sign", []],
    ["\\", []],
  ];
  it("q filters by e-mail address and name, without wildcards", async () => {
    for (const [email, name] of people) await target.signIn(email, name);
    for (const [q, names] of found) {
      const { rows } = await pageOf(target, admin, "users", `q=${encodeURIComponent(q)}`);
      assert.deepEqual(rows.map(({ name }) => name).sort(), names.toSorted(), q);
    }
  });

  it("deactivating ends every session and token at the next request and prevents new ones", async () => {
    const site = await stage(target);
    await publish(target, site, "<h1>home</h1>");
    const { editor } = site.people;
    const again = await target.signIn(editor.email);
    const token = await tokenOf(target, editor);
    const id = await idOf(editor);
    for (const who of [editor, again, token]) {
      assert.equal((await manage(target, who, "GET", "/api/me")).status, 200);
    }
    const from = Date.now();
    const { status, json } = await patch(id, { deactivated: true });
    assert.equal(status, 200);
    assert.ok(Number(json.deactivatedAt) >= from && Number(json.deactivatedAt) <= Date.now());
    assert.deepEqual(json, await row(editor));
    for (const who of [editor, again, token]) {
      unauthenticated(await manage(target, who, "GET", "/api/me"));
    }
    unauthenticated(await site.pages.editor.get("/me"));
    unauthenticated(await manage(target, editor, "GET", `/c/${site.slug}/`));
    refused(await signIn(target.base, { email: editor.email }), 403, "PERMISSION_DENIED");
    assert.deepEqual(
      await env.db.get`select (select count(*) from sessions where user_id = ${id}) as sessions,
        (select count(*) from tokens where user_id = ${id}) as tokens`,
      { sessions: 0, tokens: 0 },
    );
    assert.equal((await manage(target, site.people.owner, "GET", "/api/me")).status, 200);
  });

  it("deactivating again changes nothing; reactivating allows sign-in but restores no session", async () => {
    const { viewer } = await cast(target);
    const token = await tokenOf(target, viewer);
    const id = await idOf(viewer);
    const { deactivatedAt } = (await patch(id, { deactivated: true })).json;
    assert.equal((await patch(id, { deactivated: true })).json.deactivatedAt, deactivatedAt);
    // Inserts a session, as a sign-in could do that is concurrent with the deactivation.
    await env.db.run`
      insert into sessions (token_hash, id, user_id, created_at, expires_at, address, user_agent)
      values (${"h".repeat(43)}, ${`late-${id}`}, ${id}, 0, ${Date.now() * 2}, '', '')`;
    assert.equal((await patch(id, { deactivated: false })).json.deactivatedAt, null);
    for (const who of [viewer, token]) unauthenticated(await manage(target, who, "GET", "/api/me"));
    assert.deepEqual(await env.db.all`select id from sessions where user_id = ${id}`, []);
    const back = await target.signIn(viewer.email);
    assert.equal(await idOf(back), id);
    assert.equal((await patch(id, { deactivated: false })).status, 200);
    assert.equal(await idOf(back), id, "reactivating someone active ends no session");
  });

  it("administrators cannot deactivate themselves, whatever else the patch contains", async () => {
    const id = await idOf(admin);
    refused(await patch(id, { deactivated: true, canPublishPublic: false }), 400, "INVALID_BODY");
    const { deactivatedAt, canPublishPublic } = (await patch(id, { deactivated: false })).json;
    assert.deepEqual([deactivatedAt, canPublishPublic], [null, true]);
  });

  it("without canPublishPublic the account says so, and Public links of the user are refused at the next request", async () => {
    const site = await stage(target, { access: "public_link" });
    await publish(target, site, "<h1>open</h1>");
    const { owner } = site.people;
    const id = await idOf(owner);
    const enter = async () => (await manage(target, null, "GET", `/c/${site.slug}/`)).status;
    assert.equal(await enter(), 200);
    const { canPublishPublic } = (await patch(id, { canPublishPublic: false })).json;
    const me = (await manage(target, owner, "GET", "/api/me")).json;
    assert.deepEqual([canPublishPublic, me.canPublishPublic], [false, false]);
    assert.equal(await enter(), 401);
    assert.equal((await patch(id, { canPublishPublic: true })).json.canPublishPublic, true);
    assert.equal(await enter(), 200);
  });

  it("a patch changes only the fields it names", async () => {
    const { stranger } = await cast(target);
    const id = await idOf(stranger);
    await patch(id, { canPublishPublic: false });
    const { json } = await patch(id, {});
    assert.deepEqual([json.canPublishPublic, json.deactivatedAt], [false, null]);
    assert.equal((await patch(id, { deactivated: false })).json.canPublishPublic, false);
  });

  it("quotas of one user: set values are returned, null restores the default, omitted ones stay", async () => {
    const { stranger, viewer } = await cast(target);
    const id = await idOf(stranger);
    const none = {
      "canvases.person": null,
      "bundles.bytes.person": null,
      "files.bytes.person": null,
      "versions.canvas": null,
    };
    const changes: [change: object, shown: object][] = [
      [
        { "canvases.person": 7, "versions.canvas": 0 },
        { "canvases.person": 7, "versions.canvas": 0 },
      ],
      [{ "bundles.bytes.person": 2 ** 53 - 1 }, { "bundles.bytes.person": 2 ** 53 - 1 }],
      [
        { "canvases.person": 8, "versions.canvas": null },
        { "canvases.person": 8, "versions.canvas": null },
      ],
      [{}, {}],
    ];
    let expected: object = none;
    for (const [quotas, shown] of changes) {
      expected = { ...expected, ...shown };
      assert.deepEqual((await patch(id, { quotas })).json.quotas, expected);
      assert.deepEqual((await row(stranger)).quotas, expected);
    }
    assert.deepEqual((await row(viewer)).quotas, none);
    assert.deepEqual((await patch(id, { quotas: none })).json.quotas, none);
    refused(await patch("none", { quotas: { "canvases.person": 1 } }), 404, "NOT_FOUND");
  });

  const bodies: object[] = [
    { deactivated: null },
    { deactivated: "true" },
    { deactivated: 1 },
    { canPublishPublic: null },
    { isAdmin: true },
    { quotas: null },
    { quotas: { "canvases.person": -1 } },
    { quotas: { "canvases.person": 1.5 } },
    { quotas: { "versions.canvas": "3" } },
    { quotas: { "kv.keys.shared": 1 } },
    { canPublishPublic: false, quotas: { constructor: 1 } },
    { email: "new@example.com" },
    { deactivated: true, name: "New" },
    [],
  ];
  it("any other body: 400 INVALID_BODY, and nothing changes", async () => {
    const { stranger } = await cast(target);
    const id = await idOf(stranger);
    const previous = await row(stranger);
    for (const body of bodies) refused(await patch(id, body), 400, "INVALID_BODY");
    refused(await manage(target, admin, "PATCH", `/api/admin/users/${id}`), 400, "INVALID_BODY");
    assert.deepEqual(await row(stranger), previous);
  });

  it("concurrent patches of one user all take effect", async () => {
    const { stranger }: Cast = await cast(target);
    const id = await idOf(stranger);
    const changes = [{ deactivated: true }, { canPublishPublic: false }, { deactivated: true }, {}];
    const answers = await Promise.all(changes.map((change) => patch(id, change)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const { deactivatedAt, canPublishPublic } = await row(stranger);
    assert.deepEqual([typeof deactivatedAt, canPublishPublic], ["number", false]);
  });
});

it("behind a proxy a deactivated user is unauthenticated at the next request", async (t) => {
  const { base } = await startService(t, { ...PROXY, SERVICE_ADMIN_EMAILS: "root@example.com" });
  const target = proxyTarget(base, "path", { admin: "root@example.com" });
  const [admin, person] = [await target.signIn(target.admin), await target.signIn("someone@example.com")];
  const { id } = (await manage(target, person, "GET", "/api/me")).json;
  const answer = await manage(target, admin, "PATCH", `/api/admin/users/${id}`, { deactivated: true });
  assert.equal(answer.status, 200, answer.text);
  unauthenticated(await manage(target, person, "GET", "/api/me"));
  await manage(target, admin, "PATCH", `/api/admin/users/${id}`, { deactivated: false });
  assert.equal((await manage(target, person, "GET", "/api/me")).status, 200);
});

it("canvases of a deactivated user keep their owner and stay open to others", async (t) => {
  const { base } = await startService(t, { ...PROXY, SERVICE_ADMIN_EMAILS: "root@example.com" });
  const target = proxyTarget(base, "path", { admin: "root@example.com" });
  const admin = await target.signIn(target.admin);
  const site: Stage = await stage(target);
  const { id } = (await manage(target, site.people.owner, "GET", "/api/me")).json;
  await manage(target, admin, "PATCH", `/api/admin/users/${id}`, { deactivated: true });
  const { rows } = await pageOf(target, admin, "canvases", `q=${site.slug}`);
  assert.deepEqual(
    rows.map((row) => (row.owner as { id: string }).id),
    [id],
  );
  assert.equal((await site.pages.editor.get("/me")).status, 200);
});
