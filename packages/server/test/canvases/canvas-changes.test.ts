import assert from "node:assert/strict";
import { before, it } from "node:test";
import { type Cast, cast, freshSlug, manage, type Stage, stage } from "@easel/conformance/fixture";
import { publish as publishAgain } from "@easel/conformance/lifecycle";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import type { Canvas } from "@easel/protocol/types";
import { whole } from "../support/canvas.ts";
import { onEngines } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { DAY_MS, later, MINUTE_MS } from "../support/time.ts";

const MONTH = 30 * DAY_MS;

/** Returns metadata whose JSON has `bytes` bytes. */
const metadataOf = (bytes: number) => ({ text: "m".repeat(bytes - '{"text":""}'.length) });
const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

/** Bodies of PATCH requests, applied one after the other, and the fields of the canvas that each changes. */
const PATCHES: [name: string, patch: object, changed: Partial<Canvas>][] = [
  ["nothing", {}, {}],
  ["a title", { title: "  Renamed  " }, { title: "Renamed" }],
  ["a title of 200 characters", { title: "t".repeat(200) }, { title: "t".repeat(200) }],
  ["a title of any script", { title: "日本語 🎨 <b>" }, { title: "日本語 🎨 <b>" }],
  ["tags", { tags: ["a", "b c"] }, { tags: ["a", "b c"] }],
  [
    "20 tags of 64 characters",
    { tags: Array(20).fill("g".repeat(64)) },
    { tags: Array(20).fill("g".repeat(64)) },
  ],
  ["no tags", { tags: [] }, { tags: [] }],
  [
    "metadata",
    { metadata: { sourceApp: "cli", sourceKind: "folder", n: [1, null, { a: "b" }] } },
    {
      metadata: { sourceApp: "cli", sourceKind: "folder", n: [1, null, { a: "b" }] },
      sourceApp: "cli",
      sourceKind: "folder",
    },
  ],
  [
    "metadata whose entries are no text",
    { metadata: { sourceApp: 1, sourceKind: ["folder"] } },
    { metadata: { sourceApp: 1, sourceKind: ["folder"] }, sourceApp: null, sourceKind: null },
  ],
  ["metadata of 16 KiB", { metadata: metadataOf(16 * 1024) }, { metadata: metadataOf(16 * 1024) }],
  [
    "metadata of strange names",
    { metadata: { constructor: 1, "": 2, "\0": 3 } },
    { metadata: { constructor: 1, "": 2, "\0": 3 } },
  ],
  ["empty metadata", { metadata: {} }, { metadata: {} }],
  ["no metadata", { metadata: null }, { metadata: {} }],
  [
    "the gallery",
    { galleryListed: true, galleryTemplatable: true },
    { galleryListed: true, galleryTemplatable: true },
  ],
  ["a single-page app", { spa: true }, { spa: true }],
  ["a listing", { discoverability: "listed" }, { discoverability: "listed" }],
  [
    "all of it back",
    { galleryListed: false, galleryTemplatable: false, discoverability: "link_only", spa: false },
    { galleryListed: false, galleryTemplatable: false, discoverability: "link_only", spa: false },
  ],
];

/** Invalid bodies of PATCH requests. */
const BAD: [name: string, patch: unknown][] = [
  ["an empty title", { title: "" }],
  ["a title of spaces", { title: " \u2003 " }],
  ["a title of 201 characters", { title: "t".repeat(201) }],
  ["a title with a line break", { title: "a\nb" }],
  ["a title with a NUL", { title: "a\0" }],
  ["a title that is null", { title: null }],
  ["a title that is a number", { title: 1 }],
  ["tags that are text", { tags: "a" }],
  ["tags that are null", { tags: null }],
  ["an empty tag", { tags: ["a", ""] }],
  ["a tag of 65 characters", { tags: ["g".repeat(65)] }],
  ["21 tags", { tags: Array(21).fill("a") }],
  ["a tag that is a number", { tags: [1] }],
  ["a tag with a control character", { tags: ["a\u0007"] }],
  ["metadata that is text", { metadata: "m" }],
  ["metadata that is a list", { metadata: ["m"] }],
  ["metadata that is a number", { metadata: 1 }],
  ["metadata of 16 KiB and a byte", { metadata: metadataOf(16 * 1024 + 1) }],
  ["metadata of 16 KiB in characters and more in bytes", { metadata: { text: "é".repeat(9000) } }],
  ["an archive that is text", { archived: "true" }],
  ["an archive that is null", { archived: null }],
  ["an archive that is a time", { archived: 1_700_000_000_000 }],
  ["a gallery that is a number", { galleryListed: 1 }],
  ["a single-page app that is text", { spa: "yes" }],
  ["a single-page app that is null", { spa: null }],
  ["a template that is null", { galleryTemplatable: null }],
  ["an unknown discoverability", { discoverability: "public" }],
  ["a discoverability that is null", { discoverability: null }],
  ["an access", { access: "whole_org" }],
  ["an owner", { owner: "someone" }],
  ["an id", { id: "other" }],
  ["an organisation", { orgId: "other" }],
  ["a deletion", { deletedAt: null }],
  ["one bad field among good ones", { title: "Good", tags: ["good"], archived: "no" }],
  ["a slug that is null", { slug: null }],
  ["a slug that is a number", { slug: 12345 }],
  ...[
    "",
    "ab",
    "a".repeat(64),
    "UPPER",
    "under_score",
    "-a-",
    "a--",
    "a.b",
    "a/b",
    "xn--abc",
    "admin",
    "www",
    "api",
    "a b",
    "ａｂｃ",
    "abc\n",
  ].map((slug): [string, object] => [`the slug ${JSON.stringify(slug.slice(0, 20))}`, { slug }]),
];

