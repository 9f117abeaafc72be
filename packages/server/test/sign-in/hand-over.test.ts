import assert from "node:assert/strict";
import { before, it, test } from "node:test";
import { manage, type Stage, share, stage } from "@easel/conformance/fixture";
import { guestOf, revoke } from "@easel/conformance/guest";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { tokenHash } from "../../src/crypto/ids.ts";
import { post, tokenOf, whoAmI } from "../support/client.ts";
import { onSqlite, startDev } from "../support/engines.ts";
import { HTTPS, startOnHttps } from "../support/https.ts";
import { publish } from "../support/publish.ts";
import { DAY_MS, HOUR_MS, later, MINUTE_MS, SECOND, still } from "../support/time.ts";
import { HandOver, jar, NAVIGATES, pairOf } from "./hand-over.ts";

const FORTNIGHT = 14 * DAY_MS;

/** Events that end a session, and thereby make the cookies of all canvas hosts invalid. */
const ENDINGS: [name: string, end: (at: { person: Person; base: string; db: Db }) => Promise<unknown>][] = [
  ["signing out", ({ person, base }) => post(base, "/auth/logout", person.headers, "")],
  [
    "revoking the session",
    async ({ person, base }) => {
      const headers = person.headers;
      const { json } = await send(base, { method: "GET", path: "/api/sessions", headers });
      const [{ id } = { id: "" }] = json.sessions as { id: string }[];
      return send(base, { method: "DELETE", path: `/api/sessions/${id}`, headers });
    },
  ],
  [
    "deactivation",
    ({ person, db }) => db.run`update users set deactivated_at = 1 where email = ${person.email}`,
  ],
  [
    "the end of the session's time",
    ({ person, db }) =>
      db.run`update sessions set expires_at = 1 where token_hash = ${tokenHash(tokenOf(person))}`,
  ],
  [
    "signing in as someone else",
    ({ person, base }) =>
      post(
        base,
        "/auth/dev/session",
        [...person.headers, ["Content-Type", "application/json"]],
        '{"email":"someone-else@example.com"}',
      ),
  ],
];
type Db = Parameters<Parameters<typeof onSqlite>[1]>[1]["db"];

