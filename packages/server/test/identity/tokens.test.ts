import assert from "node:assert/strict";
import { before, it, test } from "node:test";
import { amend, manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { type Header, send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { purgeCanvases } from "../../src/canvases/deletion.ts";
import { tokenHash } from "../../src/crypto/ids.ts";
import { HandOver, NAVIGATES } from "../sign-in/hand-over.ts";
import { JSON_TYPE, whoAmI } from "../support/client.ts";
import { onEngines, startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { PROXY } from "../support/service.ts";
import { tamper } from "../support/tamper.ts";
import { DAY_MS, later, MINUTE_MS, SECOND, still } from "../support/time.ts";

const bearer = (value: string): Header => ["Authorization", `Bearer ${value}`];
const secretOf = (token: string) => token.replace("easel_pat_", "");

/**
 * Invalid Authorization headers: 401 without a cookie. Beside a valid cookie, a malformed access token makes the request unauthenticated;
 * any other scheme or value is ignored, and the cookie is used.
 */
const HEADERS: [name: string, header: (token: string) => string, besideCookie: "nobody" | "the cookie"][] = [
  ["an unknown token", () => `Bearer easel_pat_${"A".repeat(43)}`, "nobody"],
  ["the prefix alone", () => "Bearer easel_pat_", "nobody"],
  ["a short token", (token) => `Bearer ${token.slice(0, -1)}`, "nobody"],
  ["a long token", (token) => `Bearer ${token}A`, "nobody"],
  ["a token of 10 KiB", (token) => `Bearer ${token.padEnd(10_000, "A")}`, "nobody"],
  ["two tokens", (token) => `Bearer ${token} ${token}`, "nobody"],
  ["two tokens in a list", (token) => `Bearer ${token}, Bearer ${token}`, "nobody"],
  ["a token and a comma", (token) => `Bearer ${token},`, "nobody"],
  ["a token and a semicolon", (token) => `Bearer ${token};`, "nobody"],
  ["a token in capitals", (token) => `Bearer easel_pat_${secretOf(token).toUpperCase()}!`, "nobody"],
  ["a token with a code of its last letter", (token) => `Bearer ${token.slice(0, -1)}%41`, "nobody"],
  ["a token in other letters", (token) => `Bearer ${token.slice(0, -1)}\u00e9`, "nobody"],
  ["a token in the middle", (token) => `Bearer easel_pat_${token}`, "nobody"],
  ["quotes around it", (token) => `Bearer "${token}"`, "the cookie"],
  ["no scheme", (token) => token, "the cookie"],
  ["no space", (token) => `Bearer${token}`, "the cookie"],
  ["a colon", (token) => `Bearer: ${token}`, "the cookie"],
  ["the token without its prefix", (token) => `Bearer ${secretOf(token)}`, "the cookie"],
  ["the hash of the token", (token) => `Bearer ${tokenHash(secretOf(token))}`, "the cookie"],
  ["another's token", () => "Bearer ghp_0123456789abcdefghij", "the cookie"],
  ["a JWT", () => "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.", "the cookie"],
  ["Basic", (token) => `Basic ${Buffer.from(`x:${token}`).toString("base64")}`, "the cookie"],
  ["Basic with the token as it is", (token) => `Basic ${token}`, "the cookie"],
  ["Token", (token) => `Token ${token}`, "the cookie"],
  ["Negotiate", () => "Negotiate YIIB", "the cookie"],
  ["the scheme alone", () => "Bearer", "the cookie"],
  ["the scheme and a space", () => "Bearer ", "the cookie"],
  ["nothing", () => "", "the cookie"],
];

/** Routes that ignore access tokens. */
const ELSEWHERE: [method: string, path: string][] = [
  ["GET", "/c/{slug}/"],
  ["GET", "/c/{slug}/none"],
  ["HEAD", "/c/{slug}/"],
  ["POST", "/c/{slug}/__gate"],
  ["GET", "/sdk/v1.js"],
  ["GET", "/"],
];

/** Invalid bodies of new tokens. */
const BAD_BODIES: [name: string, body: string][] = [
  ["nothing", ""],
  ["no name", "{}"],
  ["a name that is null", '{"name":null}'],
  ["a name that is a number", '{"name":1}'],
  ["an empty name", '{"name":""}'],
  ["a name of spaces", '{"name":"   "}'],
  ["a name of 101 characters", JSON.stringify({ name: "n".repeat(101) })],
  ["a name with a NUL", '{"name":"a\\u0000b"}'],
  ["a name with a line break", '{"name":"a\\nb"}'],
  ["an end that has passed", JSON.stringify({ name: "late", expiresAt: Date.now() - 1 })],
  ["an end at the beginning of time", '{"name":"late","expiresAt":0}'],
  ["an end in words", '{"name":"late","expiresAt":"2099-01-01"}'],
  ["an end that is no whole number", `{"name":"late","expiresAt":${Date.now() + DAY_MS}.5}`],
  ["an end past all time", '{"name":"late","expiresAt":8640000000000001}'],
  ["an unknown field", '{"name":"more","scopes":["admin"]}'],
  ["an unknown scope", '{"name":"x","scope":"admin"}'],
  ["a scope that is null", '{"name":"x","scope":null}'],
  ["two scopes", '{"name":"x","scope":["read","deploy"]}'],
  ["an empty id of a canvas", '{"name":"x","canvasId":""}'],
  ["a malformed id of a canvas", '{"name":"x","canvasId":"a\\u0000b"}'],
  ["several canvases", '{"name":"x","canvasId":["a","b"]}'],
  ["a token of one's own choice", '{"name":"mine","token":"easel_pat_x"}'],
  ["a list", "[]"],
];

await onEngines("personal access tokens", (target, env) => {
  const { base } = target;
  let site: Stage;
  let token: string;
  before(async () => {
    site = await stage(target);
    await publish(target, site, { "index.html": "home" });
    token = (await make(site.people.viewer)).token;
  });
  const make = async (person: Person, more: object = {}) => {
    const answer = await manage(target, person, "POST", "/api/tokens", { name: "A program", ...more });
    assert.equal(answer.status, 201, answer.text);
    return answer.json as { id: string; token: string };
  };
  const list = async (person: Person) =>
    (await manage(target, person, "GET", "/api/tokens")).json.tokens as Record<string, unknown>[];
  const apis = async (headers: Header[]) => [
    await whoAmI(base, headers),
    await send(base, { method: "GET", path: `/v1/c/${site.slug}/me`, headers }),
  ];
  const nobodys = async (headers: Header[]) => {
    for (const answer of await apis(headers)) unauthenticated(answer);
  };
  const isOf = async ({ email }: Person, headers: Header[]) => {
    for (const { status, json } of await apis(headers)) assert.deepEqual([status, json.email], [200, email]);
  };

  it("a token is returned once and stored as a hash", async () => {
    const made = await make(site.people.viewer);
    assert.deepEqual(Object.keys(made).sort(), ["id", "token"]);
    assert.match(made.token, /^easel_pat_[\w-]{43}$/);
    const kept = JSON.stringify([
      await env.db.all`select * from tokens`,
      await env.db.all`select * from audit`,
    ]);
    assert.ok(kept.includes(tokenHash(secretOf(made.token))));
    assert.ok(!kept.includes(secretOf(made.token)));
    assert.ok(!JSON.stringify(await list(site.people.viewer)).includes(secretOf(made.token)));
  });

  it("a token is valid on both APIs, with the scheme in any case and any number of spaces", async () => {
    for (const value of [`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}`])
      await isOf(site.people.viewer, [["Authorization", value]]);
  });

  for (const [name, header, besideCookie] of HEADERS) {
    it(`Authorization with ${name}: 401, and beside a valid cookie ${besideCookie}`, async () => {
      const headers: Header[] = [["Authorization", header(token)]];
      await nobodys(headers);
      const both = [...site.people.editor.headers, ...headers];
      if (besideCookie === "nobody") await nobodys(both);
      else await isOf(site.people.editor, both);
    });
  }

  it("a changed token is invalid", async () => {
    await tamper(secretOf(token), async (changed) => {
      unauthenticated(await whoAmI(base, [bearer(`easel_pat_${changed}`)]));
    });
    await isOf(site.people.viewer, [bearer(token)]);
  });

  it("a valid token takes precedence over any cookie", async () => {
    await isOf(site.people.viewer, [...site.people.owner.headers, bearer(token)]);
  });

  it("a token sets no cookie and extends no session", async () => {
    await env.db.run`update sessions set expires_at = ${Date.now() + DAY_MS}`;
    for (const { headers } of await apis([...site.people.viewer.headers, bearer(token)])) {
      assert.equal(headers["set-cookie"], undefined);
    }
  });

  for (const [method, path] of ELSEWHERE) {
    it(`${method} ${path}: a token is ignored, and the cookie is used`, async () => {
      const at = path.replace("{slug}", site.slug);
      const alone = await send(base, { method, path: at, headers: [bearer(token)] });
      assert.equal(alone.status, 401, alone.text);
      const page = await send(base, { method, path: at, headers: [bearer(token), ...NAVIGATES] });
      assert.ok([302, 401].includes(page.status), String(page.status));
      const headers = [...site.people.editor.headers, bearer(`easel_pat_${"A".repeat(43)}`)];
      const known = await send(base, { method, path: at, headers });
      assert.ok(known.status < 400 || known.status === 404, String(known.status));
    });
  }

  it("a token manages neither tokens nor sessions, not even itself", async () => {
    const mine = await make(site.people.viewer);
    const { json } = await manage(target, site.people.viewer, "GET", "/api/sessions");
    const [session = { id: "" }] = json.sessions as { id: string }[];
    const before = [await list(site.people.viewer), json];
    const program = { ...site.people.viewer, headers: [bearer(mine.token)] };
    const both = { ...program, headers: [...site.people.viewer.headers, bearer(mine.token)] };
    for (const person of [program, both]) {
      for (const [method, path, body] of [
        ["GET", "/api/tokens"],
        ["POST", "/api/tokens", { name: "child" }],
        ["DELETE", `/api/tokens/${mine.id}`],
        ["GET", "/api/sessions"],
        ["DELETE", `/api/sessions/${session.id}`],
      ] as const) {
        refused(await manage(target, person, method, path, body), 403, "PERMISSION_DENIED");
      }
    }
    const strip = (each: unknown) => JSON.stringify(each).replaceAll(/"usedAt":(null|\d+)/g, "");
    const now = [
      await list(site.people.viewer),
      (await manage(target, site.people.viewer, "GET", "/api/sessions")).json,
    ];
    assert.equal(strip(now), strip(before));
  });

  it("the list: the user's own tokens, newest first", async () => {
    const person = await target.signIn(freshEmail("lister"));
    const end = Date.now() + DAY_MS;
    const [first, second] = [await make(person, { name: " First " }), await make(person, { expiresAt: end })];
    const [newer, older] = await list(person);
    assert.deepEqual(
      [newer, older].map((each) => [each?.id, each?.name, each?.expiresAt, each?.usedAt]),
      [
        [second.id, "A program", end, null],
        [first.id, "First", null, null],
      ],
    );
    assert.deepEqual(Object.keys(older ?? {}).sort(), [
      "canvas",
      "createdAt",
      "expiresAt",
      "id",
      "name",
      "scope",
      "usedAt",
    ]);
  });

  it("the time of last use has a precision of a minute", async () => {
    const person = await target.signIn(freshEmail("user"));
    const made = await make(person);
    const usedAt = async () => (await list(person))[0]?.usedAt as number | null;
    const used = (wanted: (at: number | null) => boolean) =>
      until("its use is noted", async () => wanted(await usedAt()));
    const from = Date.now();
    assert.equal((await whoAmI(base, [bearer(made.token)])).status, 200);
    await used((at) => at !== null && at >= from && at <= Date.now());
    await still(env, async () => {
      const recent = env.clock() - MINUTE_MS + SECOND;
      await env.db.run`update tokens set used_at = ${recent} where id = ${made.id}`;
      assert.equal((await whoAmI(base, [bearer(made.token)])).status, 200);
      assert.equal(await usedAt(), recent);
    });
    await env.db.run`update tokens set used_at = ${Date.now() - MINUTE_MS - SECOND} where id = ${made.id}`;
    assert.equal((await whoAmI(base, [bearer(made.token)])).status, 200);
    await used((at) => at !== null && at >= from);
  });

  it("the response to an invalid token says whether it has expired, in `WWW-Authenticate`", async () => {
    const person = await target.signIn(freshEmail("late"));
    const made = await make(person, { expiresAt: Date.now() + DAY_MS });
    const says = async (headers: Header[], message: string | null) => {
      const wanted =
        message && `Bearer error="invalid_token", error_description="The access token ${message}."`;
      for (const answer of await apis(headers)) {
        unauthenticated(answer);
        assert.equal(answer.headers["www-authenticate"] ?? null, wanted);
      }
    };
    const header = bearer(made.token);
    await later(env, DAY_MS, () => says([header], "has expired"));
    await manage(target, person, "DELETE", `/api/tokens/${made.id}`);
    await says([header], "is invalid or was revoked");
    await says([bearer(`easel_pat_${"A".repeat(43)}`)], "is invalid or was revoked");
    await says([], null);
    await says([bearer("ghp_0123456789abcdefghij")], null);
    const gone = await make(person, { expiresAt: Date.now() + DAY_MS });
    await env.db.run`update users set deactivated_at = ${1} where email = ${person.email}`;
    await later(env, DAY_MS, () => says([bearer(gone.token)], "is invalid or was revoked"));
  });

  it("the secret of a restricted token is one that earlier versions of the service reject", async () => {
    assert.match(
      (await make(site.people.viewer, { scope: "full", canvasId: null })).token,
      /^easel_pat_[\w-]{43}$/,
    );
    for (const restricted of [{ scope: "read" }, { scope: "deploy" }, { canvasId: site.id }]) {
      const { token: text } = await make(site.people.viewer, restricted);
      assert.match(text, /^easel_pat_limited_[\w-]{43}$/);
      assert.equal((await whoAmI(base, [bearer(text)])).status, 200);
      for (const other of [text.replace("limited_", ""), text.replace("limited_", "limited_limited_")])
        unauthenticated(await whoAmI(base, [bearer(other)]));
    }
  });

  it("a token of one canvas: only for those who have a role on it", async () => {
    const { id, people } = site;
    const body = { name: "One canvas", canvasId: id };
    for (const person of [people.owner, people.editor, people.viewer])
      assert.equal((await manage(target, person, "POST", "/api/tokens", body)).status, 201);
    const asItWas = await list(people.stranger);
    for (const canvasId of [id, "none", "constructor"])
      refused(
        await manage(target, people.stranger, "POST", "/api/tokens", { ...body, canvasId }),
        404,
        "NOT_FOUND",
      );
    assert.deepEqual(await list(people.stranger), asItWas);
  });

  it("the list has scope and canvas, and the canvas has its name only while the user has a role on it", async () => {
    const own = await stage(target);
    const { owner, editor } = own.people;
    const canvas = { id: own.id, title: "Conformance", slug: own.slug };
    const unnamed = { id: own.id, title: null, slug: null };
    const program = await make(editor, { scope: "deploy", canvasId: own.id });
    await make(owner, { scope: "read", canvasId: own.id });
    const newest = async (person: Person) => {
      const [token] = await list(person);
      return [token?.scope, token?.canvas];
    };
    assert.deepEqual(await newest(editor), ["deploy", canvas]);
    assert.deepEqual(await newest(owner), ["read", canvas]);
    await amend(target, own, { people: [] });
    assert.deepEqual(await newest(editor), ["deploy", unnamed]);
    const read = () =>
      send(base, { method: "GET", path: `/api/canvases/${own.id}`, headers: [bearer(program.token)] });
    refused(await read(), 404, "NOT_FOUND");
    await env.db.run`update canvases set deleted_at = ${1} where id = ${own.id}`;
    assert.deepEqual(await newest(owner), ["read", unnamed]);
    refused(
      await manage(target, owner, "POST", "/api/tokens", { name: "Late", canvasId: own.id }),
      404,
      "NOT_FOUND",
    );
    assert.equal((await whoAmI(base, [bearer(program.token)])).status, 200);
    await purgeCanvases(env);
    unauthenticated(await whoAmI(base, [bearer(program.token)]));
  });

  it("the page `/tokens` offers the canvases that the person owns or edits, and no others", async () => {
    const other = await stage(target, { people: site.people });
    const gone = await stage(target, { people: site.people });
    await manage(target, gone.people.owner, "DELETE", `/api/canvases/${gone.id}`);
    for (const [who, offers] of [
      [site.people.owner, true],
      [site.people.editor, true],
      [site.people.viewer, false],
      [site.people.stranger, false],
    ] as const) {
      const { text } = await send(base, { method: "GET", path: "/tokens", headers: who.headers });
      for (const { id } of [site, other])
        assert.equal(text.includes(`<option value="${id}">`), offers, who.email);
      assert.ok(!text.includes(`<option value="${gone.id}">`));
    }
  });

  it("concurrent uses all succeed", async () => {
    const made = await make(site.people.viewer);
    const answers = await Promise.all(Array.from({ length: 20 }, () => whoAmI(base, [bearer(made.token)])));
    for (const { status } of answers) assert.equal(status, 200);
  });

  it("a token is invalid from its expiry on", async () => {
    const made = await make(site.people.viewer, { expiresAt: Date.now() + DAY_MS });
    await later(env, DAY_MS - MINUTE_MS, () => isOf(site.people.viewer, [bearer(made.token)]));
    await later(env, DAY_MS, () => nobodys([bearer(made.token)]));
    assert.ok((await list(site.people.viewer)).some(({ id }) => id === made.id));
  });

  it("a deleted token is invalid; deleting another user's or an unknown one: 404", async () => {
    const made = await make(site.people.viewer);
    const remove = (person: Person, id: string) => manage(target, person, "DELETE", `/api/tokens/${id}`);
    for (const id of [made.id, "none", "%00", "%27", "..%2f", "a".repeat(5000), made.token]) {
      refused(await remove(site.people.owner, id), 404, "NOT_FOUND");
    }
    await isOf(site.people.viewer, [bearer(made.token)]);
    const answer = await remove(site.people.viewer, made.id);
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    await nobodys([bearer(made.token)]);
    refused(await remove(site.people.viewer, made.id), 404, "NOT_FOUND");
  });

  it("tokens of a deactivated user are invalid", async () => {
    const person = await target.signIn(freshEmail("leaver"));
    const made = await make(person);
    assert.equal((await whoAmI(base, [bearer(made.token)])).status, 200);
    await env.db.run`update users set deactivated_at = ${Date.now()} where email = ${person.email}`;
    await nobodys([bearer(made.token)]);
  });

  it("guests cannot have tokens", async () => {
    const guest = await guestOf(target, site);
    for (const [method, body] of [["GET"], ["POST", { name: "guest" }]] as const) {
      refused(await manage(target, guest, method, "/api/tokens", body), 403, "PERMISSION_DENIED");
    }
  });

  for (const [name, body] of BAD_BODIES) {
    it(`no token of ${name}: 400 INVALID_BODY`, async () => {
      const asItWas = await list(site.people.owner);
      const headers = [...site.people.owner.headers, JSON_TYPE];
      const answer = await send(base, { method: "POST", path: "/api/tokens", headers, body });
      refused(answer, 400, "INVALID_BODY");
      assert.deepEqual(await list(site.people.owner), asItWas);
    });
  }

  it("requests of other pages create no token", async () => {
    for (const header of [
      ["Sec-Fetch-Site", "same-site"],
      ["Origin", `${base}.example.com`],
      ["Referer", `${base}/c/${site.slug}/`],
    ] satisfies Header[]) {
      const headers = [...site.people.owner.headers, JSON_TYPE, header];
      const answer = await send(base, { method: "POST", path: "/api/tokens", headers, body: '{"name":"x"}' });
      refused(answer, 403, "CROSS_SITE_FORBIDDEN");
    }
  });
});

test("in subdomain mode tokens are valid on both APIs, and not at the host of a canvas, which has no page of tokens", async (t) => {
  const { target } = await startDev(t, { SERVICE_URL_MODE: "subdomain" });
  const site = await stage(target);
  await publish(target, site, { "index.html": "home" });
  const made = await manage(target, site.people.viewer, "POST", "/api/tokens", { name: "A program" });
  const header = bearer(String(made.json.token));
  for (const path of ["/api/me", `/v1/c/${site.slug}/me`]) {
    assert.equal((await send(target.base, { method: "GET", path, headers: [header] })).status, 200);
  }
  const way = new HandOver(target.base);
  for (const path of ["/", "/sdk/v1.js", "/api/me", `/v1/c/${site.slug}/me`]) {
    unauthenticated(await way.at(site.slug, path, [header]));
  }
  assert.equal((await way.at(site.slug, "/", [...NAVIGATES, header])).status, 302);
  const { headers } = site.people.owner;
  const onHost: Header = ["Host", `${site.slug}.${new URL(target.base).host}`];
  const page = { method: "GET", path: "/tokens" };
  assert.match((await send(target.base, { ...page, headers })).text, /<h1>Access tokens/);
  assert.doesNotMatch(
    (await send(target.base, { ...page, headers: [...headers, onHost] })).text,
    /<h1>Access tokens/,
  );
});

test("in proxy mode a token takes precedence over the proxy's headers, and an invalid one is 401", async (t) => {
  const { target } = await startDev(t, PROXY);
  const says = (email: string): Header => ["X-Auth-Request-Email", email];
  const ada = { email: "ada@example.com", name: "Ada", headers: [says("ada@example.com")] };
  const made = await manage(target, ada, "POST", "/api/tokens", { name: "A program" });
  const header = bearer(String(made.json.token));
  for (const headers of [[header], [header, says("eve@example.com")]]) {
    assert.equal((await whoAmI(target.base, headers)).json.email, "ada@example.com");
  }
  unauthenticated(
    await whoAmI(target.base, [bearer(`easel_pat_${"A".repeat(43)}`), says("eve@example.com")]),
  );
  unauthenticated(await visit(target, "guestbook", null, "", [header]));
});
