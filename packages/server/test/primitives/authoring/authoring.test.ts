import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { before, it } from "node:test";
import { manage, type Stage, stage, turn } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { open } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import type { Canvas } from "@easel/protocol/types";
import { onAccessChange } from "../../../src/canvases/open-connections.ts";
import { uploadsOf } from "../../../src/canvases/publishing/upload.ts";
import { onSqlite } from "../../support/engines.ts";
import { visit } from "../../support/publish.ts";
import { zip } from "../../support/zip.ts";
import { BROKEN, FORM_TYPE, formOf, HOME, listed, publish, share, shareForm, update } from "./share-form.ts";

const FIELDS =
  "access accessMode audienceSummary bundleUpdatedAt createdAt createdBy discoverability expiresAt galleryListed galleryTemplatable hasPassword id metadata publicationStatus revokedAt sourceApp sourceKind status tags title updatedAt url version viewerRole".split(
    " ",
  );

await onSqlite(
  "authoring",
  (target, env) => {
    let site: Stage;
    before(async () => {
      site = await stage(target, { switches: { authoring: true } });
    });
    const enter = async (person: Person) => {
      const { editor, viewer } = site.people;
      const people = [
        { email: editor.email, role: "editor" },
        { email: viewer.email, role: "viewer" },
        { email: person.email, role: "viewer" },
      ];
      await manage(target, site.people.owner, "PUT", `/api/canvases/${site.id}/sharing`, { people });
      return open(target, site.slug, person);
    };
    const fresh = async () => {
      const person = await target.signIn(freshEmail("author"));
      return { person, page: await enter(person) };
    };
    const api = (person: Stage["people"]["owner"], method: string, path: string, body?: object) =>
      manage(target, person, method, path, body);
    const uploads = () => readdir(uploadsOf(env)).catch(() => []);
    const audit = (id: string) =>
      env.db.all<{ act: string; details: string; address: string; actor_email: string }>`
        select act, details, address, actor_email from audit where canvas_id = ${id} order by id`;

    it("a viewer publishes a canvas under their own account, with all its settings", async () => {
      const { viewer } = site.pages;
      const expiresAt = Date.now() + 60_000;
      const metadata = { sourceApp: "maker", sourceKind: 7 };
      const given = { tags: ["a", "b"], access: "whole_org", password: "secret", expiresAt, metadata };
      const made = share(await publish(viewer, { title: "Tea list", ...given }));
      assert.deepEqual(Object.keys(made).sort(), FIELDS);
      const { id, createdAt, updatedAt, version, url, createdBy, ...rest } = made;
      assert.deepEqual(rest, {
        title: "Tea list",
        tags: ["a", "b"],
        access: "whole_org",
        accessMode: "whole_org",
        publicationStatus: "published",
        hasPassword: true,
        status: "live",
        expiresAt,
        galleryListed: false,
        galleryTemplatable: false,
        discoverability: "link_only",
        revokedAt: null,
        viewerRole: "owner",
        audienceSummary: { count: 0, names: [] },
        bundleUpdatedAt: updatedAt,
        sourceApp: "maker",
        sourceKind: null,
        metadata,
      });
      assert.ok(typeof version === "string" && updatedAt >= createdAt && url.includes("tea-list"));
      const answer = await api(site.people.viewer, "GET", `/api/canvases/${id}`);
      const { slug, owner, capabilities } = answer.json as unknown as Canvas;
      assert.deepEqual([owner.email, owner.id], [site.people.viewer.email, createdBy]);
      assert.equal(capabilities.backendEnabled, false);
      assert.match((await visit(target, slug, site.people.viewer)).text, /home/);
      assert.deepEqual(await uploads(), []);
    });

    it("the parts come in either order, and other access is private", async () => {
      const form = formOf([
        ["bundle", await zip(HOME)],
        ["metadata", '{"title":"Reversed"}'],
      ]);
      const made = share(await site.pages.viewer.send("POST", "/authoring", [FORM_TYPE], form));
      const { access, accessMode, hasPassword, status, metadata } = made;
      assert.deepEqual(
        { access, accessMode, hasPassword, status, metadata },
        { access: "private", accessMode: "restricted", hasPassword: false, status: "private", metadata: {} },
      );
    });

    it("lists those the caller made and still manages, newest first, filtered by tags and source", async () => {
      const { person, page } = await fresh();
      const one = share(await publish(page, { title: "One", tags: ["a"], metadata: { sourceApp: "x" } }));
      const more = { sourceApp: "x", sourceKind: "poll" };
      const two = share(await publish(page, { title: "Two", tags: ["a", "b"], metadata: more }));
      const own = await api(person, "POST", "/api/canvases", { title: "Not authored" });
      assert.equal(own.status, 201);
      const ids = async (query = "") => (await listed(page, query)).map(({ id }) => id);
      assert.deepEqual(await listed(page), [two, one]);
      for (const [query, expected] of [
        ["?tags=a", [two.id, one.id]],
        ["?tags=a,b", [two.id]],
        ["?tags=b&tags=a", [two.id]],
        ["?tags=a,c", []],
        ["?tags=", [two.id, one.id]],
        ["?sourceApp=x", [two.id, one.id]],
        ["?sourceApp=x&sourceKind=poll", [two.id]],
        ["?sourceApp=y", []],
        ["?sourceApp=x&tags=b", [two.id]],
      ] as const) {
        assert.deepEqual([query, await ids(query)], [query, expected]);
      }
      assert.equal(
        (await listed(site.pages.editor)).some(({ id }) => id === one.id),
        false,
      );

      await api(person, "DELETE", `/api/canvases/${two.id}`);
      assert.deepEqual(await ids(), [one.id]);
      const { editor } = site.people;
      const people = [{ email: editor.email, role: "editor" }];
      await api(person, "PUT", `/api/canvases/${one.id}/sharing`, { people });
      await api(person, "PUT", `/api/canvases/${one.id}/owner`, { email: editor.email });
      assert.deepEqual(
        (await listed(page)).map(({ id, viewerRole }) => [id, viewerRole]),
        [[one.id, "editor"]],
      );
      await api(editor, "PUT", `/api/canvases/${one.id}/sharing`, { people: [] });
      assert.deepEqual(await ids(), []);
    });

    it("an update changes what it names, and a bundle becomes a new version", async () => {
      const { page } = await fresh();
      const made = share(await publish(page, { tags: ["a"], password: "p", metadata: { n: 1 } }));
      const titled = share(await update(page, made.id, { title: "Coffee" }));
      assert.deepEqual(titled, {
        ...made,
        title: "Coffee",
        updatedAt: titled.updatedAt,
        bundleUpdatedAt: titled.updatedAt,
      });
      assert.ok(titled.updatedAt > made.updatedAt);
      const all = {
        tags: [],
        access: "whole_org",
        password: null,
        expiresAt: Date.now() + 60_000,
        metadata: {},
      };
      const changed = share(await update(page, made.id, all, { "index.html": "second" }));
      const { tags, access, hasPassword, expiresAt, metadata } = changed;
      assert.deepEqual(
        { tags, access, hasPassword, expiresAt, metadata },
        { tags: [], access: "whole_org", hasPassword: false, expiresAt: all.expiresAt, metadata: {} },
      );
      assert.notEqual(changed.version, made.version);
      assert.equal(share(await update(page, made.id, { expiresAt: null })).expiresAt, null);
    });

    it("`password` is a public link with a password, `specific_people` is private", async () => {
      const { page } = await fresh();
      const link = share(await publish(page, { access: "password", password: "p" }));
      assert.deepEqual([link.access, link.hasPassword], ["public_link", true]);
      const closed = share(await update(page, link.id, { access: "specific_people" }));
      assert.deepEqual(
        [closed.access, closed.accessMode, closed.hasPassword],
        ["private", "restricted", true],
      );
      assert.equal(share(await update(page, link.id, { access: "password" })).access, "public_link");
      refused(await update(page, link.id, { access: "password", password: null }), 400, "INVALID_BODY");
      refused(await publish(page, { access: "password" }), 400, "INVALID_BODY");
    });

    it("revoking unpublishes; a bundle publishes again, settings alone are 409", async () => {
      const { person, page } = await fresh();
      const made = share(await publish(page, {}));
      const { slug } = (await api(person, "GET", `/api/canvases/${made.id}`)).json as { slug: string };
      const answer = await page.delete(`/authoring/${made.id}`);
      assert.deepEqual([answer.status, answer.text], [204, ""]);
      const [revoked] = await listed(page);
      assert.deepEqual([revoked?.status, revoked?.publicationStatus], ["revoked", "unpublished"]);
      assert.equal(typeof revoked?.revokedAt, "number");
      assert.equal((await visit(target, slug, person)).status, 404);
      refused(await page.delete(`/authoring/${made.id}`), 404, "NOT_FOUND");
      refused(await update(page, made.id, { title: "Late" }), 409, "SHARE_REVOKED");
      assert.deepEqual(await listed(page), [revoked]);
      const again = share(await update(page, made.id, {}, HOME));
      assert.deepEqual([again.revokedAt, again.publicationStatus], [null, "published"]);
    });

    it("owner, editors and administrators change a canvas, and it is 404 for everyone else", async () => {
      const { person, page } = await fresh();
      const made = share(await publish(page, {}));
      const { editor, viewer } = site.people;
      const people = [
        { email: editor.email, role: "editor" },
        { email: viewer.email, role: "viewer" },
      ];
      await api(person, "PUT", `/api/canvases/${made.id}/sharing`, { people });
      const byEditor = share(await update(site.pages.editor, made.id, { title: "By an editor" }));
      assert.equal(byEditor.viewerRole, "editor");
      assert.equal(byEditor.audienceSummary.count, 2);
      assert.equal(
        byEditor.audienceSummary.names.some((name) => name.includes("@")),
        false,
      );
      for (const method of ["PUT", "DELETE"])
        for (const id of [made.id, "none"]) {
          const form = await shareForm({ title: "Taken" });
          refused(
            await site.pages.viewer.send(method, `/authoring/${id}`, [FORM_TYPE], form),
            404,
            "NOT_FOUND",
          );
        }
      const admin = await target.signIn(target.admin);
      const byAdmin = await enter(admin);
      const seen = share(await update(byAdmin, made.id, { title: "By an administrator" }));
      assert.deepEqual([seen.viewerRole, seen.title], ["admin", "By an administrator"]);
      assert.equal((await listed(byAdmin)).length, 0);
      assert.equal((await byAdmin.delete(`/authoring/${made.id}`)).status, 204);
    });

    it("a disabled canvas is 409 with the reason, an archived or deleted one has no active share", async () => {
      const { person, page } = await fresh();
      const made = share(await publish(page, {}));
      const admin = await target.signIn(target.admin);
      await api(admin, "POST", `/api/admin/canvases/${made.id}/disable`, { reason: "Spam" });
      for (const answer of [await update(page, made.id, {}), await page.delete(`/authoring/${made.id}`)]) {
        refused(answer, 409, "DISABLED");
        assert.match(String(answer.json.message), /Spam$/);
      }
      assert.equal((await listed(page))[0]?.publicationStatus, "disabled");
      await api(admin, "POST", `/api/admin/canvases/${made.id}/enable`);
      await api(person, "PATCH", `/api/canvases/${made.id}`, { archived: true });
      refused(await page.delete(`/authoring/${made.id}`), 404, "NOT_FOUND");
      assert.equal(share(await update(page, made.id, { title: "Old" }, HOME)).publicationStatus, "archived");
      await api(person, "DELETE", `/api/canvases/${made.id}`);
      refused(await update(page, made.id, {}), 404, "NOT_FOUND");
      refused(await page.delete(`/authoring/${made.id}`), 404, "NOT_FOUND");
      assert.deepEqual(await listed(page), []);
    });

    it("guests are 401, and those outside the audience 403, on every route", async () => {
      const own = share(await publish(site.pages.viewer, {}));
      const guest = open(target, site.slug, await guestOf(target, site));
      const routes = async (page: Stage["pages"]["owner"]) => [
        await publish(page, {}),
        await page.get("/authoring"),
        await update(page, own.id, { title: "No" }),
        await page.delete(`/authoring/${own.id}`),
      ];
      for (const answer of await routes(guest)) refused(answer, 401, "NOT_AUTHENTICATED");
      await turn(target, site, { authoringAudience: "editors" });
      for (const answer of await routes(site.pages.viewer)) refused(answer, 403, "PERMISSION_DENIED");
      assert.equal(share(await publish(site.pages.editor, {})).viewerRole, "owner");
      await turn(target, site, { authoringAudience: "viewers" });
      assert.equal((await listed(site.pages.viewer)).find(({ id }) => id === own.id)?.title, "Tea");
    });

    it("/me permits creating canvases to those who may", async () => {
      const may = async (page: Stage["pages"]["owner"]) =>
        ((await page.get("/me")).json.permissions as { canCreateCanvas: boolean }).canCreateCanvas;
      const guest = open(target, site.slug, await guestOf(target, site));
      assert.deepEqual([await may(site.pages.viewer), await may(guest)], [true, false]);
      await turn(target, site, { authoringAudience: "editors" });
      assert.deepEqual([await may(site.pages.viewer), await may(site.pages.editor)], [false, true]);
      await turn(target, site, { authoringAudience: "viewers", authoring: false });
      assert.equal(await may(site.pages.owner), false);
      refused(await site.pages.owner.get("/authoring"), 403, "CAPABILITY_DISABLED");
      await turn(target, site, { authoring: true });
    });

    it("a refused form creates nothing, counts nothing and leaves nothing in uploads", async () => {
      const { page } = await fresh();
      const good = '{"title":"Tea"}';
      const bundle = await zip(HOME);
      const REFUSED: [what: string, parts: [string, string | Buffer][], status?: number][] = [
        ["no parts", []],
        ["no metadata", [["bundle", bundle]]],
        ["no bundle", [["metadata", good]]],
        [
          "an empty bundle",
          [
            ["metadata", good],
            ["bundle", ""],
          ],
        ],
        [
          "metadata that is no JSON",
          [
            ["metadata", "{"],
            ["bundle", bundle],
          ],
        ],
        [
          "the same in the other order",
          [
            ["bundle", bundle],
            ["metadata", "{"],
          ],
        ],
        [
          "metadata that is no object",
          [
            ["metadata", "[]"],
            ["bundle", bundle],
          ],
        ],
        [
          "no title",
          [
            ["metadata", "{}"],
            ["bundle", bundle],
          ],
        ],
        [
          "an unknown field",
          [
            ["metadata", '{"title":"Tea","owner":"me"}'],
            ["bundle", bundle],
          ],
        ],
        [
          "an unknown part",
          [
            ["metadata", good],
            ["file", "x"],
            ["bundle", bundle],
          ],
        ],
        [
          "an unknown part after the bundle",
          [
            ["metadata", good],
            ["bundle", bundle],
            ["file", "x"],
          ],
        ],
        [
          "metadata twice",
          [
            ["metadata", good],
            ["bundle", bundle],
            ["metadata", good],
          ],
        ],
        [
          "the bundle twice",
          [
            ["metadata", good],
            ["bundle", bundle],
            ["bundle", bundle],
          ],
        ],
        [
          "much metadata",
          [
            ["metadata", `${good}${" ".repeat(300_000)}`],
            ["bundle", bundle],
          ],
        ],
        [
          "free-form metadata over 16 KiB",
          [
            ["metadata", JSON.stringify({ title: "T", metadata: { m: "x".repeat(16_400) } })],
            ["bundle", bundle],
          ],
        ],
        [
          "a bundle over 50 MiB",
          [
            ["bundle", Buffer.alloc(50 * 1024 * 1024 + 1)],
            ["metadata", good],
          ],
          413,
        ],
      ];
      for (const [what, parts, status = 400] of REFUSED) {
        const answer = await page.send("POST", "/authoring", [FORM_TYPE], formOf(parts));
        assert.deepEqual([what, answer.status, answer.json.code], [what, status, "INVALID_BODY"]);
        if (status === 413) assert.equal(answer.json.message, "bundle too large");
      }
      refused(await page.post("/authoring", { title: "Tea" }), 400, "INVALID_BODY");
      const cut = formOf([
        ["bundle", bundle],
        ["metadata", good],
      ]).subarray(0, -10);
      refused(await page.send("POST", "/authoring", [FORM_TYPE], cut), 400, "INVALID_BODY");
      assert.deepEqual(await uploads(), []);
      assert.deepEqual(await listed(page), []);
      const row = await env.db.get`select * from authored_days where user_id =
        (select id from users where email = ${(await page.get("/me")).json.email as string})`;
      assert.equal(row, undefined);
    });

    it("a refused update changes nothing and leaves nothing in uploads", async () => {
      const { page } = await fresh();
      const made = share(await publish(page, {}));
      const REFUSED: [metadata: Record<string, never> | object, bundle?: Buffer][] = [
        [{ title: "" }],
        [{ slug: "a-slug" }],
        [{ tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }],
        [{ password: "" }],
        [{ expiresAt: Date.now() - 1 }],
        [{ expiresAt: "soon" }],
        [{ access: "everyone" }],
        [{ title: "New" }, Buffer.alloc(0)],
        [{ metadata: { m: "x".repeat(16_400) } }],
        [{ expectedUpdatedAt: null }],
      ];
      for (const [metadata, bundle] of REFUSED)
        refused(await update(page, made.id, metadata as never, bundle), 400, "INVALID_BODY");
      assert.deepEqual(await listed(page), [made]);
      assert.deepEqual(await uploads(), []);
    });

    it("every change is in the audit log, without secrets", async () => {
      const { person, page } = await fresh();
      const made = share(await publish(page, { password: "hunter2", metadata: { note: "hunter3" } }));
      await update(page, made.id, { title: "New", password: "hunter4" }, HOME);
      await page.delete(`/authoring/${made.id}`);
      const entries = await audit(made.id);
      assert.deepEqual(
        entries.map(({ act }) => act),
        ["authoring.create", "authoring.deploy", "authoring.update", "authoring.deploy", "authoring.revoke"],
      );
      for (const { details, address, actor_email } of entries) {
        assert.doesNotMatch(details, /hunter/);
        assert.equal(JSON.parse(details).page, site.id);
        assert.deepEqual([address, actor_email], ["127.0.0.1", person.email]);
      }
      assert.deepEqual(JSON.parse(entries[2]?.details ?? ""), {
        title: "New",
        password: true,
        page: site.id,
      });
    });

    it("every change of access is announced to open connections, also if the deploy fails", async () => {
      const { page } = await fresh();
      const announced: unknown[] = [];
      const stop = await onAccessChange((concerned) => announced.push(concerned), env);
      const { id } = share(await publish(page, {}));
      const changes: [announcements: number, change: () => Promise<unknown>][] = [
        [1, () => update(page, id, { password: "p" })],
        [1, () => update(page, id, { access: "whole_org" }, BROKEN)],
        [2, () => update(page, id, { access: "private" }, HOME)],
        [1, () => page.delete(`/authoring/${id}`)],
      ];
      for (const [announcements, change] of changes) {
        announced.length = 0;
        await change();
        assert.deepEqual(announced, Array(announcements).fill({ canvas: id }));
      }
      await stop();
    });

    it("a failed deploy leaves a draft that the page can publish, with its settings", async () => {
      const { page } = await fresh();
      const answer = await publish(page, { title: "Draft", access: "whole_org", password: "p" }, BROKEN);
      refused(answer, 502, "PUBLISH_FAILED");
      assert.match(String(answer.json.message), /not a sound zip/);
      const [draft] = await listed(page);
      assert.equal(answer.json.id, draft?.id);
      assert.deepEqual(
        [draft?.publicationStatus, draft?.version, draft?.access, draft?.hasPassword],
        ["draft", null, "whole_org", true],
      );
      assert.deepEqual(await uploads(), []);
      const fixed = share(await update(page, draft?.id ?? "", {}, HOME));
      assert.equal(fixed.publicationStatus, "published");
    });

    it("a draft can be revoked", async () => {
      const { page } = await fresh();
      const { id } = (await publish(page, {}, BROKEN)).json;
      assert.equal((await page.delete(`/authoring/${id}`)).status, 204);
      assert.equal((await listed(page))[0]?.publicationStatus, "unpublished");
    });

    it("a failed deploy of an update keeps the settings and the version", async () => {
      const { page } = await fresh();
      const made = share(await publish(page, {}));
      const answer = await update(page, made.id, { title: "Saved" }, BROKEN);
      refused(answer, 502, "UPDATE_PARTIAL");
      const [current] = await listed(page);
      assert.deepEqual([answer.json.stage, answer.json.current], ["deploy", current]);
      assert.deepEqual([current?.title, current?.version], ["Saved", made.version]);
      assert.deepEqual(await uploads(), []);
      assert.deepEqual(
        (await audit(made.id)).map(({ act }) => act),
        ["authoring.create", "authoring.deploy", "authoring.update"],
      );
    });

    it("a stale expectedUpdatedAt is 409 with the current canvas, and nothing changes", async () => {
      const { page } = await fresh();
      const made = share(await publish(page, {}));
      const { updatedAt } = share(
        await update(page, made.id, { title: "A", expectedUpdatedAt: made.updatedAt }),
      );
      const stale = await update(page, made.id, { title: "B", expectedUpdatedAt: made.updatedAt }, HOME);
      refused(stale, 409, "SHARE_CONFLICT");
      const [current] = await listed(page);
      assert.deepEqual(stale.json.current, current);
      assert.deepEqual(
        [current?.title, current?.updatedAt, current?.version],
        ["A", updatedAt, made.version],
      );
    });
  },
  { SERVICE_AUTHORING: "on" },
);
