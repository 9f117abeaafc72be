import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import { amend, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { parallel } from "@easel/conformance/parallel";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import type { Person, Target } from "@easel/conformance/target";
import type { Env } from "../../src/env.ts";
import { HandOver, jar, NAVIGATES } from "../sign-in/hand-over.ts";
import { FORM, JSON_TYPE } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { HTTPS, startOnHttps } from "../support/https.ts";
import { publish, visit } from "../support/publish.ts";
import { PROXY } from "../support/service.ts";
import { tamper } from "../support/tamper.ts";
import { DAY_MS, later, MINUTE_MS } from "../support/time.ts";

const PASSWORD = "open, sesame";
const WEEK = 7 * DAY_MS;
const right = new URLSearchParams({ password: PASSWORD }).toString();
const BOUNDARY = "gate-of-the-tests";
const multipart = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="password"\r\n\r\n${PASSWORD}\r\n--${BOUNDARY}--\r\n`;

/** Bodies of requests to the password gate, and the status that a client other than a browser gets. */
const BODIES: [name: string, type: Header | null, body: string | Buffer, status: number][] = [
  ["the right password", FORM, right, 303],
  ["the right password among other fields", FORM, `a=b&${right}&c=d`, 303],
  ["the right password in UTF-8", ["Content-Type", `${FORM[1]}; charset=utf-8`], right, 303],
  ["a wrong password", FORM, "password=open", 403],
  ["the right one in another case", FORM, right.toUpperCase(), 403],
  ["an empty password", FORM, "password=", 403],
  ["no password", FORM, "a=b", 403],
  ["nothing", FORM, "", 403],
  ["nothing, not even a type", null, "", 403],
  ["a field of another name", FORM, right.replace("password", "Password"), 403],
  ["a list", FORM, right.replace("password", "password[]"), 403],
  ["codes that are none", FORM, "password=%", 403],
  ["bytes that are no UTF-8", FORM, Buffer.from([...Buffer.from("password="), 0xff, 0xfe, 0]), 403],
  ["4 KiB", FORM, `password=${"p".repeat(4096)}`, 403],
  ["9 KiB", FORM, `password=${"p".repeat(9 * 1024)}`, 413],
  ["9 KiB after the right password", FORM, `${right}&a=${"p".repeat(9 * 1024)}`, 413],
  ["a form in parts", ["Content-Type", `multipart/form-data; boundary=${BOUNDARY}`], multipart, 403],
  ["JSON", JSON_TYPE, JSON.stringify({ password: PASSWORD }), 403],
  ["the hash, if it were known", FORM, "password=$argon2id$v=19$m=19456,t=2,p=1$", 403],
];

/** States of a canvas that close it even to a viewer who knows the password, and the refusal. */
const SHUT: [
  name: string,
  state: (env: Env, id: string) => Promise<unknown>,
  status: number,
  code: string,
][] = [
  ["archived", ({ db }, id) => db.run`update canvases set archived_at = 1 where id = ${id}`, 404, "ARCHIVED"],
  ["disabled", ({ db }, id) => db.run`update canvases set disabled_at = 1 where id = ${id}`, 403, "DISABLED"],
  [
    "expired",
    ({ db }, id) => db.run`update canvases set expires_at = 1 where id = ${id}`,
    404,
    "SHARE_EXPIRED",
  ],
  ["deleted", ({ db }, id) => db.run`update canvases set deleted_at = 1 where id = ${id}`, 404, "NOT_FOUND"],
];

const gateCookies = ({ headers }: Answer) => headers["set-cookie"] ?? [];
const pairIn = (line = "") => line.split(";")[0] ?? "";

/** Sends a form to the password gate of a canvas, in path mode. */
const knock = (
  { base }: Target,
  slug: string,
  person: Person | null,
  body: string | Buffer,
  headers: Header[] = [FORM],
  query = "",
) =>
  send(base, {
    method: "POST",
    path: `/c/${slug}/__gate${query}`,
    headers: [...(person?.headers ?? []), ...headers],
    body,
  });

/** Returns a function that returns how many password hashes were computed in this test. */
function counting(t: TestContext, { passwords }: Env): () => number {
  const { mock } = t.mock.method(passwords, "verify");
  return () => mock.callCount();
}

const { target, env } = await startDev({ after });

describe("the password gate", () => {
  const { base } = target;
  let site: Stage;
  let viewer: Person;
  before(async () => {
    site = await locked();
    viewer = site.people.viewer;
  });
  async function locked(setup: Parameters<typeof stage>[1] = {}): Promise<Stage> {
    const people = site === undefined ? {} : { people: site.people };
    const made = await stage(target, { ...people, terms: { password: PASSWORD }, ...setup });
    await publish(target, made, { "index.html": "home", "a/b c.html": "deep" });
    return made;
  }
  const cookieFor = async (at: Stage, person: Person | null, password = PASSWORD) => {
    const answer = await knock(target, at.slug, person, new URLSearchParams({ password }).toString());
    assert.equal(answer.status, 303, answer.text);
    return pairIn(gateCookies(answer)[0]);
  };
  /** Requests the page and the API with the person's session cookie and these cookies. Returns both responses. */
  const ask = async ({ slug }: Stage, person: Person | null, ...pairs: string[]) => {
    const cookies = [...(person?.headers.map(([, value]) => value) ?? []), ...pairs];
    const headers: Header[] = cookies.length > 0 ? [jar(...cookies)] : [];
    return [
      await send(base, { method: "GET", path: `/c/${slug}/`, headers }),
      await send(base, { method: "GET", path: `/v1/c/${slug}/me`, headers }),
    ] as const;
  };
  const opens = async (...at: Parameters<typeof ask>) => {
    for (const { status, text } of await ask(...at)) assert.equal(status, 200, text);
  };
  const stays = async (...at: Parameters<typeof ask>) => {
    for (const answer of await ask(...at)) refused(answer, 403, "PASSWORD_REQUIRED");
  };

  it("the right password: 303, and three cookies limited to the canvas's paths", async () => {
    const answer = await knock(target, site.slug, viewer, right);
    assert.deepEqual([answer.status, answer.headers.location], [303, `${base}/c/${site.slug}/`]);
    assert.equal(answer.headers["cache-control"], "private, no-store");
    const [page, api] = gateCookies(answer);
    assert.match(pairIn(page), /^__service_gate=\d{13}\.[\w-]{43}$/);
    assert.deepEqual(gateCookies(answer), [
      `${pairIn(page)}; Max-Age=${WEEK / 1000}; Path=/c/${site.slug}/; HttpOnly; SameSite=Lax`,
      `${pairIn(page)}; Max-Age=${WEEK / 1000}; Path=/v1/c/${site.slug}; HttpOnly; SameSite=Lax`,
      `${pairIn(page)}; Max-Age=${WEEK / 1000}; Path=/api/canvases/${site.id}/runtime; HttpOnly; SameSite=Lax`,
    ]);
    await opens(site, viewer, pairIn(page));
    await opens(site, viewer, pairIn(api));
  });

  for (const [name, type, body, status] of BODIES) {
    it(`${name}: ${status}`, async () => {
      const answer = await knock(target, site.slug, viewer, body, type === null ? [] : [type]);
      assert.equal(answer.status, status, answer.text);
      assert.equal(gateCookies(answer).length, status === 303 ? 3 : 0);
      if (status === 403) refused(answer, 403, "PASSWORD_REQUIRED");
      if (status === 413) refused(answer, 413, "BODY_TOO_LARGE");
    });
  }

  it("the password in the URL has no effect", async () => {
    refused(await knock(target, site.slug, viewer, "", [FORM], `?${right}`), 403, "PASSWORD_REQUIRED");
    refused(await visit(target, site.slug, viewer, `?${right}`), 403, "PASSWORD_REQUIRED");
    const got = await visit(target, site.slug, viewer, `__gate?${right}`);
    assert.notEqual(got.status, 200);
    assert.deepEqual(gateCookies(got), []);
  });

  it("an endless body is cut off", async () => {
    const headers: Header[] = [...viewer.headers, FORM, ["Transfer-Encoding", "chunked"]];
    const path = `/c/${site.slug}/__gate`;
    const answer = await send(base, {
      method: "POST",
      path,
      headers,
      body: `password=${"p".repeat(200_000)}`,
    });
    refused(answer, 413, "BODY_TOO_LARGE");
  });

  it("a changed cookie is invalid", async () => {
    const value = (await cookieFor(site, viewer)).replace("__service_gate=", "");
    await tamper(value, async (changed) => {
      const headers = [jar(String(viewer.headers[0]?.[1]), `__service_gate=${changed}`)];
      const answer = await send(base, { method: "GET", path: `/v1/c/${site.slug}/me`, headers });
      refused(answer, 403, "PASSWORD_REQUIRED");
    });
    await opens(site, viewer, `__service_gate=${value}`);
  });

  it("one valid cookie of several suffices, in any position", async () => {
    const good = await cookieFor(site, viewer);
    const bad = [
      "__service_gate=",
      "__service_gate=x.y",
      `${good}A`,
      ...Array(40).fill("__service_gate=1.1"),
    ];
    for (const pairs of [
      [good, ...bad],
      [...bad, good],
      [...bad, good, ...bad],
    ])
      await opens(site, viewer, ...pairs);
    await stays(site, viewer, ...bad);
  });

  it("the cookie is valid for one canvas, one user and one password", async () => {
    const open = await locked({ access: "whole_org" });
    const cookie = await cookieFor(open, viewer);
    await opens(open, viewer, cookie);
    await stays(open, site.people.stranger, cookie);
    await stays(site, viewer, cookie);
    await amend(target, open, { password: "another one" });
    await stays(open, viewer, cookie);
    await amend(target, open, { password: PASSWORD });
    await stays(open, viewer, cookie);
    await amend(target, open, { password: null });
    await opens(open, viewer, cookie);
    await opens(open, viewer);
    await amend(target, open, { password: PASSWORD });
    await stays(open, viewer, cookie);
  });

  it("the cookie is valid for a week", async () => {
    const cookie = await cookieFor(site, viewer);
    await later(env, WEEK - MINUTE_MS, () => opens(site, viewer, cookie));
    await later(env, WEEK + MINUTE_MS, () => stays(site, viewer, cookie));
  });

  it("an anonymous caller opens a Public link with the password, and stays anonymous", async () => {
    const link = await locked({ access: "public_link" });
    refused(await visit(target, link.slug, null), 403, "PASSWORD_REQUIRED");
    const cookie = await cookieFor(link, null);
    const [page, api] = await ask(link, null, cookie);
    assert.deepEqual([page.status, page.text], [200, "home"]);
    refused(api, 403, "STATIC_ONLY");
    await stays(link, viewer, cookie);
    const [own] = await ask(link, viewer, await cookieFor(link, viewer));
    assert.equal(own.status, 200);
  });

  it("owner, editors and guests need no password", async () => {
    for (const person of [site.people.owner, site.people.editor, await guestOf(target, site)]) {
      await opens(site, person);
    }
  });

  it("a stored password that is shorter than new ones may be still opens", async () => {
    const at = await locked();
    const stored = await env.passwords.hash("x", "ada");
    await env.db.run`update canvases set password_hash = ${stored} where id = ${at.id}`;
    await opens(at, viewer, await cookieFor(at, viewer, "x"));
  });

  it("a password in another Unicode normal form is the same", async () => {
    for (const [kept, given] of [
      ["caf\u00e9 au lait", "cafe\u0301 au lait"],
      ["cafe\u0301 au lait", "caf\u00e9 au lait"],
    ] as const) {
      await amend(target, site, { password: kept });
      await opens(site, viewer, await cookieFor(site, viewer, given));
    }
    const longest = "\u00e9".repeat(200);
    await amend(target, site, { password: longest });
    await opens(site, viewer, await cookieFor(site, viewer, longest));
    await amend(target, site, { password: PASSWORD });
  });

  for (const [name, state, status, code] of SHUT) {
    it(`${name}: ${code} with and without the password, and no hash is computed`, async (t) => {
      const shut = await locked();
      await state(env, shut.id);
      const hashes = counting(t, env);
      for (const body of [right, "password=wrong"]) {
        const answer = await knock(target, shut.slug, viewer, body);
        assert.deepEqual([answer.status, answer.json.code], [status, code]);
        assert.deepEqual(gateCookies(answer), []);
      }
      assert.equal(hashes(), 0);
    });
  }

  it("callers without access, and anonymous ones, get the usual refusal and no hash is computed", async (t) => {
    const hashes = counting(t, env);
    for (const body of [right, "password=wrong"]) {
      refused(await knock(target, site.slug, site.people.stranger, body), 404, "OWNER_ONLY");
      unauthenticated(await knock(target, site.slug, null, body));
      refused(await knock(target, "no-such-canvas", viewer, body), 404, "NOT_FOUND");
      const guest = await guestOf(target, await locked());
      refused(await knock(target, site.slug, guest, body), 404, "NOT_INVITED");
    }
    assert.equal(hashes(), 0);
  });

  it("concurrent requests get the status for their own password", async () => {
    const bodies = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? right : "password=wrong"));
    const answers = await Promise.all(bodies.map((body) => knock(target, site.slug, viewer, body)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      bodies.map((body) => (body === right ? 303 : 403)),
    );
  });

  it("a canvas without a password: 303 and no cookie", async (t) => {
    const open = await locked({ terms: {} });
    const hashes = counting(t, env);
    const answer = await knock(target, open.slug, viewer, right);
    assert.deepEqual([answer.status, answer.headers.location], [303, `${base}/c/${open.slug}/`]);
    assert.deepEqual([gateCookies(answer), hashes()], [[], 0]);
  });

  it("the page for browsers: an accessible form that leads to the requested page", async () => {
    const path = "a/b%20c.html?x=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&y='";
    const page = await visit(target, site.slug, viewer, path, NAVIGATES);
    assert.equal(page.status, 403);
    assert.match(page.headers["content-type"] ?? "", /^text\/html/);
    assert.equal(page.headers["cache-control"], "private, no-store");
    const policy = String(page.headers["content-security-policy"]);
    for (const rule of [
      "default-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
    ])
      assert.ok(policy.includes(rule), policy);
    assert.doesNotMatch(policy, /unsafe|script-src/);
    assert.doesNotMatch(page.text, /<script|onerror|javascript:/i);
    assert.match(page.text, /<html lang="en">/);
    assert.match(page.text, /<label for="password">/);
    const input = /<input id="password" [^>]*>/.exec(page.text)?.[0] ?? "";
    for (const attribute of ['name="password"', 'type="password"', "required", 'maxlength="200"'])
      assert.ok(input.includes(attribute), input);
    const action = /<form method="post" action="([^"<>]*)"/.exec(page.text)?.[1] ?? "";
    const url = new URL(action.replaceAll("&amp;", "&").replaceAll("&#39;", "'"));
    assert.equal(url.origin + url.pathname, `${base}/c/${site.slug}/__gate`);
    const answer = await knock(target, site.slug, viewer, right, [FORM, ...NAVIGATES], url.search);
    const location = new URL(String(answer.headers.location));
    assert.equal(location.pathname, `/c/${site.slug}/a/b%20c.html`);
    assert.equal(location.searchParams.get("x"), '"><script>alert(1)</script>');
  });

  it("a wrong password shows the form again, for the same page", async () => {
    const answer = await knock(
      target,
      site.slug,
      viewer,
      "password=<b>",
      [FORM, ...NAVIGATES],
      "?to=a/b%2520c.html",
    );
    assert.equal(answer.status, 403);
    assert.match(answer.text, /<form method="post"[^>]*__gate\?to=a%2Fb%2520c\.html"/);
    assert.doesNotMatch(answer.text, /<b>/);
    const odd = await knock(
      target,
      site.slug,
      viewer,
      "",
      [FORM, ...NAVIGATES],
      "?to=%ED%A0%80&to=%00%ff%22%3E",
    );
    assert.equal(odd.status, 403);
    assert.doesNotMatch(odd.text, /to=[^"]*[<>\0]/);
  });

  const lines = samples("redirect")?.flatMap(({ bytes }) => bytes.toString("utf8").split("\n"));
  it("`to` never leaves the canvas, for every entry of a corpus of open redirects", {
    skip: lines === undefined && ABSENT,
  }, async () => {
    // The canvas has no password, so that the many requests compute no hashes.
    const open = await locked({ terms: {} });
    const own = `${base}/c/${open.slug}/`;
    const more = [
      "../../",
      "../../api/me",
      "..%2f..%2f",
      "/../other/",
      "%2e%2e/",
      "./%2e%2e/%2e%2e/api/me",
      "a\r\nSet-Cookie: a=b",
    ];
    const tries = [...(lines ?? []), ...more, `../${open.slug}-not/`, `${own}../x`];
    assert.ok(tries.length > 500);
    await parallel(tries, async (line) => {
      const answer = await knock(target, open.slug, viewer, "", [FORM], `?to=${encodeURIComponent(line)}`);
      assert.equal(answer.status, 303, line);
      const { href } = new URL(String(answer.headers.location), base);
      assert.ok(href.startsWith(own), `${line} leads to ${href}`);
    });
  });

  it("GET redirects to the page, because a sign-in may return to the form's URL", async () => {
    const sent = await knock(target, site.slug, null, right, [FORM, ...NAVIGATES], "?to=a/b%2520c.html");
    assert.equal(sent.status, 302);
    const login = new URL(String(sent.headers.location), base);
    const back = String(login.searchParams.get("returnTo"));
    const answer = await send(base, {
      method: "GET",
      path: back,
      headers: [...NAVIGATES, ...viewer.headers],
    });
    const page = `/c/${site.slug}/a/b%20c.html`;
    if (answer.status === 303) assert.equal(new URL(String(answer.headers.location), base).pathname, page);
    else assert.ok(answer.text.includes(`__gate?to=a%2Fb%2520c.html"`), "a form that leads to the page");
  });

  for (const method of ["PUT", "PATCH", "DELETE"]) {
    it(`${method} does not open the gate`, async () => {
      const headers = [...viewer.headers, FORM];
      const answer = await send(base, { method, path: `/c/${site.slug}/__gate`, headers, body: right });
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
      assert.deepEqual(gateCookies(answer), []);
    });
  }
});

