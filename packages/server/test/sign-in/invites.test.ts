import assert from "node:assert/strict";
import { before, it, test } from "node:test";
import { manage, type Stage, share, stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { tokenHash } from "../../src/crypto/ids.ts";
import { tokenOf, whoAmI } from "../support/client.ts";
import { onSqlite, startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { HandOver, jar, NAVIGATES, pairOf } from "./hand-over.ts";

/** Routes of the management API that are closed to guests, even for their own canvas: all but `/api/me`. */
const CLOSED: [method: string, path: string, body?: object][] = [
  ["GET", "/canvases"],
  ["POST", "/canvases", { title: "Guest" }],
  ["GET", "/canvases/{id}"],
  ["PATCH", "/canvases/{id}", { title: "Guest" }],
  ["DELETE", "/canvases/{id}"],
  ["GET", "/canvases/{id}/versions"],
  ["PUT", "/canvases/{id}/sharing", { access: "whole_org" }],
  ["PATCH", "/canvases/{id}/capabilities", { guestAi: true }],
  ["GET", "/canvases/{id}/invites"],
  ["POST", "/canvases/{id}/invites", { email: "friend@example.com" }],
  ["PUT", "/canvases/{id}/owner", { email: "friend@example.com" }],
  ["GET", "/teams"],
  ["POST", "/teams", { name: "Guests" }],
  ["GET", "/tokens"],
  ["POST", "/tokens", { name: "Guest" }],
  ["GET", "/sessions"],
  ["GET", "/admin/users"],
  ["GET", "/admin/settings"],
  ["GET", "/none"],
  ["GET", "/me/"],
  ["POST", "/me/more"],
];

/** Invalid bodies of invitations. */
const BAD_BODIES: [name: string, body: object][] = [
  ["nobody", {}],
  ["an address that is null", { email: null }],
  ["an address that is none", { email: "friend" }],
  ["two addresses", { email: "a@example.com,b@example.com" }],
  ["an address with a line break", { email: "a@example.com\nBcc: b@example.com" }],
  ["an empty name", { email: "a@example.com", name: " " }],
  ["a name with control characters", { email: "a@example.com", name: "a\tb" }],
  ["a name of 101 characters", { email: "a@example.com", name: "n".repeat(101) }],
  ["a role", { email: "a@example.com", role: "editor" }],
];

await onSqlite("invitations and guests", (target, env) => {
  const { base } = target;
  let site: Stage;
  let owner: Person;
  before(async () => {
    site = await furnished();
    owner = site.people.owner;
  });
  async function furnished(setup: Parameters<typeof stage>[1] = {}): Promise<Stage> {
    const made = await stage(target, { ...(site && { people: site.people }), ...setup });
    await publish(target, made, { "index.html": made.slug });
    return made;
  }
  const invite = async ({ id }: Stage, body: object = { email: freshEmail("guest") }) => {
    const answer = await manage(target, owner, "POST", `/api/canvases/${id}/invites`, body);
    assert.equal(answer.status, 201, answer.text);
    const { url, ...rest } = answer.json as { id: string; email: string; url: string };
    return { ...rest, path: new URL(url).pathname, token: url.slice(url.lastIndexOf("/") + 1) };
  };
  const follow = (path: string, headers: Header[] = [], method = "GET") =>
    send(base, { method, path, headers });
  const enter = async (path: string, headers: Header[] = []): Promise<Person> => {
    const answer = await follow(path, headers);
    assert.equal(answer.status, 303, answer.text);
    return { email: "", name: "", headers: [jar(pairOf(answer))] };
  };
  const api = (person: Person, { slug }: Stage) => manage(target, person, "GET", `/v1/c/${slug}/me`);
  const revoke = async ({ id }: Stage, inviteId: string) => {
    const answer = await manage(target, owner, "DELETE", `/api/canvases/${id}/invites/${inviteId}`);
    assert.deepEqual([answer.status, answer.text], [204, ""]);
  };
  const sessions = async () =>
    Number((await env.db.get<{ count: number }>`select count(*) as count from sessions`)?.count);

  it("an invitation returns its id, the address and the link, whose token is not stored", async () => {
    const answer = await manage(target, owner, "POST", `/api/canvases/${site.id}/invites`, {
      email: " Friend@Example.COM ",
    });
    assert.deepEqual(Object.keys(answer.json).sort(), ["email", "id", "linkExpiresAt", "mailed", "url"]);
    assert.equal(answer.json.email, "friend@example.com");
    const url = String(answer.json.url);
    assert.match(url.replace(base, ""), /^\/auth\/invite\/[\w-]{43}$/);
    const token = url.slice(url.lastIndexOf("/") + 1);
    const tables = [await env.db.all`select * from invites`, await env.db.all`select * from audit`];
    const kept = JSON.stringify(tables);
    assert.ok(kept.includes(tokenHash(token)) && !kept.includes(token));
    const list = await manage(target, owner, "GET", `/api/canvases/${site.id}/invites`);
    assert.ok(!list.text.includes(token) && !list.text.includes(tokenHash(token)));
    const [{ createdAt, ...listed } = {}] = list.json.invites as Record<string, unknown>[];
    assert.ok(Math.abs(Number(createdAt) - Date.now()) < 60_000);
    assert.deepEqual(listed, {
      id: answer.json.id,
      email: "friend@example.com",
      name: "Friend",
      revokedAt: null,
      linkExpiresAt: answer.json.linkExpiresAt,
    });
  });

  it("the link starts a guest session: 303 to the canvas, a session cookie, neither cached nor sent as a referrer", async () => {
    const { path } = await invite(site);
    const answer = await follow(path, NAVIGATES);
    assert.deepEqual([answer.status, answer.headers.location], [303, `${base}/c/${site.slug}/`]);
    assert.deepEqual(answer.headers["set-cookie"], [
      `${pairOf(answer)}; Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax`,
    ]);
    assert.equal(answer.headers["cache-control"], "private, no-store");
    assert.match(String(answer.headers["referrer-policy"]), /^(no-referrer|strict-origin)$/);
  });

  it("a guest is a viewer of their canvas, and of kind guest", async () => {
    const { id, path, email } = await invite(site, { email: freshEmail("guest"), name: "Grace" });
    const guest = await enter(path);
    assert.equal((await visit(target, site.slug, guest)).text, site.slug);
    const { status, json } = await api(guest, site);
    assert.equal(status, 200);
    const { permissions, resources, ...who } = json;
    assert.deepEqual(who, {
      id: `guest:${id}`,
      email,
      name: "Grace",
      avatarUrl: null,
      kind: "guest",
      canvasRole: "viewer",
    });
    assert.equal((permissions as Record<string, boolean>).canCreateCanvas, false);
    assert.ok(resources);
    refused(await manage(target, guest, "DELETE", `/v1/c/${site.slug}/kv/x`), 403, "PERMISSION_DENIED");
    const me = await whoAmI(base, guest.headers);
    assert.deepEqual(
      [me.json.id, me.json.isGuest, me.json.isAdmin, me.json.canPublishPublic, me.json.orgs],
      [`guest:${id}`, true, false, false, []],
    );
  });

  it("another canvas is NOT_INVITED with any access", async () => {
    const guest = await enter((await invite(site)).path);
    for (const access of ["private", "whole_org", "public_link"] as const) {
      const other = await furnished({ access });
      refused(await visit(target, other.slug, guest), 404, "NOT_INVITED");
      refused(await api(guest, other), 404, "NOT_INVITED");
    }
    refused(await visit(target, "no-such-canvas", guest), 404, "NOT_FOUND");
  });

  it("a guest passes the password, but not the expiry", async () => {
    const at = await furnished({ terms: { password: "secret-word" } });
    const guest = await enter((await invite(at)).path);
    assert.equal((await api(guest, at)).status, 200);
    await env.db.run`update canvases set expires_at = 1 where id = ${at.id}`;
    refused(await api(guest, at), 404, "SHARE_EXPIRED");
    refused(await visit(target, at.slug, guest), 404, "SHARE_EXPIRED");
  });

  for (const [method, path, body] of CLOSED) {
    it(`${method} /api${path}: 403 for a guest`, async () => {
      const guest = await enter((await invite(site)).path);
      const at = `/api${path.replace("{id}", site.id)}`;
      refused(await manage(target, guest, method, at, body), 403, "PERMISSION_DENIED");
    });
  }

  it("the dashboard redirects a guest to their canvas", async () => {
    const guest = await enter((await invite(site, { email: owner.email })).path);
    const { status, headers } = await send(base, { method: "GET", path: "/", headers: guest.headers });
    assert.deepEqual([status, headers.location], [302, env.base.canvasUrl(site.slug)]);
  });

  it("an invitation with a member's address gives no rights of that member", async () => {
    for (const member of [owner, site.people.editor]) {
      const guest = await enter((await invite(site, { email: member.email })).path);
      const { json } = await api(guest, site);
      assert.deepEqual([json.email, json.canvasRole, json.kind], [member.email, "viewer", "guest"]);
      const elsewhere = await furnished();
      refused(await api(guest, elsewhere), 404, "NOT_INVITED");
      await manage(target, owner, "PUT", `/v1/c/${site.slug}/kv/user/mine`, { of: "the owner" });
      refused(await manage(target, guest, "GET", `/v1/c/${site.slug}/kv/user/mine`), 404, "NOT_FOUND");
    }
  });

  it("an invitation with an administrator's address gives no administrator rights", async () => {
    const guest = await enter((await invite(site, { email: target.admin })).path);
    assert.equal((await whoAmI(base, guest.headers)).json.isAdmin, false);
    refused(await manage(target, guest, "GET", "/api/admin/audit"), 403, "PERMISSION_DENIED");
    const admin = await target.signIn(target.admin);
    assert.notEqual((await whoAmI(base, admin.headers)).json.id, (await whoAmI(base, guest.headers)).json.id);
  });

  it("revoking ends the link and every session of the guest, from the next request on", async () => {
    const [first, second] = [await invite(site), await invite(site)];
    const guests = [await enter(first.path), await enter(first.path)];
    const other = await enter(second.path);
    await revoke(site, first.id);
    for (const guest of guests) {
      unauthenticated(await visit(target, site.slug, guest));
      unauthenticated(await api(guest, site));
      unauthenticated(await whoAmI(base, guest.headers));
    }
    assert.equal((await api(other, site)).status, 200);
    refused(await follow(first.path), 404, "NOT_FOUND");
    const page = await follow(first.path, NAVIGATES);
    assert.equal(page.status, 404);
    assert.match(page.headers["content-type"] ?? "", /^text\/html/);
    for (const { headers } of [page, await follow(first.path)])
      assert.equal(headers["set-cookie"], undefined);
    await revoke(site, first.id);
    const { json } = await manage(target, owner, "GET", `/api/canvases/${site.id}/invites`);
    const listed = (json.invites as { id: string; revokedAt: number | null }[]).find(
      ({ id }) => id === first.id,
    );
    assert.ok(Number(listed?.revokedAt) > 0);
  });

  it("a guest session started during the revocation is invalid", async () => {
    for (let rounds = 0; rounds < 5; rounds++) {
      const { id, path } = await invite(site);
      const [, ...answers] = await Promise.all([
        revoke(site, id),
        ...Array.from({ length: 6 }, () => follow(path)),
      ]);
      for (const answer of answers) {
        assert.ok([303, 404].includes(answer.status), answer.text);
        if (answer.status === 303) {
          const late = { ...owner, headers: [jar(pairOf(answer))] };
          unauthenticated(await api(late, site));
          unauthenticated(await visit(target, site.slug, late));
        }
      }
    }
  });

  it("the link of a deleted canvas: 404", async () => {
    const at = await furnished();
    const { path } = await invite(at);
    const guest = await enter(path);
    assert.equal((await manage(target, owner, "DELETE", `/api/canvases/${at.id}`)).status, 204);
    refused(await follow(path), 404, "NOT_FOUND");
    assert.equal((await follow(path, NAVIGATES)).status, 404);
    refused(await visit(target, at.slug, guest), 404, "NOT_FOUND");
    refused(await api(guest, at), 404, "NOT_FOUND");
  });

  it("a malformed or unknown token: 404, and no session", async () => {
    const { token, id } = await invite(site);
    const count = await sessions();
    const bad = [
      "",
      "x",
      `${token}A`,
      token.slice(1),
      token.slice(0, -1),
      tokenHash(token),
      id,
      "%00",
      "..%2f..%2fapi%2fme",
      "a".repeat(10_000),
    ];
    for (const each of bad) {
      for (const headers of [[], NAVIGATES]) {
        const answer = await follow(`/auth/invite/${each}`, headers);
        assert.equal(answer.status, 404, each.slice(0, 50));
        assert.equal(answer.headers["set-cookie"], undefined);
      }
    }
    assert.equal(await sessions(), count);
  });

  it("HEAD starts no session", async () => {
    const { path } = await invite(site);
    const count = await sessions();
    const answer = await follow(path, NAVIGATES, "HEAD");
    assert.equal(answer.headers["set-cookie"], undefined);
    assert.equal(await sessions(), count);
  });

  it("a signed-in user with access keeps their session", async () => {
    const { path } = await invite(site);
    for (const person of [owner, site.people.editor, site.people.viewer]) {
      const count = await sessions();
      const answer = await follow(path, [...NAVIGATES, ...person.headers]);
      assert.deepEqual([answer.status, answer.headers.location], [303, `${base}/c/${site.slug}/`]);
      assert.equal(answer.headers["set-cookie"], undefined);
      assert.equal(await sessions(), count);
      assert.equal((await whoAmI(base, person.headers)).json.email, person.email);
    }
  });

  it("a signed-in user without access is asked for confirmation before the session ends", async () => {
    const { path, email } = await invite(site);
    const { stranger } = site.people;
    for (const headers of [[], NAVIGATES, [["Sec-Fetch-Dest", "image"] satisfies Header]]) {
      const answer = await follow(path, [...headers, ...stranger.headers]);
      assert.equal(answer.headers["set-cookie"], undefined);
      assert.notEqual(answer.status, 303);
      assert.equal((await whoAmI(base, stranger.headers)).json.email, stranger.email);
    }
    for (const header of [
      ["Sec-Fetch-Site", "same-site"],
      ["Origin", `${base}.example.com`],
      ["Referer", `${base}/c/${site.slug}/`],
    ] satisfies Header[]) {
      refused(await follow(path, [...stranger.headers, header], "POST"), 403, "CROSS_SITE_FORBIDDEN");
    }
    assert.equal((await whoAmI(base, stranger.headers)).json.email, stranger.email);
    const leaving = await target.signIn(freshEmail("leaving"));
    const question = await follow(path, [...leaving.headers, ...NAVIGATES]);
    assert.equal(question.status, 200);
    assert.match(question.text, /<form method="post"/);
    assert.doesNotMatch(question.text, /<script/);
    const answer = await follow(path, [...leaving.headers, ["Origin", base]], "POST");
    assert.equal(answer.status, 303);
    assert.equal((await whoAmI(base, [jar(pairOf(answer))])).json.email, email);
    unauthenticated(await whoAmI(base, leaving.headers));
  });

  it("a guest of another canvas is asked for confirmation, and is then a guest of the new one only", async () => {
    const other = await furnished();
    const guest = await enter((await invite(site)).path);
    const { path } = await invite(other);
    const asked = await follow(path, [...guest.headers, ...NAVIGATES]);
    assert.deepEqual([asked.status, asked.headers["set-cookie"]], [200, undefined]);
    const answer = await follow(path, [...guest.headers, ["Origin", base]], "POST");
    const next = { ...guest, headers: [jar(pairOf(answer))] };
    assert.equal((await api(next, other)).status, 200);
    refused(await api(next, site), 404, "NOT_INVITED");
    unauthenticated(await api(guest, site));
  });

  it("a guest can sign out, and signing in replaces the guest session", async () => {
    const { path } = await invite(site);
    const guest = await enter(path);
    const out = await send(base, { method: "POST", path: "/auth/logout", headers: guest.headers });
    assert.equal(out.status, 204);
    unauthenticated(await api(guest, site));
    const again = await enter(path);
    const headers: Header[] = [...again.headers, ["Content-Type", "application/json"]];
    const body = JSON.stringify({ email: freshEmail("member") });
    await send(base, { method: "POST", path: "/auth/dev/session", headers, body });
    unauthenticated(await api(again, site));
  });

  it("a guest session lasts as long as others, and is renewed by use", async () => {
    const guest = await enter((await invite(site)).path);
    const hash = tokenHash(tokenOf(guest));
    await env.db.run`update sessions set expires_at = ${Date.now() + 86_400_000} where token_hash = ${hash}`;
    const answer = await api(guest, site);
    assert.equal(answer.headers["set-cookie"]?.length, 1);
    await env.db.run`update sessions set expires_at = ${Date.now()} where token_hash = ${hash}`;
    unauthenticated(await api(guest, site));
  });

  it("only the owner invites and revokes; editors see the invitations", async () => {
    const { id } = await invite(site);
    const { editor, viewer, stranger } = site.people;
    const admin = await target.signIn(target.admin);
    const path = `/api/canvases/${site.id}/invites`;
    const body = { email: "friend@example.com" };
    for (const [person, list, status, code] of [
      [editor, 200, 403, "OWNER_ONLY"],
      [viewer, 403, 403, "PERMISSION_DENIED"],
      [stranger, 404, 404, "NOT_FOUND"],
      [admin, 404, 404, "NOT_FOUND"],
    ] as const) {
      assert.equal((await manage(target, person, "GET", path)).status, list);
      refused(await manage(target, person, "POST", path, body), status, code);
      refused(await manage(target, person, "DELETE", `${path}/${id}`), status, code);
    }
    unauthenticated(await manage(target, null, "POST", path, body));
  });

  it("revoking an invitation of another canvas or an unknown one: 404", async () => {
    const other = await furnished();
    const { id } = await invite(other);
    const guest = await enter((await invite(other)).path);
    for (const each of [id, "none", "%00", "%27%20or%201=1", "a".repeat(5000)]) {
      const path = `/api/canvases/${site.id}/invites/${each}`;
      refused(await manage(target, owner, "DELETE", path), 404, "NOT_FOUND");
    }
    assert.equal((await api(guest, other)).status, 200);
  });

  for (const [name, body] of BAD_BODIES) {
    it(`an invitation with ${name}: 400 INVALID_BODY`, async () => {
      const count = () => env.db.get`select count(*) as invites from invites`;
      const asItWas = await count();
      const path = `/api/canvases/${site.id}/invites`;
      refused(await manage(target, owner, "POST", path, body), 400, "INVALID_BODY");
      assert.deepEqual(await count(), asItWas);
    });
  }

  it("a disabled canvas: inviting and revoking are 409, and its guests are refused", async () => {
    const at = await furnished();
    const { id, path } = await invite(at);
    const guest = await enter(path);
    await env.db.run`update canvases set disabled_at = 1 where id = ${at.id}`;
    const invites = `/api/canvases/${at.id}/invites`;
    refused(await manage(target, owner, "POST", invites, { email: "a@example.com" }), 409, "DISABLED");
    refused(await manage(target, owner, "DELETE", `${invites}/${id}`), 409, "DISABLED");
    refused(await api(guest, at), 403, "DISABLED");
  });

  it("guests keep access when the owner or the sharing settings change", async () => {
    const at = await furnished();
    const guest = await enter((await invite(at)).path);
    await share(target, at, "private", { editor: "editor" });
    const { editor } = at.people;
    const given = await manage(target, owner, "PUT", `/api/canvases/${at.id}/owner`, { email: editor.email });
    assert.equal(given.status, 200, given.text);
    assert.equal((await api(guest, at)).status, 200);
    const { json } = await manage(target, editor, "GET", `/api/canvases/${at.id}/invites`);
    assert.equal((json.invites as unknown[]).length, 1);
  });
});

test("in subdomain mode a guest can open the host of the canvas until revoked", async (t) => {
  const { target } = await startDev(t, { SERVICE_URL_MODE: "subdomain" });
  const site = await stage(target);
  await publish(target, site, { "index.html": "home" });
  const invites = `/api/canvases/${site.id}/invites`;
  const { json } = await manage(target, site.people.owner, "POST", invites, { email: "guest@example.com" });
  const url = new URL(String(json.url));
  assert.equal(url.origin, target.base);
  const answer = await send(target.base, { method: "GET", path: url.pathname });
  assert.equal(answer.headers.location, `${target.base.replace("://", `://${site.slug}.`)}/`);
  const session = jar(pairOf(answer));
  const way = new HandOver(target.base);
  const content = jar(await way.through(site.slug, [session]));
  assert.equal((await way.at(site.slug, "/", [content])).text, "home");
  const me = () => send(target.base, { method: "GET", path: `/v1/c/${site.slug}/me`, headers: [session] });
  assert.equal((await me()).status, 200);
  await manage(target, site.people.owner, "DELETE", `${invites}/${json.id}`);
  unauthenticated(await way.at(site.slug, "/", [content]));
  unauthenticated(await me());
});

test("invitation links are limited per minute and address: 429", async (t) => {
  const limits = { SERVICE_RATELIMIT_ENABLED: "on", SERVICE_RATELIMIT_LOGIN_PER_MIN: "3" };
  const { target } = await startDev(t, limits);
  const path = `/auth/invite/${"A".repeat(43)}`;
  for (const status of [404, 404, 404, 429, 429]) {
    assert.equal((await send(target.base, { method: "GET", path })).status, status);
  }
});
