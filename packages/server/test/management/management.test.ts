import assert from "node:assert/strict";
import { before, it } from "node:test";
import { freshSlug, manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { CAPABILITIES } from "@easel/protocol/capabilities";
import { whole } from "../support/canvas.ts";
import { onSqlite } from "../support/engines.ts";

/** The fields that every new canvas has, apart from those that the request sets. */
const NEW = {
  access: "private",
  accessMode: "restricted",
  publicationStatus: "draft",
  status: "private",
  hasPassword: false,
  viewerRole: "owner",
  version: null,
  disabledReason: null,
  revokedAt: null,
  expiresAt: null,
  metadata: {},
  people: [],
  teams: [],
  audienceSummary: { count: 0, names: [] },
  galleryListed: false,
  galleryTemplatable: false,
  discoverability: "link_only",
  spa: false,
  capabilities: {
    backendEnabled: false,
    kv: true,
    files: true,
    ai: true,
    realtime: true,
    authoring: false,
    aiAudience: "editors",
    connectionsAudience: "editors",
    authoringAudience: "viewers",
    guestAi: false,
  },
  capabilitiesOff: Object.fromEntries(Object.keys(CAPABILITIES).map((name) => [name, "backend_off"])),
};

await onSqlite("POST /api/canvases", (target, env) => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
  });
  const create = (body: object) => manage(target, site.people.owner, "POST", "/api/canvases", body);

  it("201 with the canvas", async () => {
    const [slug, from] = [freshSlug(), Date.now()];
    const answer = await create({ title: "  Quarterly  ", slug, tags: ["a", "b"] });
    assert.equal(answer.status, 201, answer.text);
    const canvas = whole(answer.json);
    const { id, createdBy, createdAt, updatedAt, owner, ...rest } = canvas;
    const me = (await manage(target, site.people.owner, "GET", "/api/me")).json;
    assert.deepEqual(owner, { id: me.id, email: site.people.owner.email, name: site.people.owner.name });
    assert.equal(createdBy, me.id);
    assert.ok(createdAt >= from && createdAt <= Date.now() && updatedAt === createdAt);
    const {
      bundleUpdatedAt,
      sourceApp,
      sourceKind,
      runtimePolicy,
      runtimePolicyRevision,
      sharingRevision,
      ...shown
    } = rest;
    assert.deepEqual(shown, {
      ...NEW,
      slug,
      url: `${target.base}/c/${slug}/`,
      title: "Quarterly",
      tags: ["a", "b"],
    });
    assert.deepEqual((await manage(target, site.people.owner, "GET", `/api/canvases/${id}`)).json, canvas);
  });

  const titles: [title: string, slug: RegExp][] = [
    ["Sales of the First Quarter!", /^sales-of-the-first-quarter$/],
    ["  Čau, Ñandú & Ångström  ", /^cau-nandu-angstroem$/],
    ["Admin", /^admin-[a-z0-9]{4}$/],
    ["日本語", /^ribenyu(-[a-z0-9]{4})?$/],
    ["--", /^canvas-[a-z0-9]{4}$/],
    ["a", /^canvas-[a-z0-9]{4}$/],
    ["xn--mnchen", /^xn-mnchen$/],
    ["a very long title ".repeat(11), /^a-very-long-title(-[a-z]+)*$/],
    ["../../etc/passwd", /^etc-passwd$/],
    ["<script>alert(1)</script>", /^script-alert-1-script$/],
  ];
  for (const [title, slug] of titles) {
    it(`the slug of ${JSON.stringify(title.slice(0, 30))} is like ${slug}`, async () => {
      const answer = await create({ title });
      assert.equal(answer.status, 201, answer.text);
      assert.match(String(answer.json.slug), slug);
    });
  }

  it("the same title again: another slug, also for concurrent requests", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ title: "Same Title" })));
    const slugs = answers.map(({ json }) => String(json.slug));
    assert.equal(new Set(slugs).size, 8, slugs.join());
    assert.ok(slugs.includes("same-title"));
  });

  it("a taken slug: 409 SLUG_TAKEN, also of a recently deleted canvas", async () => {
    const slug = freshSlug();
    const { id } = (await create({ title: "First", slug })).json;
    refused(await create({ title: "Second", slug }), 409, "SLUG_TAKEN");
    await env.db.run`update canvases set deleted_at = ${Date.now()} where id = ${String(id)}`;
    refused(await create({ title: "Third", slug }), 409, "SLUG_TAKEN");
  });

  it("of two concurrent requests for one slug one succeeds", async () => {
    const slug = freshSlug();
    const answers = await Promise.all([create({ title: "One", slug }), create({ title: "Two", slug })]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
  });

  const bad = [
    "",
    "ab",
    "a".repeat(64),
    "UPPER",
    "under_score",
    "-start",
    "end-",
    "a.b",
    "a/b",
    "ä-b",
    "xn--a-b",
    " abc",
    "abc\n",
  ];
  for (const slug of [...bad, "api", "admin", "www", "auth", "healthz"]) {
    it(`slug ${JSON.stringify(slug).slice(0, 20)}: 400 INVALID_BODY, reason invalid_slug`, async () => {
      const answer = await create({ title: "Bad slug", slug });
      refused(answer, 400, "INVALID_BODY");
      assert.equal(answer.json.reason, "invalid_slug");
    });
  }

  const bodies: [name: string, body: object][] = [
    ["no title", {}],
    ["an empty title", { title: "" }],
    ["a title of spaces", { title: " \u00a0 " }],
    ["a title of 201 characters", { title: "t".repeat(201) }],
    ["a title with a NUL", { title: "a\0b" }],
    ["a title with a line break", { title: "a\nb" }],
    ["a title that is no text", { title: ["a"] }],
    ["tags that are no list", { title: "Title", tags: "a" }],
    ["an empty tag", { title: "Title", tags: [""] }],
    ["a tag of 65 characters", { title: "Title", tags: ["t".repeat(65)] }],
    ["a tag with a NUL", { title: "Title", tags: ["a\0"] }],
    ["21 tags", { title: "Title", tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }],
    ["a slug that is null", { title: "Title", slug: null }],
    ["an unknown field", { title: "Title", owner: "me" }],
    ["an id", { title: "Title", id: "mine" }],
    ["a list", [{ title: "Title" }]],
  ];
  for (const [name, body] of bodies) {
    it(`${name}: 400 INVALID_BODY, and no canvas is created`, async () => {
      const count = () => env.db.get<{ count: number }>`select count(*) as count from canvases`;
      const previous = await count();
      refused(await create(body), 400, "INVALID_BODY");
      assert.deepEqual(await count(), previous);
    });
  }

  it("the longest title and tags", async () => {
    const longest = {
      title: "t".repeat(200),
      tags: Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(64, "t")),
    };
    const { status, json } = await create(longest);
    assert.deepEqual([status, json.title, json.tags], [201, longest.title, longest.tags]);
  });
});