describe("rate limits of the password gate", () => {
  const LIMITED = { SERVICE_RATELIMIT_ENABLED: "on", SERVICE_RATELIMIT_GATE_PER_MIN: "3" };

  /** Starts a service behind a proxy whose headers name the user and the client's address. */
  async function behindProxy(t: TestContext) {
    const { target, env } = await startDev(t, { ...LIMITED, ...PROXY });
    const as = (email: string): Person => ({
      email,
      name: email,
      headers: [["X-Auth-Request-Email", email]],
    });
    const people = {
      owner: as("owner@example.com"),
      editor: as("editor@example.com"),
      viewer: as("viewer@example.com"),
      stranger: as("stranger@example.com"),
    };
    const from = (address: string): Header[] => [FORM, ["X-Forwarded-For", address]];
    return { target, env, people, from };
  }

  it("429 RATE_LIMITED also for the right password and on every canvas; other callers are not affected", async (t) => {
    const { target, env, people, from } = await behindProxy(t);
    const terms = { password: PASSWORD };
    const [one, two] = [await stage(target, { people, terms }), await stage(target, { people, terms })];
    const hashes = counting(t, env);
    for (const { slug } of [one, two, one]) {
      const answer = await knock(target, slug, people.viewer, "password=wrong", from("192.0.2.1"));
      refused(answer, 403, "PASSWORD_REQUIRED");
      assert.equal(answer.headers["x-ratelimit-limit"], "3");
    }
    for (const { slug } of [one, two]) {
      const answer = await knock(target, slug, people.viewer, right, from("192.0.2.1"));
      refused(answer, 429, "RATE_LIMITED");
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d?$/);
      assert.equal(answer.headers["x-ratelimit-remaining"], "0");
      assert.deepEqual(gateCookies(answer), []);
      const page = await knock(target, slug, people.viewer, right, [...from("192.0.2.1"), ...NAVIGATES]);
      assert.equal(page.status, 429);
      assert.match(page.headers["content-type"] ?? "", /^text\/html/);
    }
    assert.equal(hashes(), 3, "what is refused costs no hash");
    // The attempts of a user are counted together, whatever address they come from.
    refused(await knock(target, one.slug, people.viewer, right, from("192.0.2.2")), 429, "RATE_LIMITED");
    const { slug } = await stage(target, { people, terms, access: "whole_org" });
    refused(await knock(target, slug, people.stranger, right, from("192.0.2.1")), 429, "RATE_LIMITED");
    assert.equal((await knock(target, slug, people.stranger, right, from("192.0.2.2"))).status, 303);
  });

  it("an IPv6 network counts as one address, and an IPv4 address is the same however it is written", async (t) => {
    const { target, people, from } = await behindProxy(t);
    const link = await stage(target, { people, terms: { password: PASSWORD }, access: "public_link" });
    await publish(target, link, { "index.html": "home" });
    const { slug } = link;
    const statuses = async (addresses: string[]) => {
      const found: number[] = [];
      for (const address of addresses)
        found.push((await knock(target, slug, null, "password=wrong", from(address))).status);
      return found;
    };
    const own = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::", "2001:DB8:1:2:0:0:0:7", "2001:db8:1:2::9"];
    assert.deepEqual(await statuses([...own, "2001:db8:1:3::1"]), [403, 403, 403, 429, 403]);
    const mapped = ["192.0.2.9", "::ffff:192.0.2.9", "::ffff:c000:209", "192.0.2.9", "192.0.2.10"];
    assert.deepEqual(await statuses(mapped), [403, 403, 403, 429, 403]);
  });

  it("from many addresses: wrong passwords are limited per canvas, and signed-in users still get in", async (t) => {
    const { target, env, people, from } = await behindProxy(t);
    const setup = { people, terms: { password: PASSWORD }, access: "public_link" } as const;
    const [site, other] = [await stage(target, setup), await stage(target, setup)];
    for (const each of [site, other]) await publish(target, each, { "index.html": "home" });
    let address = 0;
    const anew = () => from(`192.0.2.${++address}`);
    const opened = await knock(target, site.slug, null, right, anew());
    assert.equal(opened.status, 303);
    for (let good = 0; good < 20; good++)
      assert.equal(
        (await knock(target, site.slug, null, right, anew())).status,
        303,
        "right ones count for nothing",
      );
    for (let wrong = 0; wrong < 15; wrong++)
      refused(await knock(target, site.slug, null, "password=wrong", anew()), 403, "PASSWORD_REQUIRED");
    const hashes = counting(t, env);
    for (const body of ["password=wrong", right]) {
      const answer = await knock(target, site.slug, null, body, anew());
      refused(answer, 429, "RATE_LIMITED");
      assert.deepEqual(gateCookies(answer), []);
    }
    assert.equal(hashes(), 0, "what is refused costs no hash");
    assert.equal((await knock(target, other.slug, null, right, anew())).status, 303, "another canvas");
    assert.equal((await knock(target, site.slug, people.stranger, right, anew())).status, 303, "signed in");
    assert.equal((await visit(target, site.slug, people.editor)).status, 200);
    assert.equal(
      (await visit(target, site.slug, null, "", [jar(pairIn(gateCookies(opened)[0]))])).status,
      200,
    );
  });

  it("a form of another origin's page counts as no attempt", async (t) => {
    const { target } = await startDev(t, LIMITED);
    const { slug, people } = await stage(target, { terms: { password: PASSWORD } });
    const foreign: Header[][] = [
      [["Origin", "https://evil.example"]],
      [
        ["Sec-Fetch-Site", "cross-site"],
        ["Origin", "null"],
      ],
      [["Sec-Fetch-Site", "same-site"]],
    ];
    for (let tries = 0; tries < 2; tries++)
      for (const headers of foreign)
        refused(
          await knock(target, slug, people.viewer, right, [FORM, ...headers]),
          403,
          "CROSS_SITE_FORBIDDEN",
        );
    const own: Header[] = [
      ["Sec-Fetch-Site", "same-origin"],
      ["Origin", "null"],
    ];
    assert.equal((await knock(target, slug, people.viewer, right, [FORM, ...own])).status, 303);
  });

  it("forwarded addresses of an untrusted client are ignored", async (t) => {
    const { target } = await startDev(t, LIMITED);
    const site = await stage(target, { terms: { password: PASSWORD } });
    const statuses: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      const headers: Header[] = [
        FORM,
        ["X-Forwarded-For", `192.0.2.${tries}`],
        ["Forwarded", `for=192.0.2.${tries}`],
      ];
      statuses.push((await knock(target, site.slug, site.people.viewer, "password=wrong", headers)).status);
    }
    assert.deepEqual(statuses, [403, 403, 403, 429, 429]);
  });

  it("callers without access use up no attempts", async (t) => {
    const { target } = await startDev(t, LIMITED);
    const site = await stage(target, { terms: { password: PASSWORD } });
    for (let tries = 0; tries < 5; tries++) {
      refused(await knock(target, site.slug, site.people.stranger, right), 404, "OWNER_ONLY");
    }
    assert.equal((await knock(target, site.slug, site.people.viewer, right)).status, 303);
  });
});