await onSqlite(
  "the hand-over to the host of a canvas",
  (target, env) => {
    const { base } = target;
    const way = new HandOver(base);
    let site: Stage;
    let other: Stage;
    before(async () => {
      site = await stage(target);
      other = await stage(target, { people: site.people });
      for (const each of [site, other])
        await publish(target, each, { "index.html": each.slug, "a b.txt": "b" });
    });
    const canvasOrigin = (slug = site.slug) => base.replace("://", `://${slug}.`);
    const shows = async (slug: string, ...pairs: string[]) => {
      const answer = await way.at(slug, "/", [jar(...pairs)]);
      assert.deepEqual([answer.status, answer.text], [200, slug]);
    };
    const shut = async (slug: string, ...pairs: string[]) => {
      const headers = pairs.length > 0 ? [jar(...pairs)] : [];
      unauthenticated(await way.at(slug, "/", headers));
      const page = await way.at(slug, "/", [...NAVIGATES, ...headers]);
      assert.equal(page.status, 302);
      assert.ok(page.headers.location?.startsWith(`${base}/auth/canvas?`));
    };
    /** Asserts that a code is refused: 400, no cookie, and nothing is cached. */
    const notTaken = (answer: Answer) => {
      assert.equal(answer.status, 400, answer.text.slice(0, 300));
      assert.equal(answer.headers["set-cookie"], undefined);
      assert.equal(answer.headers["cache-control"], "private, no-store");
    };

    it("step by step: challenge, code, cookie, page", async () => {
      const { headers } = site.people.viewer;
      const begun = await way.begin(site.slug, "/a%20b.txt?c=d&e=%2F");
      assert.equal(begun.url.origin + begun.url.pathname, `${base}/auth/canvas`);
      const secret = begun.secret.replace("easel_entering=", "");
      assert.match(secret, /^[\w-]{43}$/);
      assert.deepEqual(Object.fromEntries(begun.url.searchParams), {
        slug: site.slug,
        to: "/a%20b.txt?c=d&e=%2F",
        challenge: tokenHash(secret),
      });
      assert.deepEqual(begun.answer.headers["set-cookie"], [
        `easel_entering=${secret}; Max-Age=3600; Path=/; HttpOnly; SameSite=Lax`,
      ]);

      const passed = await way.pass(begun.url, headers);
      assert.equal(passed.url.origin + passed.url.pathname, `${canvasOrigin()}/__enter`);
      assert.match(passed.code, /^[\w-]{43}$/);
      assert.deepEqual([...passed.url.searchParams.keys()], ["code", "to"]);
      assert.equal(passed.answer.headers["set-cookie"], undefined);

      const entered = await way.enter(site.slug, passed.url, begun.secret);
      assert.deepEqual([entered.status, entered.headers.location], [303, "/a%20b.txt?c=d&e=%2F"]);
      const value = pairOf(entered);
      assert.deepEqual(entered.headers["set-cookie"], [
        `${value}; Max-Age=${FORTNIGHT / SECOND}; Path=/; HttpOnly; SameSite=Lax`,
      ]);
      assert.match(value, /^easel_content=/);

      const page = await way.at(site.slug, "/a%20b.txt", [jar(value)]);
      assert.deepEqual([page.status, page.text], [200, "b"]);
      for (const { headers } of [begun.answer, passed.answer, entered]) {
        assert.equal(headers["cache-control"], "private, no-store");
        for (const hidden of [tokenOf(site.people.viewer), secret, value.split("=")[1] ?? ""])
          assert.ok(!headers.location?.includes(hidden));
      }
    });

    it("neither code nor secret is stored", async () => {
      const begun = await way.begin(site.slug);
      const { code } = await way.pass(begun.url, site.people.viewer.headers);
      const rows = JSON.stringify(await env.db.all`select * from handovers`);
      assert.ok(rows.includes(tokenHash(code)));
      assert.ok(!rows.includes(code) && !rows.includes(begun.secret.split("=")[1] ?? ""));
    });

    it("an anonymous browser signs in first and returns to the same page", async () => {
      const begun = await way.begin(site.slug, "/a%20b.txt");
      const path = begun.url.pathname + begun.url.search;
      const login = await send(base, { method: "GET", path, headers: NAVIGATES });
      assert.equal(login.status, 302);
      const back = new URL(String(login.headers.location), base).searchParams.get("returnTo") ?? "";
      const form = new URLSearchParams({ email: site.people.viewer.email, returnTo: back }).toString();
      const type: Header = ["Content-Type", "application/x-www-form-urlencoded"];
      const signedIn = await post(base, "/auth/login", [type], form);
      assert.deepEqual([signedIn.status, signedIn.headers.location], [303, path]);
      const passed = await way.pass(begun.url, [jar(pairOf(signedIn))]);
      const entered = await way.enter(site.slug, passed.url, begun.secret);
      assert.deepEqual([entered.status, entered.headers.location], [303, "/a%20b.txt"]);
      unauthenticated(await send(base, { method: "GET", path }));
    });

    it("a client without cookies gets 400, and no cookie is set", async () => {
      for (const accept of ["*/*", "application/json", "image/png"]) {
        const answer = await way.at(site.slug, "/", [["Accept", accept]]);
        unauthenticated(answer);
        assert.equal(answer.headers["set-cookie"], undefined);
      }
    });

    it("a code works once", async () => {
      const begun = await way.begin(site.slug);
      const { url } = await way.pass(begun.url, site.people.viewer.headers);
      assert.equal((await way.enter(site.slug, url, begun.secret)).status, 303);
      for (let tries = 0; tries < 3; tries++) notTaken(await way.enter(site.slug, url, begun.secret));
    });

    it("concurrent uses of one code: exactly one succeeds", async () => {
      for (let rounds = 0; rounds < 5; rounds++) {
        const begun = await way.begin(site.slug);
        const { url } = await way.pass(begun.url, site.people.viewer.headers);
        const tries = Array.from({ length: 12 }, () => way.enter(site.slug, url, begun.secret));
        const statuses = (await Promise.all(tries)).map(({ status }) => status);
        assert.deepEqual(statuses.toSorted(), [303, ...Array(11).fill(400)]);
      }
    });

    for (const [after, good] of [
      [59 * SECOND, true],
      [MINUTE_MS, false],
      [HOUR_MS, false],
    ] as const) {
      it(`a code is ${good ? "still valid" : "expired"} after ${after / SECOND} seconds`, async () => {
        const answer = await still(env, async () => {
          const begun = await way.begin(site.slug);
          const { url } = await way.pass(begun.url, site.people.viewer.headers);
          return later(env, after, () => way.enter(site.slug, url, begun.secret));
        });
        if (good) assert.equal(answer.status, 303, answer.text);
        else notTaken(answer);
      });
    }

    it("a code is valid on the host of its canvas only", async () => {
      const begun = await way.begin(site.slug);
      const { url } = await way.pass(begun.url, site.people.viewer.headers);
      notTaken(await way.enter(other.slug, url, begun.secret));
      assert.equal((await way.enter(site.slug, url, begun.secret)).status, 303, "and is not spent elsewhere");
    });

    it("a code is valid only in the browser that started, so that no one is signed in as someone else", async () => {
      const [mine, theirs] = [await way.begin(site.slug), await way.begin(site.slug)];
      const attacker = await way.pass(theirs.url, site.people.editor.headers);
      const challenge = mine.url.searchParams.get("challenge") ?? "";
      notTaken(await way.enter(site.slug, attacker.url));
      for (const pairs of [
        [mine.secret],
        ["easel_entering="],
        ["easel_entering=x"],
        [`easel_entering=${challenge}`],
        [`easel_entering=${theirs.url.searchParams.get("challenge")}`],
        [`easel_entering=${attacker.code}`],
        [`easel_entered=${theirs.secret.split("=")[1]}`],
        [`__Host-${theirs.secret}`],
        [mine.secret, `easel_session=${tokenOf(site.people.editor)}`],
      ]) {
        notTaken(await way.enter(site.slug, attacker.url, ...pairs));
      }
    });

    it("a malformed code is refused", async () => {
      const { secret } = await way.begin(site.slug);
      for (const code of ["", "x", "A".repeat(43), "A".repeat(44), "%00".repeat(43), "A".repeat(10_000)]) {
        notTaken(await way.at(site.slug, `/__enter?to=/&code=${code}`, [...NAVIGATES, jar(secret)]));
      }
      notTaken(await way.at(site.slug, "/__enter", [...NAVIGATES, jar(secret)]));
    });

    it("a refused code is JSON for other clients, and for a browser a page that links to the canvas", async () => {
      const { secret } = await way.begin(site.slug);
      refused(await way.at(site.slug, "/__enter?code=x", [jar(secret)]), 400, "INVALID_BODY");
      const page = await way.at(site.slug, "/__enter?code=x", [...NAVIGATES, jar(secret)]);
      assert.match(page.headers["content-type"] ?? "", /^text\/html/);
      assert.ok(page.text.includes(`href="${canvasOrigin()}/"`));
    });

    it("HEAD neither creates nor uses a code", async () => {
      const begun = await way.begin(site.slug);
      const count = () => env.db.get`select count(*) as codes from handovers`;
      const asItWas = await count();
      await send(base, {
        method: "HEAD",
        path: begun.url.pathname + begun.url.search,
        headers: site.people.viewer.headers,
      });
      assert.deepEqual(await count(), asItWas);
      const { url } = await way.pass(begun.url, site.people.viewer.headers);
      const head = await way.at(
        site.slug,
        `/__enter${url.search}`,
        [...NAVIGATES, jar(begun.secret)],
        "HEAD",
      );
      assert.doesNotMatch(String(head.headers["set-cookie"]), /easel_content/);
      assert.equal((await way.enter(site.slug, url, begun.secret)).status, 303);
    });

    it("an existing secret of the browser is kept, so that two tabs succeed", async () => {
      const first = await way.begin(site.slug);
      const second = await way.begin(site.slug, "/a%20b.txt", [jar(first.secret)]);
      assert.equal(second.secret, first.secret);
      for (const { url } of [first, second]) {
        const passed = await way.pass(url, site.people.viewer.headers);
        assert.equal((await way.enter(site.slug, passed.url, first.secret)).status, 303);
      }
    });

    it("a malformed secret is replaced", async () => {
      for (const bad of ["", "x", "A".repeat(44), "<script>"]) {
        const { secret } = await way.begin(site.slug, "/", [jar(`easel_entering=${bad}`)]);
        assert.match(secret, /^easel_entering=[\w-]{43}$/);
      }
    });

    for (const [name, end] of ENDINGS) {
      it(`${name} ends the canvas session on the next request`, async () => {
        const person = await target.signIn(freshEmail("leaving"));
        await env.db.run`
          insert into canvas_people (canvas_id, email, role) values (${site.id}, ${person.email}, ${"viewer"})`;
        const cookie = await way.through(site.slug, person.headers);
        await shows(site.slug, cookie);
        await end({ person, base, db: env.db });
        await shut(site.slug, cookie);
      });
    }

    it("a code is invalid once its session has ended", async () => {
      const person = await target.signIn(freshEmail("ended"));
      const begun = await way.begin(site.slug);
      const { url } = await way.pass(begun.url, person.headers);
      await post(base, "/auth/logout", person.headers, "");
      const answer = await way.enter(site.slug, url, begun.secret);
      if (answer.status === 303) await shut(site.slug, pairOf(answer));
      else notTaken(answer);
    });

    it("a user removed from the list is refused on the next request, but still signed in", async () => {
      const cookie = await way.through(site.slug, site.people.stranger.headers);
      refused(await way.at(site.slug, "/", [jar(cookie)]), 404, "OWNER_ONLY");
      await share(target, site, "private", { editor: "editor", viewer: "viewer", stranger: "viewer" });
      await shows(site.slug, cookie);
      await share(target, site, "private", { editor: "editor", viewer: "viewer" });
      refused(await way.at(site.slug, "/", [jar(cookie)]), 404, "OWNER_ONLY");
    });

    it("a navigation with a cookie older than a day goes through the base host again, subresources do not", async () => {
      const cookie = await way.through(site.slug, site.people.viewer.headers);
      const page = (headers: Header[]) => way.at(site.slug, "/", [...headers, jar(cookie)]);
      assert.equal((await later(env, DAY_MS - MINUTE_MS, () => page(NAVIGATES))).status, 200);
      await later(env, DAY_MS + MINUTE_MS, async () => {
        assert.equal((await page(NAVIGATES)).status, 302);
        assert.equal((await page([["Sec-Fetch-Mode", "no-cors"]])).status, 200);
        const renewed = await way.through(site.slug, site.people.viewer.headers);
        assert.notEqual(renewed, cookie);
        const again = await way.at(site.slug, "/", [...NAVIGATES, jar(renewed)]);
        assert.equal(again.status, 200);
      });
    });

    it("guests are handed over too, until the invitation is revoked", async () => {
      const guest = await guestOf(target, site);
      const cookie = await way.through(site.slug, guest.headers);
      await shows(site.slug, cookie);
      const elsewhere = await way.through(other.slug, guest.headers);
      refused(await way.at(other.slug, "/", [jar(elsewhere)]), 404, "NOT_INVITED");
      await revoke(target, site, guest);
      await shut(site.slug, cookie);
    });

    it("a Public link needs no hand-over and sets no cookie; signed-in callers stay signed in", async () => {
      const link = await stage(target, { people: site.people, access: "public_link" });
      await publish(target, link, { "index.html": link.slug });
      for (const headers of [[], NAVIGATES, [jar("easel_content=x", "easel_entering=y")]]) {
        const answer = await way.at(link.slug, "/", headers);
        assert.deepEqual([answer.status, answer.text], [200, link.slug]);
        assert.ok(!/easel_/.test(String(answer.headers["set-cookie"])));
      }
    });
  },
  { SERVICE_URL_MODE: "subdomain" },
);

