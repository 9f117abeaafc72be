import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { tokenHash } from "../../src/crypto/ids.ts";
import { cookieOf, post, signIn, tokenOf, whoAmI } from "../support/client.ts";
import { onSqlite } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { tamper } from "../support/tamper.ts";
import { DAY_MS, MINUTE_MS, SECOND } from "../support/time.ts";
import { answersIn, wire } from "../support/wire.ts";

const LIFETIME = 14 * DAY_MS;

/** The time that a session has left when it is used, and whether the use extends it. */
const ROLLING: [name: string, left: number, moves: boolean][] = [
  ["fourteen days left", LIFETIME, false],
  ["a little more than thirteen days left", 13 * DAY_MS + MINUTE_MS, false],
  ["a little less than thirteen days left", 13 * DAY_MS - SECOND, true],
  ["one day left", DAY_MS, true],
  ["half a minute left", 30 * SECOND, true],
];

/** Requests with a session cookie, and whether the response may set the cookie again. */
const USES: [method: string, path: string, carries: boolean][] = [
  ["GET", "/api/me", true],
  ["HEAD", "/api/me", true],
  ["GET", "/api/none", true],
  ["GET", "/", true],
  ["GET", "/c/{slug}/", true],
  ["GET", "/c/{slug}/none", true],
  ["GET", "/v1/c/{slug}/me", true],
  ["GET", "/v1/c/{slug}/kv/none", true],
  ["GET", "/sdk/v1.js", false],
  ["HEAD", "/sdk/v1.js", false],
  ["GET", "/healthz", false],
  ["GET", "/auth/login", false],
];

