import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import type { Header, Request } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import { TaskPool } from "../../src/async/task-pool.ts";
import { storeBundle } from "../../src/canvases/publishing/deploy.ts";
import { uploadsOf } from "../../src/canvases/publishing/upload.ts";
import { sweepVersions } from "../../src/canvases/version-files.ts";
import type { Env } from "../../src/env.ts";
import type { RuntimeCaller } from "../../src/primitives/primitive.ts";
import { importData } from "../../src/primitives/transfer/import-data.ts";
import { jsonLines, MANIFEST } from "../management/data-archives.ts";
import { FORM_TYPE, shareForm } from "../primitives/authoring/share-form.ts";
import { beginRequest } from "../support/begin-request.ts";
import { onSqlite } from "../support/engines.ts";
import { stager } from "../support/staged.ts";
import { zip } from "../support/zip.ts";

type Pool = "deploys" | "imports";

await onSqlite(
  "queues of each person",
  (target, env) => {
    let site: Stage;
    const ids = { owner: "", editor: "" };
    const pools = { deploys: env.deploys, imports: env.imports };
    before(async () => {
      site = await stage(target, { switches: { authoring: true }, access: "whole_org" });
      for (const role of ["owner", "editor"] as const)
        ids[role] = String((await manage(target, site.people[role], "GET", "/api/me")).json.id);
    });
    beforeEach(() => {
      for (const pool of ["deploys", "imports"] as const)
        env[pool] = new TaskPool({ running: 2, runningEach: 1, waitingEach: 1 });
    });
    after(() => Object.assign(env, pools));

    const uploads = () => readdir(uploadsOf(env)).catch(() => []);
    const zipped = () => zip({ "index.html": randomBytes(20).toString("hex") });
    const archive = (files = {}) => zip({ "manifest.json": MANIFEST, ...files });
    const typed = (type: string): Header => ["Content-Type", type];

    /** The requests that wait in a queue. */
    const ROWS: [name: string, pool: Pool, request: (role: "owner" | "editor") => Promise<Request>][] = [
      [
        "a bundle",
        "deploys",
        async () => ({
          method: "PUT",
          path: `/api/canvases/${site.id}/bundle`,
          headers: [typed("application/zip")],
          body: await zipped(),
        }),
      ],
      [
        "the finish of a staged deploy",
        "deploys",
        async (role) => {
          const deploys = stager(target, site.people[role], site.id);
          const content = randomBytes(20).toString("hex");
          const { id } = (await deploys.begin({ "index.html": content })).json;
          assert.equal((await deploys.upload(id, content)).status, 204);
          return { method: "POST", path: `/api/canvases/${site.id}/deploys/${id}/finish`, body: "" };
        },
      ],
      [
        "a canvas of a page",
        "deploys",
        async () => ({
          method: "POST",
          path: `/v1/c/${site.slug}/authoring`,
          headers: [FORM_TYPE],
          body: await shareForm({ title: "Tea" }, await zipped()),
        }),
      ],
      [
        "an import",
        "imports",
        async () => ({
          method: "POST",
          path: `/api/canvases/${site.id}/import`,
          headers: [typed("application/zip")],
          body: await archive(),
        }),
      ],
    ];

    const begin = (role: "owner" | "editor", request: Request) =>
      beginRequest(target.base, site.people[role], request);

    /** Fills the running places and the queue of a person. Returns the function that ends the tasks. */
    const fill = (pool: Pool, role: "owner" | "editor", tasks: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const held = Array.from({ length: tasks }, () => env[pool].run(ids[role], () => promise));
      return async () => {
        resolve();
        await Promise.all(held);
      };
    };

    for (const [name, pool, request] of ROWS) {
      it(`${name}: 503 while the queue of its sender is full; the request of another is next`, async () => {
        const [own, others] = [await request("editor"), await request("owner")];
        const free = fill(pool, "editor", 2);
        try {
          const answer = await begin("editor", own).answer;
          refused(answer, 503, "UNAVAILABLE");
          assert.equal(answer.headers["retry-after"], "10");
          assert.equal((await begin("owner", others).answer).status, 200);
        } finally {
          await free();
        }
        assert.equal((await begin("editor", own).answer).status, 200);
      });

      it(`${name}: leaves the queue and the disk at once when its client goes`, async () => {
        const given = await request("editor");
        const free = fill(pool, "editor", 1);
        try {
          const { sent } = begin("editor", given);
          await until("the request waits", () => !env[pool].hasRoom(ids.editor));
          sent.destroy();
          await until("the request has left", () => env[pool].hasRoom(ids.editor));
          await until("the upload is removed", async () => (await uploads()).length === 0);
        } finally {
          await free();
        }
      });
    }

    /** Writes an upload of the test, and returns its path. */
    const spooled = async (bytes: Buffer) => {
      const file = path.join(env.config.dataDir, `${randomBytes(8).toString("hex")}.zip`);
      await writeFile(file, bytes);
      return file;
    };

    it("a deploy whose client goes stores no further file, and leaves no version", async () => {
      const files = Array.from({ length: 300 }, (_, at) => [`${at}.bin`, randomBytes(2_000).toString("hex")]);
      const file = await spooled(await zip(Object.fromEntries([...files, ["index.html", "home"]])));
      const versions = () => env.db.all`select id from versions where canvas_id = ${site.id} order by id`;
      const asItWas = await versions();
      const controller = new AbortController();
      let puts = 0;
      const put: Env["blobs"]["put"] = (source) => {
        puts++;
        controller.abort(new Error("gone"));
        return env.blobs.put(source);
      };
      const watched = { ...env, blobs: { ...env.blobs, put } };
      await assert.rejects(storeBundle(site.id, ids.owner, file, watched, controller.signal), /gone/);
      assert.ok(puts <= 4, `${puts} files were stored`);
      await sweepVersions(Date.now() + 1, env);
      assert.deepEqual(await versions(), asItWas);
      assert.equal(await env.deploys.run(ids.owner, async () => "free"), "free");
    });

    it("an import whose client goes writes no further batch", async () => {
      const lines = Array.from({ length: 500 }, (_, key) => ({ key: `imported-${key}`, value: key }));
      const file = await spooled(await archive({ "kv/shared.jsonl": jsonLines(...lines) }));
      const caller = {
        user: { id: ids.owner },
        canvas: { id: site.id },
        role: "owner",
      } as unknown as RuntimeCaller;
      const controller = new AbortController();
      let checks = 0;
      const access = async () => {
        if (++checks === 3) controller.abort(new Error("gone"));
        return caller;
      };
      const work = importData(file, "keep", ids.owner, access, env, controller.signal);
      await assert.rejects(work, /gone/);
      const { count } = (await env.db.get<{ count: number }>`
        select count(*) as count from kv where canvas_id = ${site.id}`) ?? { count: -1 };
      assert.equal(Number(count), 100);
      assert.equal(await env.imports.run(ids.owner, async () => "free"), "free");
    });
  },
  { SERVICE_AUTHORING: "on" },
);