test("on https every cookie is `__Host-` and `Secure`, and one without the prefix is ignored", async (t) => {
  const { target, env } = await startOnHttps(t, { SERVICE_URL_MODE: "subdomain" });
  const way = new HandOver(target.base, new URL(HTTPS).host);
  const site = await stage(target);
  await publish(target, site, { "index.html": "home" });
  // Behind a proxy, its headers identify everyone but guests, who have a session.
  const opened = await way.at(site.slug, "/", [...NAVIGATES, ...site.people.viewer.headers]);
  assert.deepEqual([opened.status, opened.text, opened.headers["set-cookie"]], [200, "home", undefined]);
  const invited = await manage(target, site.people.owner, "POST", `/api/canvases/${site.id}/invites`, {
    email: "guest@example.com",
  });
  const link = new URL(String(invited.json.url));
  assert.equal(link.origin, HTTPS);
  const welcome = await send(target.base, { method: "GET", path: link.pathname });
  const session = pairOf(welcome);
  const days = 14 * 24 * 3600;
  const attributes = (seconds: number) => `Max-Age=${seconds}; Path=/; HttpOnly; Secure; SameSite=Lax`;
  assert.match(session, /^__Host-easel_session=[\w-]{43}$/);
  assert.deepEqual(welcome.headers["set-cookie"], [`${session}; ${attributes(days)}`]);

  const begun = await way.begin(site.slug);
  assert.equal(begun.url.origin, HTTPS);
  assert.match(begun.secret, /^__Host-easel_entering=[\w-]{43}$/);
  assert.deepEqual(begun.answer.headers["set-cookie"], [`${begun.secret}; ${attributes(3600)}`]);
  const passed = await way.pass(begun.url, [jar(session)]);
  assert.equal(passed.url.origin, HTTPS.replace("://", `://${site.slug}.`));
  const plain = (pair: string) => pair.replace("__Host-", "");
  assert.equal((await way.enter(site.slug, passed.url, plain(begun.secret))).status, 400);
  const entered = await way.enter(site.slug, passed.url, begun.secret);
  const content = pairOf(entered);
  assert.match(content, /^__Host-easel_content=/);
  assert.deepEqual(entered.headers["set-cookie"], [`${content}; ${attributes(days)}`]);

  assert.equal((await way.at(site.slug, "/", [jar(content)])).text, "home");
  unauthenticated(await way.at(site.slug, "/", [jar(plain(content))]));
  unauthenticated(await whoAmI(target.base, [jar(plain(session))]));
  assert.deepEqual(await env.db.all`select * from handovers`, []);
});

test("hand-overs are limited per minute and session: 429", async (t) => {
  const { target } = await startDev(t, { SERVICE_URL_MODE: "subdomain", SERVICE_RATELIMIT_ENABLED: "on" });
  const [person, other] = [await target.signIn("many@example.com"), await target.signIn("few@example.com")];
  const path = `/auth/canvas?slug=guestbook&challenge=${tokenHash("a secret")}`;
  const ask = ({ headers }: Person) => send(target.base, { method: "GET", path, headers });
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(person)));
  for (const { status } of answers) assert.equal(status, 303);
  const answer = await ask(person);
  refused(answer, 429, "RATE_LIMITED");
  assert.match(String(answer.headers["retry-after"]), /^[1-9]\d?$/);
  assert.equal((await ask(other)).status, 303);
});

test("in path mode there is no hand-over", async (t) => {
  const { target } = await startDev(t);
  const { headers } = await target.signIn("path@example.com");
  const path = `/auth/canvas?slug=guestbook&challenge=${tokenHash("a secret")}`;
  refused(await send(target.base, { method: "GET", path, headers }), 404, "NOT_FOUND");
});
