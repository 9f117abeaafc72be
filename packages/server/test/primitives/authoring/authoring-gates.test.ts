import assert from "node:assert/strict";
import { before, beforeEach, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { open, type Page } from "@easel/conformance/page";
import { freshEmail } from "@easel/conformance/target";
import type { Json } from "@easel/protocol/types";
import type { Config } from "../../../src/config/config.ts";
import { onSqlite } from "../../support/engines.ts";
import { DAY_MS } from "../../support/time.ts";
import { listed, publish, share, update } from "./share-form.ts";

type Metadata = { [name: string]: Json };
type Outcome = [status: number, code?: string, reason?: string];

const IN_A_DAY = Date.now() + DAY_MS;
const IN_A_WEEK = Date.now() + 7 * DAY_MS;
const OK: Outcome = [200];
const INVALID: Outcome = [400, "INVALID_BODY"];
const PUBLIC = { access: "public_link" };
const LOCKED = { access: "password", password: "p" };

/** Settings of the deployment, metadata of a new canvas, and the outcome of publishing it. The author may publish public links. */
const NEW: [name: string, config: Partial<Config>, metadata: Metadata, Outcome][] = [
  ["defaults: private", {}, {}, OK],
  ["defaults: specific_people", {}, { access: "specific_people" }, OK],
  ["defaults: whole_org", {}, { access: "whole_org" }, OK],
  ["defaults: public_link", {}, PUBLIC, OK],
  ["defaults: password", {}, LOCKED, OK],
  ["defaults: a password on a private canvas", {}, { password: "p" }, OK],
  ["rungs without private: the default access", { authoringRungs: ["whole_org"] }, {}, INVALID],
  ["rungs without whole_org", { authoringRungs: ["private"] }, { access: "whole_org" }, INVALID],
  ["rungs without public_link", { authoringRungs: ["private", "whole_org"] }, PUBLIC, INVALID],
  ["rungs without public_link: password", { authoringRungs: ["private"] }, LOCKED, INVALID],
  ["rungs with password: a link with one", { authoringRungs: ["password"] }, LOCKED, OK],
  ["rungs with password: a link without one", { authoringRungs: ["password"] }, PUBLIC, INVALID],
  [
    "rungs with password: public_link with one",
    { authoringRungs: ["password"] },
    { ...PUBLIC, password: "p" },
    OK,
  ],
  ["specific_people allows private", { authoringRungs: ["specific_people"] }, {}, OK],
  ["private allows specific_people", { authoringRungs: ["private"] }, { access: "specific_people" }, OK],
  ["links off", { publicLinks: false }, PUBLIC, [403, "PUBLIC_LINKS_DISABLED"]],
  ["links off: password", { publicLinks: false }, LOCKED, [403, "PUBLIC_LINKS_DISABLED"]],
  ["links off: whole_org", { publicLinks: false }, { access: "whole_org" }, OK],
  ["no maximum of expiry", {}, { expiresAt: IN_A_WEEK }, OK],
  ["within the maximum", { authoringMaxExpiryDays: 2 }, { expiresAt: IN_A_DAY }, OK],
  ["beyond the maximum", { authoringMaxExpiryDays: 2 }, { expiresAt: IN_A_WEEK }, INVALID],
  ["a maximum, and no expiry", { authoringMaxExpiryDays: 2 }, {}, OK],
  ["required and missing", { authoringRequireExpiry: true }, {}, INVALID],
  ["required and given", { authoringRequireExpiry: true }, { expiresAt: IN_A_DAY }, OK],
  ["in the past", {}, { expiresAt: 1 }, INVALID],
  // With two faults, the response is about the one that is checked first.
  ["access before links", { authoringRungs: ["private"], publicLinks: false }, PUBLIC, INVALID],
  [
    "links before expiry",
    { publicLinks: false },
    { ...PUBLIC, expiresAt: 1 },
    [403, "PUBLIC_LINKS_DISABLED"],
  ],
  ["password before links", { publicLinks: false }, { access: "password" }, INVALID],
  ["expiry before quota", { authoringDailyMax: 0 }, { expiresAt: 1 }, INVALID],
  ["quota before slug", { authoringDailyMax: 0 }, { slug: "-" }, [429, "QUOTA_EXCEEDED"]],
  ["a slug that is none", {}, { slug: "-" }, [400, "INVALID_BODY", "invalid_slug"]],
];

/** With organisations: the e-mail domain of the author, metadata of a new canvas, and the outcome of publishing it. */
const HOMES: [name: string, domain: string, metadata: Metadata, Outcome][] = [
  ["the organisation of the author", "acme.example", { access: "whole_org" }, OK],
  ["the same by its id", "acme.example", { access: "whole_org", orgId: "acme" }, OK],
  ["another organisation", "acme.example", { orgId: "other" }, [400, "INVALID_BODY", "org_forbidden"]],
  ["no organisation", "elsewhere.example", {}, OK],
  ["no organisation: whole_org", "elsewhere.example", { access: "whole_org" }, [409, "ORG_REQUIRED"]],
  [
    "the organisation before access",
    "acme.example",
    { orgId: "other", access: "public_link" },
    [400, "INVALID_BODY", "org_forbidden"],
  ],
];

/** Metadata of a canvas that is published with default settings, later settings of the deployment, an update, and its outcome. */
const UPDATES: [name: string, made: Metadata, config: Partial<Config>, change: Metadata, Outcome][] = [
  [
    "a title where its access is no longer allowed",
    PUBLIC,
    { authoringRungs: ["private"] },
    { title: "New" },
    OK,
  ],
  ["a title where links are off", PUBLIC, { publicLinks: false }, { title: "New" }, OK],
  ["a title where an expiry is required", {}, { authoringRequireExpiry: true }, { title: "New" }, OK],
  [
    "a password where its access is not allowed",
    PUBLIC,
    { authoringRungs: ["private"] },
    { password: "p" },
    INVALID,
  ],
  [
    "an expiry where links are off",
    PUBLIC,
    { publicLinks: false },
    { expiresAt: IN_A_DAY },
    [403, "PUBLIC_LINKS_DISABLED"],
  ],
  ["access that is allowed", PUBLIC, { authoringRungs: ["private"] }, { access: "private" }, OK],
  [
    "clearing the password that the link needs",
    LOCKED,
    { authoringRungs: ["password"] },
    { password: null },
    INVALID,
  ],
  ["clearing it where links need none", LOCKED, {}, { password: null }, OK],
  ["access password with the stored one", { password: "p" }, {}, { access: "password" }, OK],
  ["access password without any", {}, {}, { access: "password" }, INVALID],
  [
    "access password while clearing it",
    { password: "p" },
    {},
    { access: "password", password: null },
    INVALID,
  ],
  [
    "dropping a required expiry",
    { expiresAt: IN_A_DAY },
    { authoringRequireExpiry: true },
    { expiresAt: null },
    INVALID,
  ],
  ["dropping an expiry", { ...PUBLIC, expiresAt: IN_A_DAY }, {}, { expiresAt: null }, OK],
  [
    "access without a required expiry",
    {},
    { authoringRequireExpiry: true },
    { access: "whole_org" },
    INVALID,
  ],
  [
    "access with the stored expiry",
    { expiresAt: IN_A_DAY },
    { authoringRequireExpiry: true },
    { access: "whole_org" },
    OK,
  ],
  ["an expiry beyond the maximum", {}, { authoringMaxExpiryDays: 2 }, { expiresAt: IN_A_WEEK }, INVALID],
  [
    "access with a stored expiry beyond it",
    { expiresAt: IN_A_WEEK },
    { authoringMaxExpiryDays: 2 },
    { access: "whole_org" },
    INVALID,
  ],
  ["an expiry in the past", {}, {}, { expiresAt: 1 }, INVALID],
  ["a stale state after a gate", {}, {}, { expiresAt: 1, expectedUpdatedAt: 1 }, INVALID],
  ["a stale state", {}, {}, { title: "New", expectedUpdatedAt: 1 }, [409, "SHARE_CONFLICT"]],
];

/**
 * Metadata of a canvas that is published with default settings, later settings of the deployment, an update with a bundle, and its outcome,
 * which is the same for a published and for a revoked canvas.
 */
const DEPLOYS: [name: string, made: Metadata, config: Partial<Config>, change: Metadata, Outcome][] = [
  ["all allowed", PUBLIC, {}, {}, OK],
  ["access that is no longer allowed", PUBLIC, { authoringRungs: ["private"] }, {}, INVALID],
  ["the same with a title", PUBLIC, { authoringRungs: ["private"] }, { title: "New" }, INVALID],
  [
    "access that is no longer allowed, and other access",
    PUBLIC,
    { authoringRungs: ["private"] },
    { access: "private" },
    OK,
  ],
  ["links off", PUBLIC, { publicLinks: false }, {}, [403, "PUBLIC_LINKS_DISABLED"]],
  ["an expiry that is now required", {}, { authoringRequireExpiry: true }, {}, INVALID],
  ["the same, given", {}, { authoringRequireExpiry: true }, { expiresAt: IN_A_DAY }, OK],
  ["an expiry beyond the maximum", { expiresAt: IN_A_WEEK }, { authoringMaxExpiryDays: 2 }, {}, INVALID],
  ["a link that needs its password", LOCKED, { authoringRungs: ["password"] }, {}, OK],
];

await onSqlite(
  "the gates of authoring",
  (target, env) => {
    const { config } = env;
    let site: Stage;
    let author: Page;
    before(async () => {
      site = await stage(target, { switches: { authoring: true }, access: "whole_org" });
      await env.db
        .run`insert into orgs (id, name, created_at) values ('acme', 'Acme', 1), ('other', 'Other', 1)`;
      await env.db.run`insert into org_domains (domain, org_id) values ('acme.example', 'acme')`;
    });
    beforeEach(async () => {
      env.config = config;
      author = open(target, site.slug, await target.signIn(freshEmail("author")));
    });

    for (const [name, settings, metadata, [status, code, reason]] of NEW) {
      it(`${name}: ${status} ${code ?? ""}`, async () => {
        env.config = { ...config, ...settings };
        const answer = await publish(author, metadata);
        assert.deepEqual(
          [answer.status, answer.json.code, answer.json.reason],
          [status, code, reason],
          answer.text,
        );
        env.config = config;
        assert.equal((await listed(author)).length, status === 200 ? 1 : 0);
      });
    }

    for (const [name, domain, metadata, [status, code, reason]] of HOMES) {
      it(`tenancy, ${name}: ${status} ${code ?? ""}`, async () => {
        const email = freshEmail("author").replace("example.com", domain);
        const people = [{ email, role: "viewer" }];
        await env.db.run`
          insert into canvas_people (canvas_id, email, role) values (${site.id}, ${people[0]?.email ?? ""}, 'viewer')`;
        const page = open(target, site.slug, await target.signIn(email));
        env.config = { ...config, tenancy: true, authoringRungs: ["private", "whole_org"] };
        const answer = await publish(page, metadata);
        assert.deepEqual(
          [answer.status, answer.json.code, answer.json.reason],
          [status, code, reason],
          answer.text,
        );
        assert.equal((await listed(page)).length, status === 200 ? 1 : 0);
      });
    }

    for (const [name, made, settings, change, [status, code]] of UPDATES) {
      it(`an update, ${name}: ${status} ${code ?? ""}`, async () => {
        const before = share(await publish(author, made));
        env.config = { ...config, ...settings };
        const answer = await update(author, before.id, change);
        assert.deepEqual([answer.status, answer.json.code], [status, code], answer.text);
        env.config = config;
        const [current] = await listed(author);
        if (status === 200) assert.deepEqual(current, answer.json);
        else assert.deepEqual(current, before);
      });
    }

    for (const [name, made, settings, change, [status, code]] of DEPLOYS) {
      for (const state of ["published", "revoked"] as const) {
        it(`a bundle for a ${state} canvas, ${name}: ${status} ${code ?? ""}`, async () => {
          const { id } = share(await publish(author, made));
          if (state === "revoked") assert.equal((await author.delete(`/authoring/${id}`)).status, 204);
          const [before] = await listed(author);
          env.config = { ...config, ...settings };
          const answer = await update(author, id, change, { "index.html": "new" });
          assert.deepEqual([answer.status, answer.json.code], [status, code], answer.text);
          env.config = config;
          const [current] = await listed(author);
          assert.deepEqual(current, status === 200 ? answer.json : before);
          if (status === 200) assert.equal(current?.publicationStatus, "published");
        });
      }
    }

    it("an author and an editor where the author may not publish links: 403, each with its own code", async () => {
      const made = share(await publish(author, {}));
      const { email } = site.people.editor;
      await env.db
        .run`insert into canvas_people (canvas_id, email, role) values (${made.id}, ${email}, 'editor')`;
      await env.db.run`update users set can_publish_public = 0 where id = ${made.createdBy}`;
      const codes = [];
      for (const answer of [
        await publish(author, PUBLIC),
        await update(author, made.id, PUBLIC),
        await update(site.pages.editor, made.id, PUBLIC),
        await update(site.pages.editor, made.id, { access: "whole_org" }),
      ])
        codes.push([answer.status, answer.json.code]);
      assert.deepEqual(codes, [
        [403, "PUBLIC_NOT_ALLOWED"],
        [403, "PUBLIC_NOT_ALLOWED"],
        [403, "PUBLIC_LINK_OWNER_GATED"],
        [200, undefined],
      ]);
    });
  },
  {
    SERVICE_AUTHORING: "on",
  },
);