await onEngines("changes of a canvas", (target, env) => {
  let people: Cast;
  let site: Stage;
  before(async () => {
    people = await cast(target);
    site = await fresh();
  });
  async function fresh(slug?: string): Promise<Stage> {
    const made = await stage(target, { people });
    await publish(target, made, { "index.html": "home" });
    if (slug !== undefined) assert.equal((await patch(people.owner, { slug }, made)).status, 200);
    return slug === undefined ? made : { ...made, slug };
  }
  const patch = (person: Person, body: unknown, { id } = site) =>
    manage(target, person, "PATCH", `/api/canvases/${id}`, body as object);
  const read = async ({ id } = site) =>
    whole((await manage(target, people.owner, "GET", `/api/canvases/${id}`)).json);
  const remove = (person: Person, { id } = site) => manage(target, person, "DELETE", `/api/canvases/${id}`);
  const create = (slug: string, person = people.owner) =>
    manage(target, person, "POST", "/api/canvases", { title: "Other", slug });
  const shown = async (slug: string) => (await visit(target, slug, people.viewer)).status;

  for (const [name, body, changed] of PATCHES) {
    it(`PATCH ${name}: 200, and nothing else changes`, async () => {
      const { updatedAt, bundleUpdatedAt, ...asItWas } = await read();
      const answer = await patch(people.editor, body);
      assert.equal(answer.status, 200, answer.text);
      const now = await read();
      assert.ok(now.updatedAt >= updatedAt && bundleUpdatedAt === updatedAt);
      const { updatedAt: _, bundleUpdatedAt: __, ...rest } = now;
      assert.deepEqual(rest, { ...asItWas, ...changed });
      const { viewerRole, ...theirs } = whole(answer.json);
      assert.deepEqual({ ...theirs, viewerRole: "owner" }, now);
      assert.equal(viewerRole, "editor");
    });
  }

  for (const [name, body] of BAD) {
    it(`PATCH ${name}: 400 INVALID_BODY, and nothing changes`, async () => {
      const asItWas = await read();
      const answer = await patch(people.owner, body);
      refused(answer, 400, "INVALID_BODY");
      const slug = (body as { slug?: unknown }).slug;
      if (typeof slug === "string") assert.equal(answer.json.reason, "invalid_slug");
      assert.deepEqual(await read(), asItWas);
    });
  }

  it("metadata nested up to the limit of JSON is stored, deeper is 400", async () => {
    for (const levels of [50, 500, 990, 2000]) {
      const { status, text } = await patch(people.owner, { metadata: nested(levels) });
      assert.ok(status === 200 || status === 400, `${levels} levels: ${status} ${text}`);
      if (levels <= 500) assert.equal(status, 200, `${levels} levels`);
      if (levels >= 1000) assert.equal(status, 400, `${levels} levels`);
    }
    await patch(people.owner, { metadata: null });
  });

  it("`__proto__` in metadata pollutes no prototype", async () => {
    const metadata = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}}}');
    const { status } = await patch(people.owner, { metadata });
    assert.ok(status === 200 || status === 400);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    assert.equal((await read()).sourceApp, null);
    await patch(people.owner, { metadata: null });
  });

  it("only owner and editors may change it", async () => {
    const admin = await target.signIn(target.admin);
    for (const [person, status, code] of [
      [people.viewer, 403, "PERMISSION_DENIED"],
      [people.stranger, 404, "NOT_FOUND"],
      [admin, 404, "NOT_FOUND"],
    ] as const) {
      refused(await patch(person, { title: "Mine" }), status, code);
      refused(await manage(target, person, "POST", `/api/canvases/${site.id}/unpublish`), status, code);
      refused(await remove(person), status, code);
    }
    unauthenticated(await manage(target, null, "PATCH", `/api/canvases/${site.id}`, { title: "Mine" }));
    refused(await remove(people.editor), 403, "OWNER_ONLY");
    assert.equal((await read()).publicationStatus, "published");
  });

  it("archived: no one can open it; owner and editors can restore it unchanged", async () => {
    const from = Date.now();
    assert.equal((await patch(people.editor, { archived: true })).json.publicationStatus, "archived");
    refused(await visit(target, site.slug, people.owner), 404, "ARCHIVED");
    refused(await manage(target, people.viewer, "GET", `/v1/c/${site.slug}/me`), 404, "ARCHIVED");
    const kept = () =>
      env.db.get<{ archived_at: number }>`select archived_at from canvases where id = ${site.id}`;
    const first = await kept();
    assert.ok(Number(first?.archived_at) >= from);
    await later(env, MINUTE_MS, () => patch(people.owner, { archived: true, title: "Still" }));
    assert.deepEqual(await kept(), first);
    assert.equal((await patch(people.owner, { archived: false })).json.publicationStatus, "published");
    assert.equal(await shown(site.slug), 200);
    assert.equal((await patch(people.owner, { archived: false })).status, 200);
  });

  it("unpublished: no page is served until it is published again", async () => {
    const path = `/api/canvases/${site.id}/unpublish`;
    const from = Date.now();
    const { status, json } = await manage(target, people.editor, "POST", path);
    assert.equal(status, 200);
    const canvas = whole(json);
    const { publicationStatus, status: legacy, version } = canvas;
    assert.deepEqual([publicationStatus, legacy, version], ["unpublished", "revoked", null]);
    assert.ok(Number(canvas.revokedAt) >= from);
    refused(await visit(target, site.slug, people.owner), 404, "NOT_FOUND");
    assert.equal((await manage(target, people.viewer, "GET", `/v1/c/${site.slug}/me`)).status, 200);
    const again = await later(env, MINUTE_MS, () => manage(target, people.owner, "POST", path));
    assert.equal(again.json.revokedAt, canvas.revokedAt);
    await publishAgain(target, site, "back");
    assert.deepEqual([(await read()).revokedAt, await shown(site.slug)], [null, 200]);
  });

  it("deleted: every route is 404, also a second DELETE", async () => {
    const gone = await fresh();
    const { status, text } = await remove(people.owner, gone);
    assert.deepEqual([status, text], [204, ""]);
    for (const path of ["", "/versions", "/invites"]) {
      const answer = await manage(target, people.owner, "GET", `/api/canvases/${gone.id}${path}`);
      refused(answer, 404, "NOT_FOUND");
    }
    refused(await remove(people.owner, gone), 404, "NOT_FOUND");
    refused(await patch(people.owner, { title: "Back" }, gone), 404, "NOT_FOUND");
    refused(await visit(target, gone.slug, people.owner), 404, "NOT_FOUND");
    refused(await manage(target, people.owner, "GET", `/v1/c/${gone.slug}/me`), 404, "NOT_FOUND");
    const { json } = await manage(target, people.owner, "GET", "/api/canvases?limit=1000");
    assert.ok(!(json.canvases as Canvas[]).some(({ id }) => id === gone.id));
    refused(await create(gone.slug), 409, "SLUG_TAKEN");
    refused(await patch(people.owner, { slug: gone.slug }), 409, "SLUG_TAKEN");
  });

  it("deleted without a version: its slug is free at once, those that it gave up before stay reserved", async () => {
    const draft = await stage(target, { people });
    const [old, slug] = [draft.slug, freshSlug()];
    assert.equal((await patch(people.owner, { slug }, draft)).status, 200);
    assert.equal((await remove(people.owner, draft)).status, 204);
    refused(await remove(people.owner, draft), 404, "NOT_FOUND");
    refused(await create(old), 409, "SLUG_TAKEN");
    const made = await create(slug, people.stranger);
    assert.equal(made.status, 201, made.text);
    refused(await visit(target, `deleted-${draft.id}`, people.owner), 404, "NOT_FOUND");
  });

  it("deleted without a version, of concurrent creations one has the slug", async () => {
    const { id, slug } = await stage(target, { people });
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => create(slug)),
      manage(target, people.owner, "DELETE", `/api/canvases/${id}`),
      ...[1, 2, 3].map(() => create(slug)),
    ]);
    for (const answer of answers) if (answer.status >= 300) refused(answer, 409, "SLUG_TAKEN");
    const made = answers.filter(({ status }) => status === 201);
    if (made.length === 0) made.push(await create(slug));
    assert.deepEqual(
      made.map(({ status }) => status),
      [201],
    );
  });

  it("disabled: 409 DISABLED with the administrator's reason for every change, and it can be read", async () => {
    const off = await fresh();
    const why = "Because of the logo.";
    await env.db.run`update canvases set disabled_at = 1, disabled_reason = ${why} where id = ${off.id}`;
    for (const [method, path, body] of [
      ["PATCH", "", { title: "On" }],
      ["PATCH", "", {}],
      ["DELETE", ""],
      ["POST", "/unpublish"],
      ["PUT", "/sharing", { access: "whole_org" }],
      ["PATCH", "/capabilities", { kv: false }],
      ["PUT", "/owner", { email: people.editor.email }],
    ] as const) {
      const answer = await manage(target, people.owner, method, `/api/canvases/${off.id}${path}`, body);
      refused(answer, 409, "DISABLED");
      assert.ok(String(answer.json.message).endsWith(why));
    }
    const canvas = await read(off);
    assert.deepEqual([canvas.publicationStatus, canvas.title], ["disabled", "Conformance"]);
  });

  it("a new slug applies at once, and the old one is 404", async () => {
    const moved = await fresh();
    const slug = freshSlug();
    const answer = await patch(people.editor, { slug, title: "Moved" }, moved);
    assert.deepEqual([answer.status, answer.json.slug, answer.json.title], [200, slug, "Moved"]);
    assert.equal(answer.json.url, `${target.base}/c/${slug}/`);
    assert.equal(await shown(slug), 200);
    refused(await visit(target, moved.slug, people.owner), 404, "NOT_FOUND");
    refused(await manage(target, people.owner, "GET", `/v1/c/${moved.slug}/me`), 404, "NOT_FOUND");
    assert.equal((await patch(people.owner, { slug }, moved)).status, 200, "its own slug is its own");
  });

  it("a slug of another canvas: 409 SLUG_TAKEN, and nothing of the patch is saved", async () => {
    const [one, two] = [await fresh(), await fresh()];
    const asItWas = await read(one);
    refused(await patch(people.owner, { slug: two.slug, title: "Both" }, one), 409, "SLUG_TAKEN");
    assert.deepEqual(await read(one), asItWas);
    assert.equal((await read(two)).slug, two.slug);
  });

  it("a former slug is reserved for 30 days, except for its canvas", async () => {
    const [one, two] = [await fresh(), await fresh()];
    const old = one.slug;
    const from = Date.now();
    assert.equal((await patch(people.owner, { slug: freshSlug() }, one)).status, 200);
    refused(await create(old), 409, "SLUG_TAKEN");
    refused(await patch(people.owner, { slug: old }, two), 409, "SLUG_TAKEN");
    const rests = await env.db.get<{ until: number }>`select until from slug_claims where slug = ${old}`;
    assert.ok(Number(rests?.until) >= from + MONTH && Number(rests?.until) <= Date.now() + MONTH);
    const back = await patch(people.owner, { slug: old }, one);
    assert.deepEqual([back.status, await shown(old)], [200, 200], back.text);
    await patch(people.owner, { slug: freshSlug() }, one);
    await env.db.run`update slug_claims set until = ${Date.now() + MINUTE_MS} where slug = ${old}`;
    refused(await create(old, people.stranger), 409, "SLUG_TAKEN");
    await env.db.run`update slug_claims set until = ${Date.now()} where slug = ${old}`;
    refused(await create(old, people.stranger), 409, "SLUG_TAKEN");
    const made = await create(old);
    assert.equal(made.status, 201, made.text);
    refused(await patch(people.owner, { slug: old }, one), 409, "SLUG_TAKEN");
    assert.equal((await visit(target, old, people.viewer)).json.code, "OWNER_ONLY", "another canvas now");
  });

  it("a canvas can take back each of its former slugs, others cannot", async () => {
    const one = await fresh();
    const [first, second, third] = [one.slug, freshSlug(), freshSlug()];
    for (const slug of [second, third]) assert.equal((await patch(people.owner, { slug }, one)).status, 200);
    for (const slug of [first, second, third]) refused(await create(slug), 409, "SLUG_TAKEN");
    assert.equal((await patch(people.owner, { slug: first }, one)).status, 200);
    for (const slug of [second, third]) refused(await create(slug), 409, "SLUG_TAKEN");
  });

  it("concurrent claims of one slug: exactly one succeeds, and none is a 500", async () => {
    for (let rounds = 0; rounds < 5; rounds++) {
      const slug = freshSlug();
      const rivals = await Promise.all([fresh(), fresh(), fresh()]);
      const answers = await Promise.all([
        ...rivals.map((each) => patch(people.owner, { slug, title: "Winner" }, each)),
        ...rivals.map(() => create(slug)),
        ...rivals.map((each) => patch(people.editor, { slug }, each)),
      ]);
      const canvases = new Set(answers.filter(({ status }) => status < 300).map(({ json }) => json.id));
      assert.equal(canvases.size, 1, answers.map(({ status }) => status).join());
      for (const answer of answers) if (answer.status >= 300) refused(answer, 409, "SLUG_TAKEN");
      const rows = await env.db.all`select id from canvases where slug = ${slug}`;
      assert.deepEqual(
        rows.map((row) => ({ ...(row as object) })),
        [{ id: [...canvases][0] }],
      );
    }
  });

  it("concurrent renames of one canvas: it has one of the slugs, the others are reserved, and none is a 500", async () => {
    for (let rounds = 0; rounds < 2; rounds++) {
      const one = await fresh();
      const slugs = [one.slug, freshSlug(), freshSlug()];
      await patch(people.owner, { slug: slugs[1] }, one);
      const answers = await Promise.all(
        [...slugs, ...slugs, ...slugs].map((slug) => patch(people.owner, { slug }, one)),
      );
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const { slug } = await read(one);
      assert.ok(slugs.includes(slug));
      const claims = await env.db.all<{ slug: string; until: number | null }>`
        select slug, until from slug_claims where canvas_id = ${one.id}`;
      assert.equal(claims.length, 3);
      for (const claim of claims)
        assert.equal(claim.until === null, claim.slug === slug, JSON.stringify(claims));
    }
  });

  it("two canvases that swap slugs concurrently: both keep theirs", async () => {
    const [one, two] = [await fresh(), await fresh()];
    const answers = await Promise.all([
      patch(people.owner, { slug: two.slug }, one),
      patch(people.owner, { slug: one.slug }, two),
    ]);
    for (const answer of answers) refused(answer, 409, "SLUG_TAKEN");
    assert.deepEqual([(await read(one)).slug, (await read(two)).slug], [one.slug, two.slug]);
  });

  /** Changes that contain neither a slug nor a precondition, each with a query for its effect. */
  const PLAIN: [method: string, path: string, body: object, kept: (id: string) => Promise<unknown>][] = [
    [
      "PATCH",
      "",
      { title: "Late" },
      (id) => env.db.get`select 1 as one from canvases where id = ${id} and title = ${"Late"}`,
    ],
    [
      "PUT",
      "/sharing",
      { people: [{ email: "late@example.com", role: "viewer" }] },
      (id) =>
        env.db
          .get`select 1 as one from canvas_people where canvas_id = ${id} and email = ${"late@example.com"}`,
    ],
    [
      "PATCH",
      "/capabilities",
      { kv: false },
      (id) => env.db.get`select 1 as one from canvases where id = ${id} and kv = 0`,
    ],
  ];
  for (const [method, path, body, kept] of PLAIN) {
    it(`${method} {canvas}${path} concurrent with DELETE: applied, or 404 and not applied`, async () => {
      for (let rounds = 0; rounds < 4; rounds++) {
        const one = await fresh();
        const at = `/api/canvases/${one.id}${path}`;
        const [gone, answer] = await Promise.all([
          remove(people.owner, one),
          manage(target, people.owner, method, at, body),
        ]);
        assert.equal(gone.status, 204, gone.text);
        if (answer.status === 200) assert.ok(await kept(one.id), "what was answered was done");
        else refused(answer, 404, "NOT_FOUND");
      }
    });
  }
});
