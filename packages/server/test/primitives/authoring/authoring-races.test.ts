import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { before, it } from "node:test";
import { disable } from "@easel/conformance/admin";
import { manage, type Stage, stage, turn } from "@easel/conformance/fixture";
import { type Header, start } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { TaskPool } from "../../../src/async/task-pool.ts";
import { uploadsOf } from "../../../src/canvases/publishing/upload.ts";
import { holdBody } from "../../pipeline/held-body.ts";
import { onEngines } from "../../support/engines.ts";
import { FORM_TYPE, HOME, listed, publish, share, shareForm, update } from "./share-form.ts";

await onEngines(
  "authoring while something else happens",
  (target, env) => {
    let site: Stage;
    before(async () => {
      site = await stage(target, { switches: { authoring: true }, access: "whole_org" });
    });
    const api = (who: keyof Stage["people"], method: string, path: string, body?: object) =>
      manage(target, site.people[who], method, path, body);
    const uploads = () => readdir(uploadsOf(env)).catch(() => []);
    const newShare = async (metadata = {}) => share(await publish(site.pages.viewer, metadata));
    const current = async ({ id }: AuthoredCanvas) =>
      (await listed(site.pages.viewer)).find((each) => each.id === id);

    it("of 20 updates of the same state at once, one is saved and 19 get the current canvas", async () => {
      const made = await newShare();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          update(site.pages.viewer, made.id, { title: `T${n}`, expectedUpdatedAt: made.updatedAt }),
        ),
      );
      const [saved, ...more] = answers.filter(({ status }) => status === 200);
      assert.equal(more.length, 0);
      assert.ok(saved);
      for (const answer of answers) {
        if (answer === saved) continue;
        refused(answer, 409, "SHARE_CONFLICT");
        assert.deepEqual(answer.json.current, saved.json);
      }
      assert.deepEqual(await current(made), saved.json);
    });

    it("updates of several fields at once, without an expected state, are all saved", async () => {
      const made = await newShare();
      const changes = [{ title: "Coffee" }, { tags: ["a"] }, { metadata: { n: 1 } }, { access: "whole_org" }];
      const answers = await Promise.all(changes.map((each) => update(site.pages.viewer, made.id, each)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      const { title, tags, metadata, access } = (await current(made)) as AuthoredCanvas;
      assert.deepEqual(
        { title, tags, metadata, access },
        { title: "Coffee", tags: ["a"], metadata: { n: 1 }, access: "whole_org" },
      );
    });

    it("two allowed updates at once never add up to settings that are not allowed", async () => {
      const { config } = env;
      env.config = { ...config, authoringRungs: ["private", "password"] };
      for (let round = 0; round < 5; round++) {
        const made = await newShare({ password: "p" });
        await Promise.all([
          update(site.pages.viewer, made.id, { access: "public_link" }),
          update(site.pages.viewer, made.id, { password: null }),
        ]);
        const { access, hasPassword } = (await current(made)) as AuthoredCanvas;
        assert.notDeepEqual([access, hasPassword], ["public_link", false]);
      }
      env.config = config;
    });

    /** What happens to an author or their canvas while the body of a request is delayed, and the refusal. */
    const HELD: [
      what: string,
      method: "POST" | "PUT",
      loss: (made: AuthoredCanvas) => Promise<unknown>,
      undo: () => Promise<unknown>,
      status: number,
      code: string | undefined,
    ][] = [
      [
        "the page's canvas is no longer shared",
        "POST",
        () => api("owner", "PUT", `/api/canvases/${site.id}/sharing`, { access: "private", people: [] }),
        () => api("owner", "PUT", `/api/canvases/${site.id}/sharing`, { access: "whole_org" }),
        404,
        "OWNER_ONLY",
      ],
      [
        "the audience becomes editors",
        "POST",
        () => turn(target, site, { authoringAudience: "editors" }),
        () => turn(target, site, { authoringAudience: "viewers" }),
        403,
        "PERMISSION_DENIED",
      ],
      [
        "authoring is switched off",
        "PUT",
        () => turn(target, site, { authoring: false }),
        () => turn(target, site, { authoring: true }),
        403,
        "CAPABILITY_DISABLED",
      ],
      [
        "the canvas is disabled",
        "PUT",
        ({ id }) => disable(target, { ...site, id }),
        async () => {},
        409,
        "DISABLED",
      ],
      [
        "the canvas is deleted",
        "PUT",
        ({ id }) => api("viewer", "DELETE", `/api/canvases/${id}`),
        async () => {},
        404,
        "NOT_FOUND",
      ],
      [
        "the canvas gets another owner, and its author loses it",
        "PUT",
        async ({ id }) => {
          const people = [{ email: site.people.editor.email, role: "editor" }];
          await api("viewer", "PUT", `/api/canvases/${id}/sharing`, { people });
          await api("viewer", "PUT", `/api/canvases/${id}/owner`, { email: site.people.editor.email });
          await api("editor", "PUT", `/api/canvases/${id}/sharing`, { people: [] });
        },
        async () => {},
        404,
        "NOT_FOUND",
      ],
    ];

    for (const [what, method, loss, undo, status, code] of HELD) {
      it(`${method} while ${what}: ${status} ${code}, and nothing is written`, async () => {
        const made = await newShare();
        const state = () =>
          env.db
            .all`select id, title, version_id from canvases where created_by = ${made.createdBy} order by id`;
        const asItWas = await state();
        const path = `/v1/c/${site.slug}/authoring${method === "PUT" ? `/${made.id}` : ""}`;
        const body = await shareForm({ title: "Late" }, HOME);
        const held = await holdBody(target, site.people.viewer, { method, path, body, type: FORM_TYPE[1] });
        await loss(made);
        const answer = await held.finish();
        assert.deepEqual([answer.status, answer.json.code], [status, code], answer.text);
        assert.deepEqual(await state(), asItWas);
        assert.deepEqual(await uploads(), []);
        await undo();
      });
    }

    it("a share that is revoked while a body without a bundle is delayed: 409 SHARE_REVOKED", async () => {
      const made = await newShare();
      const path = `/v1/c/${site.slug}/authoring/${made.id}`;
      const body = await shareForm({ title: "Late" });
      const type = FORM_TYPE[1];
      const held = await holdBody(target, site.people.viewer, { method: "PUT", path, body, type });
      assert.equal((await site.pages.viewer.delete(`/authoring/${made.id}`)).status, 204);
      refused(await held.finish(), 409, "SHARE_REVOKED");
      assert.equal((await current(made))?.title, "Tea");
    });

    /** Calls `meanwhile` before the next deploy stores its first file. The deploy waits for it. */
    const whileStoring = (meanwhile: () => Promise<unknown>) => {
      const { blobs } = env;
      const put = blobs.put.bind(blobs);
      blobs.put = async (bytes) => {
        blobs.put = put;
        await meanwhile();
        return put(bytes);
      };
    };

    it("an editor who is removed while the bundle is stored: 404, and the version stays", async () => {
      const made = await newShare();
      const { editor } = site.people;
      const sharing = `/api/canvases/${made.id}/sharing`;
      await api("viewer", "PUT", sharing, { people: [{ email: editor.email, role: "editor" }] });
      whileStoring(() => api("viewer", "PUT", sharing, { people: [] }));
      const bundle = { "index.html": "by the former editor" };
      refused(await update(site.pages.editor, made.id, { title: "Saved" }, bundle), 404, "NOT_FOUND");
      const { title, version } = (await current(made)) as AuthoredCanvas;
      assert.deepEqual([title, version], ["Saved", made.version]);
      const versions = await env.db.all`select id from versions where canvas_id = ${made.id}`;
      assert.deepEqual(versions, [{ id: made.version }]);
    });

    it("a share that is revoked while the bundle is stored stays unpublished", async () => {
      const made = await newShare();
      const revoke = (id: string) => site.pages.viewer.delete(`/authoring/${id}`);
      whileStoring(() => revoke(made.id));
      const updated = await update(site.pages.viewer, made.id, {}, { "index.html": "after revoking" });
      refused(updated, 502, "UPDATE_PARTIAL");
      const left = (await current(made)) as AuthoredCanvas;
      assert.deepEqual([left.publicationStatus, left.version], ["unpublished", null]);
      assert.deepEqual(updated.json.current, left);
      whileStoring(async () => revoke((await listed(site.pages.viewer))[0]?.id ?? ""));
      refused(await publish(site.pages.viewer, {}, { "index.html": "revoked early" }), 502, "PUBLISH_FAILED");
      const [draft] = await listed(site.pages.viewer);
      assert.deepEqual([draft?.publicationStatus, draft?.version], ["unpublished", null]);
      share(await update(site.pages.viewer, made.id, {}, HOME));
    });

    it("a full queue of deploys is 503, and nothing is written or counted", async () => {
      const made = await newShare();
      const state = async () => [
        await listed(site.pages.viewer),
        await env.db.all`select user_id, day, canvases from authored_days order by user_id, day`,
      ];
      const asItWas = await state();
      const { deploys } = env;
      for (const fills of ["before the upload", "during the upload"]) {
        const pool = new TaskPool({ running: 0, runningEach: 1, waitingEach: 0 });
        const requireRoom = pool.requireRoom.bind(pool);
        env.deploys = pool;
        for (const send of [
          () => publish(site.pages.viewer, {}),
          () => update(site.pages.viewer, made.id, { title: "Late" }, HOME),
        ]) {
          let asked = 0;
          pool.requireRoom = (person) => {
            if (fills === "before the upload" || asked++ > 0) requireRoom(person);
          };
          refused(await send(), 503, "UNAVAILABLE");
        }
        env.deploys = deploys;
        assert.deepEqual(await state(), asItWas, fills);
        assert.deepEqual(await uploads(), []);
      }
    });

    it("an upload whose client goes away leaves nothing", async () => {
      const asItWas = await listed(site.pages.viewer);
      const form = await shareForm({ title: "Gone" }, Buffer.alloc(1_000_000));
      const headers: Header[] = [FORM_TYPE, ["Content-Length", String(form.length)]];
      const request = start(
        target.base,
        {
          method: "POST",
          path: `/v1/c/${site.slug}/authoring`,
          headers: [...site.people.viewer.headers, ...headers],
        },
        false,
      );
      request.on("error", () => {});
      request.write(form.subarray(0, 500_000));
      await until("the upload has begun", async () => (await uploads()).length === 1);
      request.destroy();
      await until("the upload is removed", async () => (await uploads()).length === 0);
      assert.deepEqual(await listed(site.pages.viewer), asItWas);
    });

    it("before the first file of a new canvas is stored, it is counted and a draft with all its settings", async () => {
      const given = { title: "First", access: "password", password: "p", expiresAt: Date.now() + 60_000 };
      let seen: AuthoredCanvas | undefined;
      const counted = () =>
        env.db.get<{ n: number }>`
          select sum(canvases) as n from authored_days join users on users.id = user_id
          where users.email = ${site.people.viewer.email}`;
      const before = Number((await counted())?.n);
      let during = 0;
      whileStoring(async () => {
        [seen] = await listed(site.pages.viewer);
        during = Number((await counted())?.n);
        throw Object.assign(new Error("the disk is gone"), { syscall: "write" });
      });
      const answer = await publish(site.pages.viewer, given, { "index.html": "never stored" });
      refused(answer, 502, "PUBLISH_FAILED");
      assert.equal(during, before + 1);
      assert.deepEqual(
        [seen?.title, seen?.publicationStatus, seen?.access, seen?.hasPassword, seen?.expiresAt],
        ["First", "draft", "public_link", true, given.expiresAt],
      );
      assert.equal(answer.json.id, seen?.id);
      assert.doesNotMatch(answer.text, /disk/);
      assert.deepEqual((await listed(site.pages.viewer))[0], seen);
    });

    it("the settings of an update are saved before the first file of its bundle is stored", async () => {
      const made = await newShare({ access: "whole_org" });
      let seen: AuthoredCanvas | undefined;
      whileStoring(async () => {
        seen = await current(made);
      });
      const done = share(
        await update(site.pages.viewer, made.id, { access: "private" }, { "index.html": "b" }),
      );
      assert.deepEqual([seen?.access, seen?.version], ["private", made.version]);
      assert.notEqual(done.version, made.version);
    });
  },
  {
    SERVICE_AUTHORING: "on",
    SERVICE_LOG_LEVEL: "silent",
    SERVICE_AUTHORING_USER_DAILY_MAX: "1000",
    SERVICE_AUTHORING_USER_TOTAL_MAX: "1000",
  },
);