describe("the password gate at the host of a canvas", () => {
  it("sets one cookie for the host and one for each path of the API at the base host, and all are valid", async (t) => {
    const { target } = await startDev(t, { SERVICE_URL_MODE: "subdomain" });
    const site = await stage(target, { terms: { password: PASSWORD } });
    await publish(target, site, { "index.html": "home" });
    const way = new HandOver(target.base);
    const { viewer } = site.people;
    const content = await way.through(site.slug, viewer.headers);
    const page = await way.at(site.slug, "/a?b=c", [...NAVIGATES, jar(content)]);
    const origin = target.base.replace("://", `://${site.slug}.`);
    assert.ok(page.text.includes(`action="${origin}/__gate?to=a%3Fb%3Dc"`), page.text);
    unauthenticated(await way.at(site.slug, "/__gate", [FORM], "POST", right));
    const answer = await way.at(site.slug, "/__gate?to=a%3Fb%3Dc", [FORM, jar(content)], "POST", right);
    assert.deepEqual([answer.status, answer.headers.location], [303, `${origin}/a?b=c`]);
    const [own, api] = gateCookies(answer);
    assert.deepEqual(gateCookies(answer), [
      `${pairIn(own)}; Max-Age=${WEEK / 1000}; Path=/; HttpOnly; SameSite=Lax`,
      `${pairIn(own)}; Max-Age=${WEEK / 1000}; Domain=localhost; Path=/v1/c/${site.slug}; HttpOnly; SameSite=Lax`,
      `${pairIn(own)}; Max-Age=${WEEK / 1000}; Domain=localhost; Path=/api/canvases/${site.id}/runtime; HttpOnly; SameSite=Lax`,
    ]);
    assert.equal((await way.at(site.slug, "/", [jar(content, pairIn(own))])).text, "home");
    const session = String(viewer.headers[0]?.[1]);
    const me = (...pairs: string[]) =>
      send(target.base, { method: "GET", path: `/v1/c/${site.slug}/me`, headers: [jar(session, ...pairs)] });
    refused(await me(), 403, "PASSWORD_REQUIRED");
    assert.equal((await me(pairIn(api))).status, 200);
    for (const query of ["", "to=//evil.example/", "to=/%5Cevil.example", "to=https://evil.example"]) {
      const led = await way.at(site.slug, `/__gate?${query}`, [FORM, jar(content)], "POST", right);
      assert.equal(new URL(String(led.headers.location), origin).origin, origin, query);
    }
  });

  it("a form opened more than a day ago is accepted", async (t) => {
    const { target, env } = await startDev(t, { SERVICE_URL_MODE: "subdomain" });
    const site = await stage(target, { terms: { password: PASSWORD } });
    const way = new HandOver(target.base);
    const content = await way.through(site.slug, site.people.viewer.headers);
    const sent = await later(env, DAY_MS + MINUTE_MS, () =>
      way.at(site.slug, "/__gate?to=a", [...NAVIGATES, FORM, jar(content)], "POST", right),
    );
    const origin = target.base.replace("://", `://${site.slug}.`);
    assert.deepEqual([sent.status, sent.headers.location], [303, `${origin}/a`]);
  });

  it("on https all cookies are `Secure`, and those of the API are for the whole domain", async (t) => {
    const { target } = await startOnHttps(t, { SERVICE_URL_MODE: "subdomain" });
    const site = await stage(target, { terms: { password: PASSWORD } });
    const way = new HandOver(target.base, new URL(HTTPS).host);
    const answer = await way.at(site.slug, "/__gate", [FORM, ...site.people.viewer.headers], "POST", right);
    assert.equal(answer.status, 303, answer.text);
    const [own] = gateCookies(answer);
    assert.deepEqual(
      gateCookies(answer).map((line) => line.replace(pairIn(own), "")),
      [
        `; Max-Age=${WEEK / 1000}; Path=/; HttpOnly; Secure; SameSite=Lax`,
        `; Max-Age=${WEEK / 1000}; Domain=easel.example; Path=/v1/c/${site.slug}; HttpOnly; Secure; SameSite=Lax`,
        `; Max-Age=${WEEK / 1000}; Domain=easel.example; Path=/api/canvases/${site.id}/runtime; HttpOnly; Secure; SameSite=Lax`,
      ],
    );
  });
});
