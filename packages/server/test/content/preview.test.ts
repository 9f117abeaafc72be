import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, share, stage } from "@easel/conformance/fixture";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { onEngines } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { DAY_MS, MINUTE_MS } from "../support/time.ts";

await onEngines("previews of versions", (target, env) => {
  let site: Stage;
  let old: string;
  before(async () => {
    site = await stage(target);
    old = await publish(target, site, {
      "index.html": "old page",
      "app.js": "old script",
      "sw.js": "old worker",
      "only/index.html": "folder",
    });
    await publish(target, site, {
      "index.html": "live page",
      "app.js": "live script",
      "sw.js": "live worker",
    });
  });

  type Role = keyof Stage["people"];
  const make = (body: object = {}, { canvas = site, version = old, role = "editor" as Role } = {}) =>
    manage(
      target,
      canvas.people[role],
      "POST",
      `/api/canvases/${canvas.id}/versions/${version}/preview`,
      body,
    );
  /** Makes a link and returns the path of its URL. */
  async function link(body: object = {}, at: Parameters<typeof make>[1] = {}): Promise<string> {
    const { status, json, text } = await make(body, at);
    assert.equal(status, 201, text);
    const { origin, pathname, search } = new URL(String(json.url));
    assert.equal(origin, new URL(target.base).origin);
    return pathname + search;
  }
  const get = (path: string, headers: Header[] = [], method = "GET") =>
    send(target.base, { method, path, headers });
  /** Returns the cookies that a response sets, by name and path, without those that it deletes. */
  const cookiesOf = ({ headers }: Answer) =>
    (headers["set-cookie"] ?? [])
      .filter((each) => !each.includes("Max-Age=0"))
      .map((each) => ({ pair: each.split(";")[0] ?? "", path: /Path=([^;]*)/.exec(each)?.[1] ?? "", each }));
  const pinOf = (answer: Answer): string =>
    cookiesOf(answer).find(({ pair }) => pair.startsWith("easel_preview="))?.pair ?? "";
  const sessionOf = (answer: Answer): string =>
    cookiesOf(answer).find(({ pair }) => pair.startsWith("easel_preview_session="))?.pair ?? "";
  /** Opens a new link and returns the cookie of the pin. */
  async function pin(at?: Parameters<typeof make>[1]): Promise<string> {
    const opened = await get(await link({}, at));
    assert.equal(opened.status, 303, opened.text);
    return pinOf(opened);
  }
  const withCookies = (person: Person | null, ...pairs: string[]): Header[] => {
    const own = (person?.headers ?? []).map(([name, value]) => {
      assert.equal(name, "Cookie");
      return value;
    });
    const all = [...own, ...pairs.filter((pair) => pair !== "")];
    return all.length === 0 ? [] : [["Cookie", all.join("; ")]];
  };
  const open = (person: Person | null, pairs: string[], path = "", dest = "document", canvas = site) =>
    visit(target, canvas.slug, null, path, [...withCookies(person, ...pairs), ["Sec-Fetch-Dest", dest]]);
  /** Runs `work` while the clock of the service is `ms` ahead. */
  async function later<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
    const { clock } = env;
    env.clock = () => Date.now() + ms;
    try {
      return await work();
    } finally {
      env.clock = clock;
    }
  }
  /** Returns a text with another last character but one, since the last one of base64 may stand for the same bytes. */
  const changed = (text: string) => text.slice(0, -2) + (text.at(-2) === "A" ? "B" : "A") + text.slice(-1);
  const notOpened = (answer: Answer) => {
    refused(answer, 400, "INVALID_BODY");
    assert.deepEqual(cookiesOf(answer), []);
  };

  it("the link redirects to the canvas, which is then of the version, with all of its parts", async () => {
    const { json } = await make();
    assert.ok(Math.abs(Number(json.expiresAt) - Date.now() - 10 * MINUTE_MS) < MINUTE_MS);
    const { pathname, search } = new URL(String(json.url));
    const opened = await get(pathname + search);
    assert.deepEqual([opened.status, opened.headers.location], [303, `${target.base}/c/${site.slug}/`]);
    assert.equal(opened.headers["cache-control"], "private, no-store");
    const [cookie, ...others] = cookiesOf(opened);
    assert.deepEqual(others, []);
    assert.match(
      cookie?.each ?? "",
      new RegExp(`^easel_preview=[^;]+; Max-Age=2100; Path=/c/${site.slug}/; HttpOnly; SameSite=Lax$`),
    );
    const pinned = [pinOf(opened)];
    for (const role of ["owner", "editor"] as const) {
      assert.equal((await open(site.people[role], pinned)).text, "old page");
      for (const dest of ["script", "empty"])
        assert.equal((await open(site.people[role], pinned, "app.js", dest)).text, "old script");
      // The cookie of an earlier page load counts for nothing.
      const { versionId } = { versionId: `easel_version=${old.replace(/.$/, "0")}` };
      assert.equal(
        (await open(site.people[role], [...pinned, versionId], "app.js", "script")).text,
        "old script",
      );
    }
    assert.equal((await open(site.people.owner, [])).text, "live page");
  });

  it("it gives no access, and only owner and editors are served the version", async () => {
    const pinned = [await pin()];
    assert.equal((await open(site.people.viewer, pinned)).text, "live page");
    assert.equal((await open(site.people.viewer, pinned, "app.js", "script")).text, "live script");
    refused(await open(site.people.viewer, pinned, "only/"), 404, "NOT_FOUND");
    refused(await open(site.people.stranger, pinned), 404, "OWNER_ONLY");
    assert.equal((await open(null, pinned)).status, 401);
    refused(await make({}, { role: "viewer" }), 403, "PERMISSION_DENIED");
    refused(await make({}, { role: "stranger" }), 404, "NOT_FOUND");
    for (const version of ["none", "%00"]) refused(await make({}, { version }), 404, "NOT_FOUND");
    refused(await make({ signedIn: "yes" }), 400, "INVALID_BODY");
  });

  it("visitors of a Public link see the published version", async () => {
    const open_ = await stage(target);
    const version = await publish(target, open_, { "index.html": "old" });
    await publish(target, open_, { "index.html": "live" });
    await share(target, open_, "public_link", {});
    const pinned = [await pin({ canvas: open_, version, role: "owner" })];
    assert.equal((await open(null, pinned, "", "document", open_)).text, "live");
    assert.equal((await open(open_.people.owner, pinned, "", "document", open_)).text, "old");
  });

  it("a link works once, also if it is opened twice at once, and not after ten minutes", async () => {
    const path = await link();
    const answers = await Promise.all([1, 2, 3].map(() => get(path)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 400, 400]);
    notOpened(await get(path));
    const late = await link();
    await later(10 * MINUTE_MS + 1, async () => notOpened(await get(late)));
    const other = await link();
    assert.equal((await later(9 * MINUTE_MS, () => get(other))).status, 303);
    const head = await link();
    await get(head, [], "HEAD");
    assert.equal((await get(head)).status, 303);
  });

  it("a link for another canvas, and codes that are none", async () => {
    const other = await stage(target, { people: site.people });
    await publish(target, other, { "index.html": "other" });
    const path = await link();
    notOpened(await get(path.replace(site.slug, other.slug)));
    for (const code of ["none", "", "%00", "a".repeat(43), "a".repeat(5000)]) {
      const answer = await get(`/c/${site.slug}/__preview?code=${code}`);
      assert.ok(code === "" ? answer.status === 303 : answer.status === 400, code);
      assert.deepEqual(cookiesOf(answer), []);
    }
    assert.equal((await get(path)).status, 303);
    const pinned = [await pin()];
    assert.equal((await open(site.people.owner, pinned, "", "document", other)).text, "other");
    const [version = "", until = "", signature = ""] = (pinned[0] ?? "")
      .replace("easel_preview=", "")
      .split(".");
    const live = String(
      (await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`)).json.version,
    );
    for (const parts of [
      [version, until, changed(signature)],
      [version, String(Number(until) + 1), signature],
      [live, until, signature],
      [version, until],
      [version, until, signature, ""],
    ])
      assert.equal((await open(site.people.owner, [`easel_preview=${parts.join(".")}`])).text, "live page");
  });

  it("the pin ends after half an hour; the parts of a page that was loaded in time stay of its version", async () => {
    const pinned = [await pin()];
    const at = (ms: number, path: string, dest: string) =>
      later(ms, async () => (await open(site.people.owner, pinned, path, dest)).text);
    assert.equal(await at(30 * MINUTE_MS - 5000, "", "document"), "old page");
    assert.equal(await at(30 * MINUTE_MS + 1, "", "document"), "live page");
    assert.equal(await at(34 * MINUTE_MS, "app.js", "script"), "old script");
    assert.equal(await at(35 * MINUTE_MS + 1, "app.js", "script"), "live script");
  });

  it("no cache keeps it: neither files, errors, redirects nor 304", async () => {
    const pinned = [await pin()];
    const { headers } = await open(site.people.owner, pinned, "app.js", "script");
    const etag: Header = ["If-None-Match", headers.etag ?? ""];
    const fresh = await visit(target, site.slug, null, "app.js", [
      ...withCookies(site.people.owner, ...pinned),
      etag,
    ]);
    assert.equal(fresh.status, 304);
    const redirected = await open(site.people.owner, pinned, "only");
    assert.equal(redirected.status, 308);
    const missing = await open(site.people.owner, pinned, "favicon.ico", "image");
    assert.equal(missing.status, 404);
    for (const answer of [await open(site.people.owner, pinned), fresh, redirected, missing]) {
      assert.equal(answer.headers["cache-control"], "private, no-store");
      assert.equal(answer.headers.vary, "*");
    }
    const live = await open(site.people.owner, []);
    assert.deepEqual(
      [live.headers["cache-control"], live.headers.vary],
      ["private, no-cache", "Accept-Encoding"],
    );
    const cookies = (await open(site.people.owner, pinned)).headers["set-cookie"] ?? [];
    assert.ok(!cookies.some((each) => each.startsWith("easel_version=")));
  });

  it("it installs no service worker, and removes the one that there is", async () => {
    const pinned = [await pin()];
    const worker = async (pairs: string[]) => {
      const headers = withCookies(site.people.owner, ...pairs);
      return (await visit(target, site.slug, null, "sw.js", [...headers, ["Service-Worker", "script"]])).text;
    };
    assert.equal(await worker([]), "live worker");
    assert.match(await worker(pinned), /registration\.unregister\(\)/);
    assert.equal((await open(site.people.owner, pinned, "sw.js", "script")).text, "old worker");
  });

  it("a version that is deleted: its link is refused; a pin to it ends, and says so", async () => {
    const gone = await publish(target, site, { "index.html": "gone" });
    await publish(target, site, {
      "index.html": "live page",
      "app.js": "live script",
      "sw.js": "live worker",
    });
    const path = await link({}, { version: gone });
    const pinned = [await pin({ version: gone })];
    assert.equal((await open(site.people.owner, pinned)).text, "gone");
    const deleted = await manage(
      target,
      site.people.owner,
      "DELETE",
      `/api/canvases/${site.id}/versions/${gone}`,
    );
    assert.equal(deleted.status, 204);
    const answer = await get(path);
    refused(answer, 404, "NOT_FOUND");
    assert.deepEqual(cookiesOf(answer), []);
    const ended = await open(site.people.owner, pinned);
    refused(ended, 404, "NOT_FOUND");
    assert.match(String(ended.json.message), /has been deleted/);
    assert.deepEqual(ended.headers["set-cookie"], [
      `easel_preview=; Max-Age=0; Path=/c/${site.slug}/; HttpOnly; SameSite=Lax`,
    ]);
  });

  it("shows what was never published: a draft, and an unpublished canvas; not an archived or a disabled one", async () => {
    const draft = await stage(target);
    const version = await publish(target, draft, { "index.html": "draft" });
    const pinned = [await pin({ canvas: draft, version })];
    const status = async () => {
      const { status, text } = await open(draft.people.owner, pinned, "", "document", draft);
      return status === 200 ? text : status;
    };
    for (const [change, expected] of [
      [() => env.db.run`update canvases set version_id = null where id = ${draft.id}`, "draft"],
      [() => env.db.run`update canvases set revoked_at = 1 where id = ${draft.id}`, "draft"],
      [() => env.db.run`update canvases set archived_at = 1 where id = ${draft.id}`, 404],
      [() => env.db.run`update canvases set archived_at = null, disabled_at = 1 where id = ${draft.id}`, 403],
    ] as const) {
      await change();
      assert.equal(await status(), expected);
    }
    refused(await make({}, { canvas: draft, version }), 409, "DISABLED");
  });

  it("a page tells until when, and ends the preview", async () => {
    const [pinned, other] = [await pin(), await pin()];
    const page = await open(site.people.owner, [pinned], "__preview");
    assert.equal(page.status, 200);
    assert.match(page.headers["content-type"] ?? "", /^text\/html/);
    assert.match(page.text, /<button class="button">Leave the preview<\/button>/);
    assert.ok(
      page.text.includes(site.slug) &&
        page.headers["content-security-policy"]?.includes("default-src 'none'"),
    );
    const none = await open(site.people.owner, [], "__preview");
    assert.deepEqual([none.status, none.headers.location], [303, `${target.base}/c/${site.slug}/`]);
    assert.equal(
      (await later(31 * MINUTE_MS, () => open(site.people.owner, [other], "__preview"))).status,
      303,
    );
    const left = await get(`/c/${site.slug}/__preview`, withCookies(site.people.owner, pinned), "POST");
    assert.deepEqual([left.status, left.headers.location], [303, `${target.base}/c/${site.slug}/`]);
    assert.deepEqual(cookiesOf(left), []);
    assert.ok(
      left.headers["set-cookie"]?.some((each) =>
        each.startsWith(`easel_preview=; Max-Age=0; Path=/c/${site.slug}/;`),
      ),
    );
  });

  it("signedIn: a browser without a session reads as the maker, this canvas alone, for ten minutes", async () => {
    await manage(target, site.people.owner, "PATCH", `/api/canvases/${site.id}/capabilities`, {
      backendEnabled: true,
    });
    const other = await stage(target, { people: site.people, switches: { kv: true } });
    await publish(target, other, { "index.html": "other" });
    await share(target, other, "public_link", {});
    const opened = await get(await link({ signedIn: true }));
    assert.equal(opened.status, 303);
    const session = sessionOf(opened);
    const paths = cookiesOf(opened).filter(({ pair }) => pair === session);
    assert.deepEqual(
      paths.map(({ path }) => path).sort(),
      [`/c/${site.slug}/`, "/sdk/v1.js", `/v1/c/${site.slug}`].sort(),
    );
    for (const { each } of paths) assert.match(each, /Max-Age=600; .*HttpOnly; SameSite=Lax/);
    const both = [pinOf(opened), session];
    assert.equal((await open(null, both)).text, "old page");
    assert.equal((await open(null, [session])).text, "live page");

    const api = (path: string, method = "GET", body?: string) =>
      send(target.base, {
        method,
        path,
        headers: [...withCookies(null, session), ["Content-Type", "application/json"]],
        ...(body === undefined ? {} : { body }),
      });
    const me = await api(`/v1/c/${site.slug}/me`);
    assert.deepEqual([me.status, me.json.email], [200, site.people.editor.email], me.text);
    refused(await api(`/v1/c/${site.slug}/kv/a`, "PUT", "1"), 403, "PERMISSION_DENIED");
    assert.notEqual((await api(`/v1/c/${other.slug}/me`)).status, 200);
    // A visitor of another canvas stays a visitor.
    const visited = await open(null, [session], "", "document", other);
    assert.deepEqual([visited.status, visited.text], [200, "other"]);
    for (const path of ["/api/me", `/api/canvases/${site.id}`, "/api/tokens"])
      assert.equal((await api(path)).status, 401, path);
    const pair = session.split("=")[1] ?? "";
    assert.equal((await get("/api/me", withCookies(null, `easel_session=${pair}`))).status, 401);
    assert.equal((await get("/sdk/v1.js", withCookies(null, session))).status, 200);
    assert.equal((await get("/sdk/v1.js", withCookies(null, changed(session)))).status, 401);
    assert.equal((await open(null, [changed(session)])).status, 401);
    await later(10 * MINUTE_MS + 1, async () => {
      assert.equal((await open(null, both)).status, 401);
      assert.equal((await api(`/v1/c/${site.slug}/me`)).status, 401);
    });
    const acts = await env.db.all<{
      act: string;
      target: string;
      actor_email: string;
      details: string | null;
    }>`
      select act, target, actor_email, details from audit where canvas_id = ${site.id} and act like 'canvas.preview%'
      order by id desc limit 2`;
    const entry = { target: old, actor_email: site.people.editor.email };
    assert.deepEqual(acts, [
      { ...entry, act: "canvas.preview-open", details: null },
      { ...entry, act: "canvas.preview", details: '{"signedIn":true}' },
    ]);
  });

  it("signedIn: a browser with a session stays who it is", async () => {
    const session = sessionOf(await get(await link({ signedIn: true })));
    const me = await get(`/v1/c/${site.slug}/me`, withCookies(site.people.viewer, session));
    assert.equal(me.json.email, site.people.viewer.email);
    refused(await open(site.people.stranger, [session]), 404, "OWNER_ONLY");
  });

  it("without signedIn the browser gets no session", async () => {
    assert.equal(sessionOf(await get(await link())), "");
    const { session, path } = { path: await link(), session: "" };
    const id = await env.db.get<{ id: string }>`select id from previews order by id desc limit 1`;
    await get(path);
    const forged = `easel_preview_session=${id?.id}.${env.signer.sign("preview-session", id?.id ?? "")}`;
    assert.equal((await open(null, [forged, session])).status, 401);
    // A link that has not been opened is no session, either.
    await link({ signedIn: true });
    const unopened = await env.db.get<{ id: string }>`select id from previews order by id desc limit 1`;
    const early = `easel_preview_session=${unopened?.id}.${env.signer.sign("preview-session", unopened?.id ?? "")}`;
    assert.equal((await open(null, [early])).status, 401);
  });

  /** Ways to lose the right to see a version, with the person who makes the link. */
  const LOSSES: [name: string, lose: (maker: Person, canvas: Stage) => Promise<unknown>][] = [
    ["no longer an editor", (_, canvas) => share(target, canvas, "private", {})],
    ["deactivated", ({ email }) => env.db.run`update users set deactivated_at = 1 where email = ${email}`],
    [
      "signed out",
      ({ email }) =>
        env.db.run`delete from sessions where user_id = (select id from users where email = ${email})`,
    ],
    [
      "the session's end",
      ({ email }) =>
        env.db
          .run`update sessions set expires_at = 1 where user_id = (select id from users where email = ${email})`,
    ],
  ];
  for (const [name, lose] of LOSSES)
    it(`the maker loses the right before the link is opened, or after: ${name}`, async () => {
      const canvas = await stage(target);
      const version = await publish(target, canvas, { "index.html": "page" });
      const at = { canvas, version };
      const [plain, signed] = [await link({}, at), await link({ signedIn: true }, at)];
      const opened = await get(await link({ signedIn: true }, at));
      const cookies = [sessionOf(opened), pinOf(opened)];
      assert.equal((await open(null, cookies, "", "document", canvas)).text, "page");
      await lose(canvas.people.editor, canvas);
      notOpened(await get(plain));
      notOpened(await get(signed));
      const after = await open(null, cookies, "", "document", canvas);
      assert.ok([401, 404].includes(after.status), `${after.status} ${after.text}`);
    });

  it("an access token makes links; its end ends their sessions; the scope deploy starts none", async () => {
    const token = async (body: object) => {
      const { json } = await manage(target, site.people.owner, "POST", "/api/tokens", {
        name: "A program",
        ...body,
      });
      const headers: Header[] = [["Authorization", `Bearer ${json.token}`]];
      return { id: String(json.id), person: { ...site.people.owner, headers } };
    };
    const path = `/api/canvases/${site.id}/versions/${old}/preview`;
    const deployer = await token({ scope: "deploy" });
    assert.equal((await manage(target, deployer.person, "POST", path)).status, 201);
    for (const signedIn of [true, false])
      refused(await manage(target, deployer.person, "POST", path, { signedIn }), 403, "PERMISSION_DENIED");
    const program = await token({ expiresAt: Date.now() + DAY_MS });
    const { json } = await manage(target, program.person, "POST", path, { signedIn: true });
    const { pathname, search } = new URL(String(json.url));
    const cookies = [sessionOf(await get(pathname + search))];
    assert.equal((await open(null, cookies)).text, "live page");
    await manage(target, site.people.owner, "DELETE", `/api/tokens/${program.id}`);
    assert.equal((await open(null, cookies)).status, 401);
  });

  it("links that have expired are swept", async () => {
    await link();
    const cleanUp = env.canvasData
      .flatMap(({ cleanUps = [] }) => cleanUps)
      .find(({ what }) => what === "previews");
    await cleanUp?.remove(Date.now() + DAY_MS, env);
    assert.deepEqual(await env.db.all`select id from previews`, []);
  });
});
