import assert from "node:assert/strict";
import { before, it, test } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { type Header, send } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import type { AppInfo } from "@easel/protocol/management";
import { FORM, post, whoAmI } from "../support/client.ts";
import { toolOf } from "../support/connected-tool.ts";
import { onSqlite, startDev } from "../support/engines.ts";
import { PROXY } from "../support/service.ts";
import { DAY_MS, still } from "../support/time.ts";

const PAGE: Header = ["Accept", "text/html"];

/** Headers of requests other than a tab that loads the page. */
const NOT_A_TAB: [name: string, ...headers: Header[]][] = [
  ["a script", ["Sec-Fetch-Site", "same-origin"], ["Sec-Fetch-Mode", "cors"], ["Sec-Fetch-Dest", "empty"]],
  [
    "a frame",
    ["Sec-Fetch-Site", "same-origin"],
    ["Sec-Fetch-Mode", "navigate"],
    ["Sec-Fetch-Dest", "iframe"],
  ],
  ["an image", ["Sec-Fetch-Site", "same-origin"], ["Sec-Fetch-Mode", "no-cors"], ["Sec-Fetch-Dest", "image"]],
];

await onSqlite("the page of access tokens", (target, env) => {
  const { base } = target;
  let site: Stage;
  let person: Person;
  before(async () => {
    site = await stage(target);
    person = site.people.editor;
  });
  const open = (headers: Header[]) => send(base, { method: "GET", path: "/tokens", headers });
  const submit = (who: Person, fields: Record<string, string>, headers: Header[] = []) =>
    post(base, "/tokens", [...who.headers, FORM, ...headers], new URLSearchParams(fields).toString());
  const kept = () => env.db.all<{ id: string }>`select * from tokens order by id`;
  const secretIn = (text: string) => /value="(easel_pat_[\w-]+)"/.exec(text)?.[1] ?? assert.fail(text);
  const last = async (who: Person) =>
    ((await manage(target, who, "GET", "/api/tokens")).json.tokens as Record<string, unknown>[])[0] as Record<
      string,
      unknown
    > & { id: string };

  it("needs a session: a browser is sent to the sign-in and comes back, a token or a guest is refused", async () => {
    const browser = await open([PAGE]);
    assert.deepEqual([browser.status, browser.headers.location], [302, "/auth/login?returnTo=%2Ftokens"]);
    unauthenticated(await open([]));
    const { json } = await manage(target, person, "POST", "/api/tokens", { name: "A program" });
    unauthenticated(await open([["Authorization", `Bearer ${json.token}`]]));
    const before = await kept();
    const guest = await guestOf(target, site);
    refused(await open(guest.headers), 403, "PERMISSION_DENIED");
    refused(await submit(guest, { name: "CI" }), 403, "PERMISSION_DENIED");
    unauthenticated(await post(base, "/tokens", [FORM], "name=CI"));
    assert.deepEqual(await kept(), before);
  });

  it("has a policy, no scripts, and is not cached", async () => {
    const who = await target.signIn(freshEmail("reader"));
    const name = `<script>alert(1)</script>"'`;
    await manage(target, who, "POST", "/api/tokens", { name });
    const { status, headers, text } = await open([...who.headers, PAGE]);
    assert.equal(status, 200);
    assert.match(String(headers["content-security-policy"]), /^default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.equal(headers["cache-control"], "private, no-store");
    assert.doesNotMatch(text, /<script/);
    assert.ok(text.includes("&lt;script&gt;"));
  });

  for (const [name, ...headers] of NOT_A_TAB) {
    it(`a request of ${name} is refused, and creates nothing`, async () => {
      const before = await kept();
      refused(await open([...person.headers, ...headers]), 403, "CROSS_SITE_FORBIDDEN");
      refused(await submit(person, { name: "CI" }, headers), 403, "CROSS_SITE_FORBIDDEN");
      assert.deepEqual(await kept(), before);
    });
  }

  for (const header of [
    ["Sec-Fetch-Site", "cross-site"],
    ["Origin", "https://elsewhere.example"],
    ["Referer", "{base}/c/any-canvas/"],
  ] satisfies Header[]) {
    it(`a form of another page, with ${header[0]}, creates and ends nothing`, async () => {
      const { json } = await manage(target, person, "POST", "/api/tokens", { name: "Kept" });
      const before = await kept();
      const headers: Header[] = [[header[0], header[1].replace("{base}", base)]];
      for (const fields of [{ name: "CI" }, { remove: String(json.id) }])
        refused(await submit(person, fields, headers), 403, "CROSS_SITE_FORBIDDEN");
      assert.deepEqual(await kept(), before);
    });
  }

  it("creates a token like `POST /api/tokens`, and shows it once", async () => {
    const fields = { name: " CI \u0007", scope: "deploy", canvas: site.id, end: "30" };
    await still(env, async () => {
      const answer = await submit(person, fields);
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.headers["cache-control"], "private, no-store");
      const secret = secretIn(answer.text);
      const { id, name, scope, canvas, expiresAt } = await last(person);
      const expected = { id: site.id, title: "Conformance", slug: site.slug };
      assert.deepEqual([name, scope, canvas], ["CI", "deploy", expected]);
      assert.equal(expiresAt, env.clock() + 30 * DAY_MS);
      assert.equal((await whoAmI(base, [["Authorization", `Bearer ${secret}`]])).json.email, person.email);
      const page = (await open(person.headers)).text;
      assert.ok(!page.includes(secret.slice(-43)));
      assert.ok(page.includes(id));
      const audit = await env.db.all`select act from audit where target = ${id}`;
      assert.deepEqual(audit, [{ act: "token.create" }]);
    });
  });

  it("the ends of tokens: days from now, the end of a day, or never", async () => {
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    await still(env, async () => {
      const now = env.clock();
      const today = Date.parse(day(now));
      for (const [fields, end] of [
        [{}, now + 90 * DAY_MS],
        [{ end: "7" }, now + 7 * DAY_MS],
        [{ end: "365", date: "2020-01-01" }, now + 365 * DAY_MS],
        [{ end: "never" }, null],
        [{ end: "date", date: day(now) }, today + DAY_MS],
        [{ end: "date", date: day(now + 40 * DAY_MS) }, today + 41 * DAY_MS],
      ] as const) {
        const answer = await submit(person, { name: "CI", ...fields });
        assert.equal(answer.status, 201, answer.text);
        assert.equal((await last(person)).expiresAt, end, JSON.stringify(fields));
      }
    });
  });

  for (const [name, fields] of [
    ["no name", {}],
    ["a name of spaces", { name: "  " }],
    ["a name of control characters", { name: "\u0000\u0007" }],
    ["a name of 101 characters", { name: "n".repeat(101) }],
    ["an unknown scope", { name: "CI", scope: "admin" }],
    ["an empty scope", { name: "CI", scope: "" }],
    ["an unknown canvas", { name: "CI", canvas: "none" }],
    ["a malformed canvas", { name: "CI", canvas: "a\u0000" }],
    ["an unknown end", { name: "CI", end: "8" }],
    ["a day without a date", { name: "CI", end: "date" }],
    ["a day that has passed", { name: "CI", end: "date", date: "2020-01-01" }],
    ["a day that does not exist", { name: "CI", end: "date", date: "2099-02-31" }],
    ["a day far in the future", { name: "CI", end: "date", date: "9999-13-01" }],
  ] as [string, Record<string, string>][]) {
    it(`${name}: the form again, with an error and with what was entered`, async () => {
      const before = await kept();
      const { status, text } = await submit(person, fields);
      assert.equal(status, 400, text);
      assert.match(text, /<p class="fault" id="fault" role="alert">[^<]+<\/p>/);
      if (fields.name === "CI") assert.match(text, /name="name" value="CI"/);
      assert.deepEqual(await kept(), before);
    });
  }

  const toolsOf = async (who: Person) =>
    (await manage(target, who, "GET", "/api/apps")).json.apps as unknown as AppInfo[];

  it("creates a token for an AI tool, which is a connected tool with what was chosen", async () => {
    const who = site.people.viewer;
    const page = await send(base, { method: "GET", path: "/tokens?for=mcp", headers: who.headers });
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(`<strong>${base}/mcp</strong>`));
    assert.match(page.text, /value="deploy" checked/);
    assert.match(page.text, /name="confirms" value="on" checked/);
    const table: [fields: Record<string, string>, expected: object][] = [
      [
        { scope: "read", canvas: "made", confirms: "on" },
        { scope: "read", ownOnly: true, confirms: true, canvas: null },
      ],
      [
        { canvas: site.id },
        {
          scope: "deploy",
          ownOnly: false,
          confirms: false,
          canvas: { id: site.id, title: "Conformance", slug: site.slug },
        },
      ],
    ];
    for (const [fields, expected] of table) {
      const answer = await submit(who, { audience: "mcp", name: "An <editor>", ...fields });
      assert.equal(answer.status, 201, answer.text);
      const secret = /value="(easel_mcp_[\w-]{43})"/.exec(answer.text)?.[1] ?? assert.fail(answer.text);
      assert.ok(answer.text.includes("New token: An &lt;editor&gt;"));
      assert.ok(answer.text.includes(`Authorization: Bearer ${secret}`));
      const [{ id, scope, ownOnly, confirms, canvas, client }] = (await toolsOf(who)) as [AppInfo];
      assert.deepEqual({ scope, ownOnly, confirms, canvas }, expected);
      assert.equal(client.name, "An <editor>");
      assert.equal((await toolOf(base, { id, token: secret }).request("tools/list")).status, 200);
      assert.ok(!(await open(who.headers)).text.includes("An &lt;editor&gt;"));
    }
  });

  it("a form for an AI tool with a fault is shown again as it was", async () => {
    const before = await toolsOf(person);
    const { status, text } = await submit(person, { audience: "mcp", name: " ", canvas: "made" });
    assert.equal(status, 400);
    assert.match(text, /name="audience" value="mcp"/);
    assert.match(text, /<option value="made" selected>/);
    assert.doesNotMatch(text, /name="confirms" value="on" checked/);
    assert.deepEqual(await toolsOf(person), before);
  });

  it("a form of more than 8 KiB: 413", async () => {
    refused(await submit(person, { name: "n".repeat(9_000) }), 413, "BODY_TOO_LARGE");
  });

  it("ends the person's own tokens only", async () => {
    const { viewer, owner } = site.people;
    const token = secretIn((await submit(viewer, { name: "CI" })).text);
    const { id } = await last(viewer);
    const isValid = async () => (await whoAmI(base, [["Authorization", `Bearer ${token}`]])).status === 200;
    for (const [who, remove, valid] of [
      [owner, id, true],
      [viewer, "none", true],
      [viewer, "", true],
      [viewer, id, false],
      [viewer, id, false],
    ] as const) {
      const answer = await submit(who, { remove });
      assert.deepEqual([answer.status, answer.headers.location], [303, "/tokens"]);
      assert.equal(await isValid(), valid);
    }
    const audit = await env.db.all`select act from audit where target = ${id} order by id`;
    assert.deepEqual(audit, [{ act: "token.create" }, { act: "token.delete" }]);
  });
});

test("in proxy mode the page belongs to the person whom the proxy names, and is rate limited", async (t) => {
  const settings = { SERVICE_RATELIMIT_ENABLED: "on", SERVICE_RATELIMIT_MANAGEMENT_PER_MIN: "3" };
  const { target, env } = await startDev(t, { ...PROXY, ...settings });
  const headers: Header[] = [["X-Auth-Request-Email", "ada@example.com"]];
  const open = (more: Header[]) => send(target.base, { method: "GET", path: "/tokens", headers: more });
  unauthenticated(await open([["X-Auth-Request-Email", "nobody"]]));
  assert.equal((await open(headers)).status, 200);
  assert.equal((await post(target.base, "/tokens", [...headers, FORM], "name=CI")).status, 201);
  assert.equal((await open(headers)).status, 200);
  assert.equal((await post(target.base, "/tokens", [...headers, FORM], "name=More")).status, 429);
  assert.deepEqual(await env.db.all`select name from tokens`, [{ name: "CI" }]);
});