await onSqlite("the cookie of a session", (target, env) => {
  const { base } = target;
  let site: Stage;
  before(async () => {
    site = await stage(target, { access: "whole_org" });
    await publish(target, site, { "index.html": "home" });
  });

  const cookie = (token: string, maxAge = LIFETIME) =>
    `easel_session=${token}; Max-Age=${maxAge / SECOND}; Path=/; HttpOnly; SameSite=Lax`;
  const as = (...tokens: string[]): Header[] => [
    ["Cookie", tokens.map((token) => `easel_session=${token}`).join("; ")],
  ];
  const given = (answer: Answer) => String(cookieOf(answer)[1]).replace("easel_session=", "");
  const endOf = async (person: Person) =>
    (
      await env.db.get<{ expires_at: number }>`
        select expires_at from sessions where token_hash = ${tokenHash(tokenOf(person))}`
    )?.expires_at ?? 0;
  async function personWith(left: number): Promise<Person> {
    const person = await target.signIn(freshEmail("rolling"));
    await env.db.run`
      update sessions set expires_at = ${Date.now() + left} where token_hash = ${tokenHash(tokenOf(person))}`;
    return person;
  }

  for (const [name, left, moves] of ROLLING) {
    it(`${name}: the expiry ${moves ? "is extended, and the cookie set again" : "stays, and no cookie is set"}`, async () => {
      const person = await personWith(left);
      const [from, end] = [Date.now(), await endOf(person)];
      const answer = await whoAmI(base, person.headers);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.headers["set-cookie"], moves ? [cookie(tokenOf(person))] : undefined);
      const now = await endOf(person);
      if (moves) assert.ok(now >= from + LIFETIME && now <= Date.now() + LIFETIME);
      else assert.equal(now, end);
      assert.equal((await whoAmI(base, person.headers)).headers["set-cookie"], undefined, "once is enough");
    });
  }

  for (const [method, path, carries] of USES) {
    it(`${method} ${path}: ${carries ? "renews the cookie" : "never sets a cookie"}`, async () => {
      const person = await personWith(DAY_MS);
      const at = path.replace("{slug}", site.slug);
      const answer = await send(base, { method, path: at, headers: person.headers });
      assert.ok(answer.status < 500, answer.text);
      assert.deepEqual(answer.headers["set-cookie"], carries ? [cookie(tokenOf(person))] : undefined);
      assert.equal((await endOf(person)) > Date.now() + 2 * DAY_MS, carries);
    });
  }

  it("an expired session is not renewed by use", async () => {
    const person = await personWith(0);
    for (let uses = 0; uses < 3; uses++) {
      const answer = await whoAmI(base, person.headers);
      unauthenticated(answer);
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  });

  it("concurrent uses renew it, each with the same token", async () => {
    const person = await personWith(DAY_MS);
    const answers = await Promise.all(Array.from({ length: 20 }, () => whoAmI(base, person.headers)));
    for (const { status, headers } of answers) {
      assert.equal(status, 200);
      for (const line of headers["set-cookie"] ?? []) assert.equal(line, cookie(tokenOf(person)));
    }
    assert.ok((await endOf(person)) > Date.now() + 13 * DAY_MS);
  });

  it("signing in ends the browser's former session, by JSON and by form", async () => {
    const email = freshEmail("rotating");
    const first = await signIn(base, { email });
    const second = await post(
      base,
      "/auth/dev/session",
      [cookieOf(first), ["Content-Type", "application/json"]],
      JSON.stringify({ email: freshEmail("next") }),
    );
    assert.equal(second.status, 204);
    unauthenticated(await whoAmI(base, as(given(first))));
    const form: Header = ["Content-Type", "application/x-www-form-urlencoded"];
    const third = await post(base, "/auth/login", [cookieOf(second), form], `email=${email}`);
    assert.equal(third.status, 303);
    unauthenticated(await whoAmI(base, as(given(second))));
    assert.equal((await whoAmI(base, as(given(third)))).json.email, email);
    assert.equal(new Set([first, second, third].map(given)).size, 3);
  });

  it("a failed sign-in ends no session", async () => {
    const person = await target.signIn(freshEmail("failing"));
    const headers: Header[] = [...person.headers, ["Content-Type", "application/json"]];
    const answer = await post(base, "/auth/dev/session", headers, '{"email":"nobody"}');
    refused(answer, 400, "INVALID_BODY");
    assert.equal((await whoAmI(base, person.headers)).status, 200);
  });

  it("a token made up by the client is never adopted", async () => {
    const invented = "fixed-".padEnd(43, "A");
    for (const headers of [as(invented), as(invented, invented), as(invented, "x")]) {
      const answer = await post(
        base,
        "/auth/dev/session",
        [...headers, ["Content-Type", "application/json"]],
        JSON.stringify({ email: "victim@example.com" }),
      );
      assert.equal(answer.status, 204);
      assert.match(given(answer), /^[\w-]{43}$/);
      assert.notEqual(given(answer), invented);
      unauthenticated(await whoAmI(base, headers));
    }
  });

  it("only the hash of a token is stored", async () => {
    const token = tokenOf(await target.signIn(freshEmail("hashed")));
    const rows = await env.db.all`select * from sessions`;
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(token));
  });

  it("the list: the user's sessions, newest first, without tokens", async () => {
    const email = freshEmail("listed");
    const agents = ["First/1.0", "", "a".repeat(400)];
    const answers: Answer[] = [];
    for (const agent of agents) {
      const headers: Header[] = [["Content-Type", "application/json"]];
      if (agent !== "") headers.push(["User-Agent", agent]);
      answers.push(await post(base, "/auth/dev/session", headers, JSON.stringify({ email })));
    }
    const tokens = answers.map(given);
    const { status, json, text, headers } = await send(base, {
      method: "GET",
      path: "/api/sessions",
      headers: as(tokens[0] ?? ""),
    });
    assert.deepEqual([status, headers["cache-control"]], [200, "private, no-store"]);
    const listed = json.sessions as Record<string, unknown>[];
    assert.deepEqual(
      listed.map(({ userAgent, current, address }) => [userAgent, current, address]),
      [
        ["a".repeat(300), false, "127.0.0.1"],
        ["", false, "127.0.0.1"],
        ["First/1.0", true, "127.0.0.1"],
      ],
    );
    for (const each of listed) {
      assert.deepEqual(
        Object.keys(each).sort(),
        ["address", "createdAt", "current", "expiresAt", "id", "userAgent"].sort(),
      );
      assert.equal(Number(each.expiresAt) - Number(each.createdAt), LIFETIME);
    }
    for (const token of tokens) assert.ok(!text.includes(token) && !text.includes(tokenHash(token)));
  });

  it("expired sessions are not in the list", async () => {
    const person = await target.signIn(freshEmail("ended"));
    const [out, late] = [await target.signIn(person.email), await target.signIn(person.email)];
    await post(base, "/auth/logout", out.headers, "");
    await env.db.run`
      update sessions set expires_at = ${Date.now()} where token_hash = ${tokenHash(tokenOf(late))}`;
    const { json } = await manage(target, person, "GET", "/api/sessions");
    assert.equal((json.sessions as unknown[]).length, 1);
  });

  it("a session revoked from another one is invalid from its next request on: page, API and management", async () => {
    const { viewer } = site.people;
    const other = await target.signIn(viewer.email);
    const { json } = await manage(target, other, "GET", "/api/sessions");
    const { id } = (json.sessions as { id: string; current: boolean }[]).find((each) => each.current) ?? {};
    assert.equal((await visit(target, site.slug, other)).status, 200);
    assert.equal((await manage(target, viewer, "DELETE", `/api/sessions/${id}`)).status, 204);
    unauthenticated(await visit(target, site.slug, other));
    unauthenticated(await manage(target, other, "GET", `/v1/c/${site.slug}/me`));
    unauthenticated(await whoAmI(base, other.headers));
    refused(await manage(target, viewer, "DELETE", `/api/sessions/${id}`), 404, "NOT_FOUND");
    assert.equal((await whoAmI(base, viewer.headers)).status, 200);
  });

  it("all others end at once: page, API and management; those of this request and of other people go on", async () => {
    const { owner, viewer } = site.people;
    const [one, two] = [await target.signIn(viewer.email), await target.signIn(viewer.email)];
    assert.equal((await visit(target, site.slug, one)).status, 200);
    assert.equal((await manage(target, two, "DELETE", "/api/sessions")).status, 204);
    for (const ended of [viewer, one]) {
      unauthenticated(await visit(target, site.slug, ended));
      unauthenticated(await manage(target, ended, "GET", `/v1/c/${site.slug}/me`));
      unauthenticated(await whoAmI(base, ended.headers));
    }
    for (const kept of [two, owner]) assert.equal((await whoAmI(base, kept.headers)).status, 200);
    const { json } = await manage(target, two, "GET", "/api/sessions");
    assert.equal((json.sessions as unknown[]).length, 1);
    assert.equal((await manage(target, two, "DELETE", "/api/sessions")).status, 204);
    site.people.viewer = two;
  });

  it("a session can revoke itself", async () => {
    const person = await target.signIn(freshEmail("self"));
    const { json } = await manage(target, person, "GET", "/api/sessions");
    const [{ id } = { id: "" }] = json.sessions as { id: string }[];
    assert.equal((await manage(target, person, "DELETE", `/api/sessions/${id}`)).status, 204);
    unauthenticated(await whoAmI(base, person.headers));
  });

  it("another user's session, or an unknown one: 404 NOT_FOUND, and nothing is revoked", async () => {
    const { owner, viewer } = site.people;
    const { json } = await manage(target, viewer, "GET", "/api/sessions");
    const ids = (json.sessions as { id: string }[]).map(({ id }) => id);
    for (const id of [...ids, "none", "%00", "%27", "%25", "a".repeat(5000), tokenHash(tokenOf(viewer))]) {
      refused(await manage(target, owner, "DELETE", `/api/sessions/${id}`), 404, "NOT_FOUND");
    }
    assert.equal((await whoAmI(base, viewer.headers)).status, 200);
  });

  it("requests of other pages revoke no session", async () => {
    const { viewer } = site.people;
    const { json } = await manage(target, viewer, "GET", "/api/sessions");
    const [{ id } = { id: "" }] = json.sessions as { id: string }[];
    for (const header of [
      ["Sec-Fetch-Site", "same-site"],
      ["Origin", "https://example.com"],
      ["Referer", `${base}/c/${site.slug}/`],
    ] satisfies Header[]) {
      const headers = [...viewer.headers, header];
      const answer = await send(base, { method: "DELETE", path: `/api/sessions/${id}`, headers });
      refused(answer, 403, "CROSS_SITE_FORBIDDEN");
    }
    assert.equal((await whoAmI(base, viewer.headers)).status, 200);
  });

  it("sessions of a deactivated user are invalid and not renewed", async () => {
    const person = await personWith(DAY_MS);
    await env.db.run`update users set deactivated_at = ${Date.now()} where email = ${person.email}`;
    const answers = [
      await whoAmI(base, person.headers),
      await visit(target, site.slug, person),
      await manage(target, person, "GET", `/v1/c/${site.slug}/me`),
    ];
    for (const answer of answers) {
      unauthenticated(answer);
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  });

  it("signing out with two cookies ends both sessions", async () => {
    const [one, two] = [await target.signIn(freshEmail("one")), await target.signIn(freshEmail("two"))];
    unauthenticated(await whoAmI(base, as(tokenOf(one), tokenOf(two))));
    const answer = await post(base, "/auth/logout", as(tokenOf(one), "x", tokenOf(two)), "");
    assert.equal(answer.status, 204);
    assert.deepEqual(answer.headers["set-cookie"], [cookie("", 0)]);
    for (const person of [one, two]) unauthenticated(await whoAmI(base, person.headers));
  });

  it("requests of other pages sign no one out", async () => {
    const { viewer } = site.people;
    for (const header of [
      ["Sec-Fetch-Site", "cross-site"],
      ["Sec-Fetch-Site", "same-site"],
      ["Origin", "null"],
      ["Referer", `${base}/c/${site.slug}/`],
    ] satisfies Header[]) {
      const answer = await post(base, "/auth/logout", [...viewer.headers, header], "");
      refused(answer, 403, "CROSS_SITE_FORBIDDEN");
      assert.equal(answer.headers["set-cookie"], undefined);
    }
    assert.equal((await whoAmI(base, viewer.headers)).status, 200);
  });

  it("a changed token is invalid", async () => {
    const token = tokenOf(await target.signIn(freshEmail("tampered")));
    await tamper(token, async (changed) => unauthenticated(await whoAmI(base, as(changed))));
    assert.equal((await whoAmI(base, as(token))).status, 200);
  });

  it("two hundred other cookies do not interfere", async () => {
    const token = tokenOf(await target.signIn(freshEmail("jar")));
    const others = Array.from({ length: 200 }, (_, index) => `c${index}=${"v".repeat(50)}`);
    for (const jar of [
      [`easel_session=${token}`, ...others],
      [...others, `easel_session=${token}`],
    ]) {
      assert.equal((await whoAmI(base, [["Cookie", jar.join("; ")]])).status, 200);
    }
    const shadows = others.map((_, index) => `easel_session=${String(index).padStart(43, "A")}`);
    unauthenticated(await whoAmI(base, [["Cookie", [`easel_session=${token}`, ...shadows].join("; ")]]));
    const out = await post(base, "/auth/logout", [["Cookie", shadows.join("; ")]], "");
    assert.equal(out.status, 204);
    assert.equal((await whoAmI(base, as(token))).status, 200);
  });

  for (const size of [15_000, 16_000, 17_000, 65_536, 300_000]) {
    it(`a Cookie header of ${size} bytes: 401 or 431, and the service keeps running`, async () => {
      const { host } = new URL(base);
      const jar = "easel_session=".padEnd(size, "c");
      const request = `GET /api/me HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nCookie: ${jar}\r\n\r\n`;
      // A connection that is closed in the middle of a header may be reset before its response is read.
      const [answer] = answersIn(await wire(base, request).catch(() => ""));
      if (answer !== undefined) assert.ok([401, 431].includes(answer.status), String(answer.status));
      assert.equal((await send(base, { method: "GET", path: "/healthz" })).status, 200);
    });
  }
});
