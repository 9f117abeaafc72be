import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import type { Canvas, FinishedDeploy, Version } from "@easel/protocol/types";
import { TaskPool } from "../../src/async/task-pool.ts";
import { onEngines } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { stager } from "../support/staged.ts";
import { recount } from "../support/stored-bytes.ts";
import type { Files } from "../support/zip.ts";

/** The number of versions that the canvases of these tests keep. */
const KEPT = 3;

await onEngines(
  "versions that are stored and not published",
  (target, env) => {
    env.deploys = new TaskPool({ running: 8, runningEach: 8, waitingEach: 8 });
    let site: Stage;
    before(async () => {
      site = await stage(target);
    });

    const deploysOf = (canvas: Stage) => stager(target, canvas.people.owner, canvas.id);
    const at = (canvas: Stage, path: string, method = "GET", body?: object) =>
      manage(target, canvas.people.owner, method, `/api/canvases/${canvas.id}${path}`, body);
    const finish = (canvas: Stage, deploy: string, body?: object) =>
      at(canvas, `/deploys/${deploy}/finish`, "POST", body);
    const canvasOf = async (canvas: Stage) => (await at(canvas, "")).json as unknown as Canvas;
    const versionsOf = async (canvas: Stage) =>
      (await at(canvas, "/versions")).json.versions as unknown as Version[];
    const served = async (canvas: Stage) => (await visit(target, canvas.slug, canvas.people.viewer)).text;

    /** Begins a staged deploy of files and uploads all of them. Returns its id. */
    async function upload(canvas: Stage, files: Files, options: object = {}): Promise<string> {
      const { status, json, text } = await deploysOf(canvas).begin(files, options);
      assert.equal(status, 201, text);
      for (const content of Object.values(files))
        assert.equal((await deploysOf(canvas).upload(json.id, content)).status, 204);
      return String(json.id);
    }
    const done = ({ status, json, text }: Answer): FinishedDeploy => {
      assert.equal(status, 200, text);
      return json as unknown as FinishedDeploy;
    };
    const keep = async (canvas: Stage, files: Files, options?: object) =>
      done(await finish(canvas, await upload(canvas, files, options), { publish: false }));

    it("is listed and not served; the canvas is unchanged; publishing it later serves it", async () => {
      const live = await publish(target, site, { "index.html": "live", "a.txt": "a" });
      const before = await canvasOf(site);
      const { storedVersion, warnings, unchanged, ...canvas } = await keep(
        site,
        { "index.html": "next", "a.txt": "a" },
        { message: "Next" },
      );
      assert.deepEqual([warnings, unchanged, canvas], [[], false, before]);
      assert.equal(canvas.version, live);
      assert.equal(await served(site), "live");
      const [newest, older] = await versionsOf(site);
      assert.partialDeepStrictEqual(newest, {
        ...{ id: storedVersion, message: "Next", files: 2, bytes: 5, current: false, published: false },
        changed: { added: 0, changed: 1, removed: 0 },
      });
      assert.partialDeepStrictEqual(older, { id: live, current: true, published: true });
      const entry = await env.db.get<{ details: string; target: string }>`
        select details, target from audit where act = 'canvas.stage-finish' order by id desc limit 1`;
      assert.deepEqual(
        [JSON.parse(entry?.details ?? "null"), entry?.target],
        [{ publish: false }, storedVersion],
      );

      const published = await at(site, `/versions/${storedVersion}/publish`, "POST");
      assert.equal(published.json.version, storedVersion);
      assert.equal(await served(site), "next");
      const states = (await versionsOf(site)).map(({ current, published }) => [current, published]);
      assert.deepEqual(states.slice(0, 2), [
        [true, true],
        [false, true],
      ]);
      await env.compressions.settled();
      const { bytes } = (await env.db.get`select bytes from bundle_bytes where canvas_id = ${site.id}`) as {
        bytes: number;
      };
      assert.equal(Number(bytes), await recount(site.id, env));
    });

    it("no cookie of a page load reaches it", async () => {
      const { storedVersion } = await keep(site, { "index.html": "hidden" });
      const text = async (dest: string) => {
        const cookie: [string, string] = ["Cookie", `easel_version=${storedVersion}`];
        const viewer = site.people.viewer;
        return (await visit(target, site.slug, viewer, "index.html", [cookie, ["Sec-Fetch-Dest", dest]]))
          .text;
      };
      for (const dest of ["script", "document"]) assert.equal(await text(dest), "next");
    });

    it("a draft stays a draft, and its slug is nobody's for good", async () => {
      const draft = await stage(target);
      const { version, storedVersion, publicationStatus } = await keep(draft, { "index.html": "one" });
      assert.deepEqual([version, publicationStatus], [null, "draft"]);
      assert.equal((await visit(target, draft.slug, draft.people.owner)).status, 404);
      const owners = () => env.db.all`select slug from slug_owners where slug = ${draft.slug}`;
      assert.deepEqual(await owners(), []);
      assert.equal((await at(draft, `/versions/${storedVersion}/publish`, "POST")).status, 200);
      assert.equal((await owners()).length, 1);
      assert.equal(await served(draft), "one");
    });

    it("sent again, also at once and with another `publish`: one version, and the first request has decided", async () => {
      const again = await stage(target);
      const deploy = await upload(again, { "index.html": "again" });
      const answers = await Promise.all([1, 2, 3].map(() => finish(again, deploy, { publish: false })));
      answers.push(await finish(again, deploy), await finish(again, deploy, { publish: true }));
      const versions = answers.map((answer) => [done(answer).storedVersion, done(answer).version]);
      assert.deepEqual(new Set(versions.map(([stored]) => stored)).size, 1);
      assert.ok(versions.every(([, version]) => version === null));
      assert.equal((await versionsOf(again)).length, 1);
      const published = await upload(again, { "index.html": "published" });
      const { version, storedVersion } = done(await finish(again, published));
      assert.equal(version, storedVersion);
      assert.equal(done(await finish(again, published, { publish: false })).version, version);
      assert.equal(await served(again), "published");
    });

    it("expects a version as if it were published, and refuses another field or value", async () => {
      const strict = await stage(target);
      const live = await publish(target, strict, { "index.html": "live" });
      const { storedVersion } = await keep(strict, { "index.html": "kept" }, { expectedVersion: live });
      const deploy = await upload(strict, { "index.html": "late" }, { expectedVersion: live });
      await at(strict, `/versions/${storedVersion}/publish`, "POST");
      const late = await finish(strict, deploy, { publish: false });
      refused(late, 409, "VERSION_CONFLICT");
      assert.equal(late.json.currentVersion, storedVersion);
      assert.equal((await versionsOf(strict)).length, 2);
      for (const body of [{ publish: "no" }, { publish: null }, { published: false }])
        refused(await finish(strict, deploy, body), 400, "INVALID_BODY");
    });

    it("with the release of the published version, nothing is stored; that of a kept one does not count", async () => {
      const released = await stage(target);
      const kept = await keep(released, { "index.html": "r1" }, { releaseId: "r1" });
      const first = done(
        await finish(released, await upload(released, { "index.html": "r1" }, { releaseId: "r1" })),
      );
      assert.deepEqual([first.unchanged, first.version === kept.storedVersion], [false, false]);
      const same = await keep(released, { "index.html": "r1" }, { releaseId: "r1" });
      assert.deepEqual([same.unchanged, same.storedVersion], [true, first.version]);
      assert.equal((await versionsOf(released)).length, 2);
    });

    it("can be deleted, counts among the versions that are kept, and never displaces the published one", async () => {
      const many = await stage(target);
      const live = await publish(target, many, { "index.html": "live" });
      const ids: string[] = [];
      for (const name of ["1", "2", "3", "4"])
        ids.push((await keep(many, { "index.html": name })).storedVersion);
      const listed = async () => (await versionsOf(many)).map(({ id }) => id);
      assert.deepEqual(await listed(), [ids[3], ids[2], ids[1], live]);
      assert.equal(await served(many), "live");
      assert.equal((await at(many, `/versions/${ids[2]}`, "DELETE")).status, 204);
      assert.deepEqual(await listed(), [ids[3], ids[1], live]);
      refused(await at(many, `/versions/${live}`, "DELETE"), 409, "VERSION_LIVE");
      const removing = await env.db
        .all`select id from versions where canvas_id = ${many.id} and state <> 'stored'`;
      assert.deepEqual(removing, []);
    });

    it("a canvas that is disabled meanwhile: refused, and nothing is kept", async () => {
      const off = await stage(target);
      const deploy = await upload(off, { "index.html": "off" });
      await env.db.run`update canvases set disabled_at = 1 where id = ${off.id}`;
      refused(await finish(off, deploy, { publish: false }), 409, "DISABLED");
      assert.deepEqual(await env.db.all`select id from versions where canvas_id = ${off.id}`, []);
    });
  },
  { SERVICE_VERSIONS_KEPT: String(KEPT) },
);
