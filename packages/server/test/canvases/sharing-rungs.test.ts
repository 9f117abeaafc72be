import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Cast, cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person, type Target } from "@easel/conformance/target";
import { makeTeam } from "@easel/conformance/team";
import type { Canvas } from "@easel/protocol/types";
import { whole } from "../support/canvas.ts";
import { onSqlite, startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { DAY_MS, HOUR_MS } from "../support/time.ts";

const TOMORROW = Date.now() + DAY_MS;
const CROWD = Array.from({ length: 101 }, (_, index) => `team-${index}`);

/** Share settings, applied in order, and fields of the canvas after each. */
const TERMS: [name: string, body: object, shown: Pick<Canvas, "access" | "hasPassword" | "expiresAt">][] = [
  ["a password", { password: "open sesame" }, { access: "private", hasPassword: true, expiresAt: null }],
  [
    "an end: the password stays",
    { expiresAt: TOMORROW },
    { access: "private", hasPassword: true, expiresAt: TOMORROW },
  ],
  [
    "a rung: both stay",
    { access: "whole_org" },
    { access: "whole_org", hasPassword: true, expiresAt: TOMORROW },
  ],
  ["no password", { password: null }, { access: "whole_org", hasPassword: false, expiresAt: TOMORROW }],
  ["no end", { expiresAt: null }, { access: "whole_org", hasPassword: false, expiresAt: null }],
  [
    "nothing to clear",
    { expiresAt: null, password: null },
    { access: "whole_org", hasPassword: false, expiresAt: null },
  ],
  [
    "everything at once",
    { access: "public_link", password: "open up!".repeat(25), expiresAt: 8.64e15, people: [], teams: [] },
    { access: "public_link", hasPassword: true, expiresAt: 8.64e15 },
  ],
  [
    "the old name of private",
    { access: "specific_people", password: null, expiresAt: null },
    { access: "private", hasPassword: false, expiresAt: null },
  ],
];

/** Invalid sharing settings. */
const BAD: [name: string, body: object][] = [
  ["an empty password", { password: "" }],
  ["a password of seven characters", { password: "abcdefg" }],
  ["one of the most common passwords", { password: "Password123" }],
  ["a password of 201 characters", { password: "p".repeat(201) }],
  ["a password that is a number", { password: 1234 }],
  ["a password that is a list", { password: ["x"] }],
  ["a password that is no password", { password: false }],
  ["an end that has come", { expiresAt: Date.now() - 1 }],
  ["an end at the beginning of time", { expiresAt: 0 }],
  ["an end before it", { expiresAt: -1 }],
  ["an end in words", { expiresAt: new Date(TOMORROW).toISOString() }],
  ["an end as text", { expiresAt: String(TOMORROW) }],
  ["an end between two milliseconds", { expiresAt: TOMORROW + 0.5 }],
  ["an end past all time", { expiresAt: 8.64e15 + 1 }],
  ["an end that is none", { expiresAt: false }],
  ["an access that is null", { access: null }],
  ["people that are a person", { people: { email: "a@example.com", role: "viewer" } }],
  ["teams that are text", { teams: "team" }],
  ["a team by its id alone", { teams: ["team"] }],
  ["a team without a role", { teams: [{ id: "team" }] }],
  ["a team that owns", { teams: [{ id: "team", role: "owner" }] }],
  ["a team that is none", { teams: [{ id: "none", role: "viewer" }] }],
  ["a team with a NUL", { teams: [{ id: "\0", role: "viewer" }] }],
  ["a team that is everyone's", { teams: [{ id: "__proto__", role: "viewer" }] }],
  ["101 teams", { teams: CROWD.map((id) => ({ id, role: "viewer" })) }],
  ["a hash", { passwordHash: "$argon2id$" }],
  ["an organisation", { org: "acme" }],
];

// These start before the first suite, because services stop as soon as no suite is left.
const on = await startDev({ after });
const off = (await startDev({ after }, { SERVICE_PUBLIC_LINKS: "off" })).target;

await onSqlite("sharing settings", (target, env) => {
  let people: Cast;
  let site: Stage;
  before(async () => {
    people = await cast(target);
    site = await stage(target, { people });
    await publish(target, site, { "index.html": "home" });
  });
  const set = (body: object, person: Person = people.owner, { id } = site) =>
    manage(target, person, "PUT", `/api/canvases/${id}/sharing`, body);
  const read = async ({ id } = site) =>
    whole((await manage(target, people.owner, "GET", `/api/canvases/${id}`)).json);
  const hash = async () =>
    (
      await env.db.get<{
        password_hash: string | null;
      }>`select password_hash from canvases where id = ${site.id}`
    )?.password_hash;

  for (const [name, body, shown] of TERMS) {
    it(`PUT sharing with ${name}`, async () => {
      const answer = await set(body);
      assert.equal(answer.status, 200, answer.text);
      const { access, hasPassword, expiresAt } = await read();
      assert.deepEqual({ access, hasPassword, expiresAt }, shown);
      assert.deepEqual(whole(answer.json), await read());
      assert.equal((await hash()) !== null, hasPassword);
    });
  }

  it("the refusal of a short password says how many characters it must have", async () => {
    const { json } = await set({ password: "abcdefg" });
    assert.match(String(json.message), /password.*at least 8 characters, and at most 200/);
  });

  it("a password is stored as a hash and never returned", async () => {
    const answer = await set({ password: "correct horse" });
    assert.match(String(await hash()), /^\$argon2id\$/);
    const kept = [
      answer.json,
      await read(),
      await env.db.all`select * from audit`,
      await env.db.all`select * from canvases`,
    ];
    assert.ok(!JSON.stringify(kept).includes("correct horse"));
    assert.ok(!JSON.stringify(kept.slice(0, 3)).includes("$argon2"));
    const before = await hash();
    await set({ access: "whole_org" });
    assert.equal(await hash(), before);
    await set({ password: "correct horse" });
    assert.notEqual(await hash(), before);
    await set({ password: null, access: "private" });
  });

  for (const [name, body] of BAD) {
    it(`${name}: 400 INVALID_BODY, and nothing is saved`, async () => {
      const listed = [{ email: people.viewer.email, role: "viewer" }];
      await set({ people: listed, teams: [], password: null, expiresAt: null, access: "private" });
      const { updatedAt, ...asItWas } = await read();
      refused(
        await set({ access: "whole_org", people: [], password: "open barley", ...body }),
        400,
        "INVALID_BODY",
      );
      assert.deepEqual(await read(), { ...asItWas, updatedAt });
      assert.equal(await hash(), null);
    });
  }

  it("teams that the caller created or is in, each with a role; the list is replaced whole", async () => {
    const [mine, joined] = [
      await makeTeam(target, people.owner, [people.viewer]),
      await makeTeam(target, people.stranger, [people.owner]),
    ];
    const teams = [
      { id: mine.id, role: "viewer" },
      { id: joined.id, role: "editor" },
    ];
    const shown = async () =>
      (await read()).teams.map(({ id, role }) => ({ id, role })).sort((a, b) => (a.id < b.id ? -1 : 1));
    assert.equal((await set({ teams })).status, 200);
    assert.deepEqual(
      await shown(),
      teams.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    assert.equal((await set({ people: [] })).status, 200);
    assert.equal((await read()).teams.length, 2, "what is left out stays");
    assert.equal((await set({ teams: [{ id: mine.id, role: "editor" }] })).status, 200);
    assert.deepEqual(await shown(), [{ id: mine.id, role: "editor" }]);
    refused(await set({ teams: [teams[0], teams[0]] as object[] }), 400, "INVALID_BODY");
    assert.equal((await set({ teams: [] })).status, 200);
    assert.deepEqual(await shown(), []);
  });

  it("null clears the people, the teams, or both; the other list stays", async () => {
    const team = await makeTeam(target, people.owner, [people.viewer]);
    const full = {
      access: "private",
      people: [{ email: people.viewer.email, role: "viewer" }],
      teams: [{ id: team.id, role: "viewer" }],
    };
    const counts = async () => {
      const { people, teams } = await read();
      return [people.length, teams.length];
    };
    for (const [body, left] of [
      [{ people: null }, [0, 1]],
      [{ teams: null }, [1, 0]],
      [{ people: null, teams: null }, [0, 0]],
    ] as const) {
      await set(full);
      assert.deepEqual(await counts(), [1, 1]);
      const answer = await set(body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(await counts(), left);
    }
    refused(await manage(target, people.viewer, "GET", `/api/canvases/${site.id}`), 404, "NOT_FOUND");
  });

  it("a team that the caller does not see is 400, unless the canvas is already shared with it", async () => {
    const { editor } = people;
    const ownersTeam = await makeTeam(target, people.owner, [people.viewer]);
    const strangersTeam = await makeTeam(target, people.stranger, []);
    await set({
      people: [{ email: editor.email, role: "editor" }],
      teams: [{ id: ownersTeam.id, role: "viewer" }],
    });
    refused(await set({ teams: [{ id: strangersTeam.id, role: "viewer" }] }), 400, "INVALID_BODY");
    const kept = await set({ teams: [{ id: ownersTeam.id, role: "editor" }], access: "whole_org" }, editor);
    assert.equal(kept.status, 200, kept.text);
    await set({ teams: [] }, editor);
    refused(await set({ teams: [{ id: ownersTeam.id, role: "viewer" }] }, editor), 400, "INVALID_BODY");
    await set({ access: "private", people: [] });
  });

  it("the summary counts people and teams, and names a few of them", async () => {
    const team = await makeTeam(target, people.owner, []);
    const crowd = Array.from({ length: 6 }, (_, index) => ({
      email: `p${index}@example.com`,
      role: "viewer",
    }));
    await set({ people: crowd, teams: [{ id: team.id, role: "viewer" }] });
    assert.deepEqual((await read()).audienceSummary, { count: 7, names: ["A team"] });
    await set({ people: [], teams: [] });
  });

  it("viewers and strangers may not share, and see neither people nor teams", async () => {
    const { viewer, stranger } = people;
    await set({ people: [{ email: viewer.email, role: "viewer" }] });
    refused(await set({ access: "whole_org" }, viewer), 403, "PERMISSION_DENIED");
    refused(await set({ access: "whole_org" }, stranger), 404, "NOT_FOUND");
    refused(await set({ access: "whole_org" }, await target.signIn(target.admin)), 404, "NOT_FOUND");
    const seen = whole((await manage(target, viewer, "GET", `/api/canvases/${site.id}`)).json);
    assert.deepEqual([seen.people, seen.teams, seen.audienceSummary], [[], [], { count: null, names: [] }]);
  });

  it("an editor who removes their own role gets the saved settings in the response", async () => {
    const { editor } = people;
    await set({ people: [{ email: editor.email, role: "editor" }] });
    const end = Date.now() + HOUR_MS;
    const left = await set(
      { people: [], password: "open sesame", expiresAt: end, access: "whole_org" },
      editor,
    );
    assert.equal(left.status, 200, left.text);
    const { hasPassword, expiresAt, access, people: listed } = whole(left.json);
    assert.deepEqual(
      { hasPassword, expiresAt, access, listed },
      { hasPassword: true, expiresAt: end, access: "whole_org", listed: [] },
    );
    refused(await set({}, editor), 404, "NOT_FOUND");
    await set({ password: null, expiresAt: null, access: "private" });
  });

  it("an expiry takes effect at its time, except for owner and editors", async () => {
    const { owner, editor, viewer, stranger } = people;
    await set({ access: "whole_org", password: null, people: [{ email: editor.email, role: "editor" }] });
    await env.db.run`update canvases set expires_at = ${Date.now()} where id = ${site.id}`;
    for (const person of [viewer, stranger]) {
      refused(await visit(target, site.slug, person), 404, "SHARE_EXPIRED");
      refused(await manage(target, person, "GET", `/v1/c/${site.slug}/me`), 404, "SHARE_EXPIRED");
    }
    for (const person of [owner, editor]) assert.equal((await visit(target, site.slug, person)).status, 200);
    const canvas = await read();
    assert.deepEqual([canvas.publicationStatus, canvas.status], ["expired", "expired"]);
    await set({ expiresAt: null });
    assert.equal((await visit(target, site.slug, viewer)).status, 200);
  });

  it("concurrent settings: one request's are saved, as a whole", async () => {
    const ends = [1, 2, 3, 4].map((hours) => Date.now() + hours * HOUR_MS);
    const sets = ends.map((expiresAt, index) => ({
      expiresAt,
      access: index % 2 === 0 ? "private" : "whole_org",
      password: index % 2 === 0 ? "open sesame" : null,
      people: [{ email: `p${index}@example.com`, role: "viewer", name: null }],
    }));
    const answers = await Promise.all(sets.map((body) => set(body)));
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const { access, expiresAt, hasPassword, people: listed } = await read();
    const found = sets.find((each) => each.expiresAt === expiresAt);
    assert.deepEqual([access, hasPassword, listed], [found?.access, found?.password !== null, found?.people]);
  });
});

describe("public links", () => {
  const link = (target: Target, person: Person, { id }: Stage, body: object = { access: "public_link" }) =>
    manage(target, person, "PUT", `/api/canvases/${id}/sharing`, body);
  const forbid = ({ email }: Person) =>
    on.env.db.run`update users set can_publish_public = 0 where email = ${email}`;

  it("switched off by the deployment: 403 PUBLIC_LINKS_DISABLED, for owner and editor", async () => {
    const site = await stage(off);
    for (const person of [site.people.owner, site.people.editor]) {
      refused(await link(off, person, site), 403, "PUBLIC_LINKS_DISABLED");
    }
    const { json } = await manage(off, site.people.owner, "GET", `/api/canvases/${site.id}`);
    assert.equal(json.access, "private");
    assert.equal((await link(off, site.people.owner, site, { access: "whole_org" })).status, 200);
  });

  it("switched off by administrators: the same, and existing links close at once", async () => {
    const { target, env } = on;
    const site = await stage(target, { access: "public_link" });
    await publish(target, site, { "index.html": "home" });
    assert.equal((await visit(target, site.slug, null)).status, 200);
    await env.db.run`insert into instance_settings (name, value) values ('publicLinks', 'false')`;
    try {
      unauthenticated(await visit(target, site.slug, null));
      refused(await visit(target, site.slug, site.people.stranger), 404, "OWNER_ONLY");
      assert.equal((await visit(target, site.slug, site.people.viewer)).status, 200);
      refused(await link(target, site.people.owner, site), 403, "PUBLIC_LINKS_DISABLED");
      assert.equal((await link(target, site.people.owner, site, { password: "open sesame" })).status, 200);
      await link(target, site.people.owner, site, { password: null });
    } finally {
      await env.db.run`delete from instance_settings`;
    }
    assert.equal((await visit(target, site.slug, null)).status, 200);
  });

  it("an owner without the right: PUBLIC_NOT_ALLOWED, for an editor PUBLIC_LINK_OWNER_GATED; nothing is saved", async () => {
    const { target } = on;
    const site = await stage(target);
    await forbid(site.people.owner);
    const body = { access: "public_link", people: [], password: "open sesame" };
    const asItWas = (await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`)).json;
    refused(await link(target, site.people.owner, site, body), 403, "PUBLIC_NOT_ALLOWED");
    refused(await link(target, site.people.editor, site, body), 403, "PUBLIC_LINK_OWNER_GATED");
    assert.deepEqual(
      (await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`)).json,
      asItWas,
    );
  });

  it("an editor without the right on a canvas whose owner has it: 200", async () => {
    const { target } = on;
    const site = await stage(target);
    await forbid(site.people.editor);
    assert.equal((await link(target, site.people.editor, site)).status, 200);
  });

  it("where instance and owner both forbid it, PUBLIC_LINKS_DISABLED comes first", async () => {
    const { target, env } = on;
    const site = await stage(target);
    await forbid(site.people.owner);
    await env.db.run`insert into instance_settings (name, value) values ('publicLinks', 'false')`;
    try {
      for (const person of [site.people.owner, site.people.editor])
        refused(await link(target, person, site), 403, "PUBLIC_LINKS_DISABLED");
    } finally {
      await env.db.run`delete from instance_settings`;
    }
  });

  it("a caller who may not share gets that refusal, not one about links", async () => {
    const { target } = on;
    const site = await stage(target);
    await forbid(site.people.owner);
    refused(await link(target, site.people.viewer, site), 403, "PERMISSION_DENIED");
    refused(await link(target, site.people.stranger, site), 404, "NOT_FOUND");
  });

  it("pages are open to anyone, the runtime API to owner and editors only", async () => {
    const { target } = on;
    const site = await stage(target, { access: "public_link" });
    await publish(target, site, { "index.html": "home" });
    const { owner, editor, viewer, stranger } = site.people;
    for (const person of [null, stranger, viewer, editor, owner])
      assert.equal((await visit(target, site.slug, person)).text, "home");
    const me = (person: Person | null) => manage(target, person, "GET", `/v1/c/${site.slug}/me`);
    for (const person of [null, stranger, viewer]) refused(await me(person), 403, "STATIC_ONLY");
    for (const person of [editor, owner]) assert.equal((await me(person)).status, 200);
    const late = await target.signIn(freshEmail("late"));
    refused(await me(late), 403, "STATIC_ONLY");
  });
});
