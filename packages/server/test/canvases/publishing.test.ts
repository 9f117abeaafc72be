import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { before, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { LIMITS } from "@easel/protocol/limits";
import type { User } from "../../src/access/principal.ts";
import { createCanvas } from "../../src/canvases/publishing/create.ts";
import { publishStored, storeBundle } from "../../src/canvases/publishing/deploy.ts";
import {
  checkSharing,
  passwordHashOf,
  type SharingSettings,
  saveSharing,
} from "../../src/canvases/publishing/sharing-settings.ts";
import { uploadsOf, withUpload } from "../../src/canvases/publishing/upload.ts";
import { findCanvas } from "../../src/canvases/store.ts";
import { deleteCanvas, patchCanvas } from "../../src/canvases/update.ts";
import { publishVersion } from "../../src/canvases/versions.ts";
import { currentView } from "../../src/canvases/view.ts";
import type { Env } from "../../src/env.ts";
import { upsertUser } from "../../src/identity/users.ts";
import { onSqlite } from "../support/engines.ts";
import { DAY_MS } from "../support/time.ts";
import { zip } from "../support/zip.ts";

/** The time of the service's clock in these tests. */
const NOW = 1_800_000_000_000;

async function* chunked(...chunks: Uint8Array[]) {
  yield* chunks;
}

/** Streams more bytes than the largest allowed bundle has. */
async function* tooMany() {
  const chunk = Buffer.alloc(1024 * 1024);
  for (let sent = 0; sent <= LIMITS.bundleBytes.value; sent += chunk.length) yield chunk;
}

const refusal =
  (status: number, code: ErrorCode, fields: object = {}) =>
  (error: unknown) => {
    const { status: given, body } = error as { status: number; body: Record<string, unknown> };
    const named = Object.fromEntries(Object.keys(fields).map((name) => [name, body[name]]));
    assert.deepEqual([given, body.code, named], [status, code, fields]);
    return true;
  };

/** Share settings that the service refuses, who sends them, and the refusal. */
const REFUSED: [name: string, by: "owner" | "editor", SharingSettings, status: number, ErrorCode][] = [
  ["an expiry in the past", "owner", { expiresAt: NOW }, 400, "INVALID_BODY"],
  ["a team that does not exist", "owner", { teams: [{ id: "none", role: "viewer" }] }, 400, "INVALID_BODY"],
  [
    "the owner on the people list",
    "editor",
    { people: [{ email: "owner@acme.example", role: "viewer" }] },
    400,
    "INVALID_BODY",
  ],
  [
    "a public link of an owner without the right",
    "owner",
    { access: "public_link" },
    403,
    "PUBLIC_NOT_ALLOWED",
  ],
  ["the same by an editor", "editor", { access: "public_link" }, 403, "PUBLIC_LINK_OWNER_GATED"],
];

await onSqlite(
  "publishing without HTTP",
  (_target, service) => {
    const env: Env = { ...service, clock: () => NOW };
    let owner: User;
    let editor: User;
    let homeless: User;
    const user = async (email: string) => (await upsertUser(env.db, email, null, NOW)) as User;

    before(async () => {
      await env.db.run`insert into orgs (id, name, created_at) values ('acme', 'Acme', ${NOW})`;
      await env.db.run`insert into org_domains (domain, org_id) values ('acme.example', 'acme')`;
      owner = await user("owner@acme.example");
      editor = await user("editor@acme.example");
      homeless = await user("someone@elsewhere.example");
      await env.db.run`update users set can_publish_public = 0 where id = ${owner.id}`;
    });

    const make = (by = owner) => createCanvas(by, { title: "Tea list", tags: [] }, env);
    const rowOf = async (id: string, by: User) => {
      const row = await findCanvas(id, by, env);
      assert.ok(row);
      return row;
    };
    const store = (id: string, source: AsyncIterable<Uint8Array>, size = 0) =>
      withUpload(source, size, env, (file) => storeBundle(id, owner.id, file, env));
    const canvases = () => env.db.all`select * from canvases order by id`;

    it("creates a canvas in its creator's organisation, with a slug that is made from its title", async () => {
      const { id, slug } = await make();
      const { org_id, role } = await rowOf(id, owner);
      assert.match(slug, /^tea-list/);
      assert.deepEqual([org_id, role], ["acme", "owner"]);
      const other = await make(homeless);
      assert.equal((await rowOf(other.id, homeless)).org_id, null);
    });

    it("refuses slugs, organisations and more canvases than the quota, and creates nothing", async () => {
      const { slug } = await make();
      const asItWas = await canvases();
      const create = (given: { slug?: string; orgId?: string }, within = env) =>
        createCanvas(owner, { title: "Tea", tags: [], ...given }, within);
      const invalid = refusal(400, "INVALID_BODY", { reason: "invalid_slug" });
      for (const wrong of ["api", "Tea", "t", "a--".repeat(30)])
        await assert.rejects(create({ slug: wrong }), invalid);
      await assert.rejects(create({ slug }), refusal(409, "SLUG_TAKEN"));
      const forbidden = refusal(400, "INVALID_BODY", { reason: "org_forbidden" });
      await assert.rejects(create({ orgId: "other" }), forbidden);
      const full = { ...env, config: { ...env.config, quotaCanvases: 1 } };
      await assert.rejects(
        create({}, full),
        refusal(409, "QUOTA_EXCEEDED", { quota: "canvases.person", limit: 1 }),
      );
      assert.deepEqual(await canvases(), asItWas);
    });

    it("refuses a new slug that is reserved or taken, and a deleted canvas", async () => {
      const [{ id }, { slug }] = [await make(), await make()];
      await assert.rejects(patchCanvas(id, { slug: "login" }, env), refusal(400, "INVALID_BODY"));
      await assert.rejects(patchCanvas(id, { slug }, env), refusal(409, "SLUG_TAKEN"));
      await deleteCanvas(id, env);
      await assert.rejects(patchCanvas(id, { title: "Coffee" }, env), refusal(404, "NOT_FOUND"));
    });

    it("keeps a reserved slug that a canvas has, and refuses it to others", async () => {
      const [{ id }, other] = [await make(), await make()];
      await env.db.run`update canvases set slug = 'wpad' where id = ${id}`;
      await env.db.run`update slug_claims set slug = 'wpad' where canvas_id = ${id}`;
      await patchCanvas(id, { slug: "wpad", title: "Coffee" }, env);
      assert.partialDeepStrictEqual(await rowOf(id, owner), { slug: "wpad", title: "Coffee" });
      await assert.rejects(patchCanvas(other.id, { slug: "wpad" }, env), refusal(400, "INVALID_BODY"));
    });

    for (const [what, by, settings, status, code] of REFUSED) {
      it(`refuses ${what}: ${status} ${code}, and saves nothing`, async () => {
        const { id } = await make();
        await saveSharing(
          await rowOf(id, owner),
          owner,
          { people: [{ email: editor.email, role: "editor" }] },
          env,
        );
        const caller = by === "owner" ? owner : editor;
        const asItWas = await canvases();
        const both = { expiresAt: NOW + DAY_MS, ...settings };
        await assert.rejects(saveSharing(await rowOf(id, caller), caller, both, env), refusal(status, code));
        assert.deepEqual(await canvases(), asItWas);
      });
    }

    it("refuses public links where the instance has none, and an organisation that the owner does not have", async () => {
      const { id } = await make(homeless);
      const canvas = await rowOf(id, homeless);
      const off = { ...env, config: { ...env.config, publicLinks: false } };
      await assert.rejects(
        checkSharing(canvas, homeless, { access: "public_link" }, off),
        refusal(403, "PUBLIC_LINKS_DISABLED"),
      );
      await assert.rejects(
        checkSharing(canvas, homeless, { access: "whole_org" }, env),
        refusal(409, "ORG_REQUIRED"),
      );
    });

    it("refuses uploads that are too large or no zip, and keeps nothing of them", async () => {
      const { id } = await make();
      let read = 0;
      const watched = async function* () {
        read++;
        yield Buffer.of(1);
      };
      const large = refusal(413, "INVALID_BODY", { message: "bundle too large" });
      await assert.rejects(store(id, watched(), LIMITS.bundleBytes.value + 1), large);
      assert.equal(read, 0);
      await assert.rejects(store(id, tooMany()), large);
      await assert.rejects(store(id, chunked(Buffer.from("no zip"))), refusal(400, "INVALID_BODY"));
      await assert.rejects(publishVersion(id, "none", undefined, env), refusal(404, "NOT_FOUND"));
      await assert.rejects(publishVersion(id, "\0", undefined, env), refusal(404, "NOT_FOUND"));
      assert.deepEqual(await readdir(uploadsOf(env)), []);
      assert.deepEqual(await env.db.all`select id from versions where canvas_id = ${id}`, []);
    });

    it("publishes: create, save settings, store the bundle, make it the current version", async () => {
      const { id, slug } = await createCanvas(
        owner,
        { title: "Guest book", slug: "guest-book", tags: ["a"] },
        env,
      );
      const passwordHash = await passwordHashOf("correct horse", owner, env);
      const settings = { access: "whole_org", passwordHash, expiresAt: NOW + DAY_MS } as const;
      await saveSharing(await rowOf(id, owner), owner, settings, env);
      await patchCanvas(id, { metadata: { sourceApp: "maker" } }, env);
      const bundle = await zip({ "index.html": "home", ".env": "secret" });
      const { version, leftOut, warnings } = await store(
        id,
        chunked(bundle.subarray(0, 9), bundle.subarray(9)),
      );
      assert.deepEqual([leftOut, warnings], [[{ path: ".env", reason: "dot_file" }], []]);
      const draft = await currentView(id, owner, env);
      assert.deepEqual([draft.publicationStatus, draft.version], ["draft", null]);
      await publishStored(version, env);
      const { title, tags, access, hasPassword, expiresAt, publicationStatus, sourceApp, ...rest } =
        await currentView(id, owner, env);
      assert.deepEqual(
        { slug: rest.slug, title, tags, access, hasPassword, expiresAt, publicationStatus, sourceApp },
        {
          slug,
          title: "Guest book",
          tags: ["a"],
          access: "whole_org",
          hasPassword: true,
          expiresAt: NOW + DAY_MS,
          publicationStatus: "published",
          sourceApp: "maker",
        },
      );
      assert.equal(rest.version, version.id);
      assert.deepEqual(await readdir(uploadsOf(env)), []);
    });
  },
  { SERVICE_TENANCY: "on" },
);
