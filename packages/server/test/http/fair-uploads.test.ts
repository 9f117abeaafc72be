import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, it } from "node:test";
import { FORM_TYPE as FILE_TYPE, formOf, upload as uploadFile } from "@easel/conformance/files/form";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import type { Header, Request } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import { Concurrency } from "../../src/async/task-pool.ts";
import { uploadsOf } from "../../src/canvases/publishing/upload.ts";
import { MANIFEST } from "../management/data-archives.ts";
import { FORM_TYPE as SHARE_TYPE, shareForm } from "../primitives/authoring/share-form.ts";
import { beginRequest } from "../support/begin-request.ts";
import { CountedPool } from "../support/counted-pool.ts";
import { onSqlite } from "../support/engines.ts";
import { sha256, stager } from "../support/staged.ts";
import { zip } from "../support/zip.ts";

await onSqlite(
  "unfinished bodies of several people",
  (target, env) => {
    let site: Stage;
    let pool: CountedPool;
    const ids = { owner: "", editor: "" };
    const { uploads, unfinished } = env;
    before(async () => {
      site = await stage(target, { switches: { authoring: true, files: true }, access: "whole_org" });
      for (const role of ["owner", "editor"] as const)
        ids[role] = String((await manage(target, site.people[role], "GET", "/api/me")).json.id);
    });
    beforeEach(() => {
      pool = new CountedPool({ running: 10, runningEach: 1, waitingEach: 1 });
      Object.assign(env, { uploads: pool, unfinished });
    });
    after(() => Object.assign(env, { uploads, unfinished }));

    type Sender = "owner" | "editor";

    /** The files that hold what has arrived of unfinished bodies. */
    const spooled = async () => {
      const folders = [uploadsOf(env), path.join(env.config.dataDir, "blobs", "staging")];
      return (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat();
    };
    const file = () => randomBytes(50_000);
    const zipped = async (files = {}) => zip({ "index.html": "home", "noise.bin": file(), ...files });
    const typed = (type: string): Header[] => [["Content-Type", type]];

    const ROWS: [name: string, request: (role: Sender) => Promise<Request & { body: Buffer }>][] = [
      [
        "a file of a canvas",
        async () => ({
          method: "POST",
          path: `/v1/c/${site.slug}/files`,
          headers: typed(FILE_TYPE),
          body: formOf({}, { bytes: file() }),
        }),
      ],
      [
        "a bundle",
        async () => ({
          method: "PUT",
          path: `/api/canvases/${site.id}/bundle`,
          headers: typed("application/zip"),
          body: await zipped(),
        }),
      ],
      [
        "a file of a staged deploy",
        async (role) => {
          const body = file();
          const deploys = stager(target, site.people[role], site.id);
          const { id } = (await deploys.begin({ "index.html": body })).json;
          const at = `/api/canvases/${site.id}/deploys/${id}/blobs/${sha256(body)}`;
          return { method: "PUT", path: at, headers: typed("application/octet-stream"), body };
        },
      ],
      [
        "an import",
        async () => ({
          method: "POST",
          path: `/api/canvases/${site.id}/import`,
          headers: typed("application/zip"),
          body: await zipped({ "manifest.json": MANIFEST }),
        }),
      ],
      [
        "a form of a page that publishes",
        async () => ({
          method: "POST",
          path: `/v1/c/${site.slug}/authoring`,
          headers: [SHARE_TYPE],
          body: await shareForm({ title: "Tea" }, await zipped()),
        }),
      ],
    ];

    const begin = (role: Sender, request: Request, bytes?: number) =>
      beginRequest(target.base, site.people[role], request, bytes);

    for (const [name, request] of ROWS) {
      it(`${name}: further ones wait unread and open no file; those of another do not`, async () => {
        const [own, next, others] = [
          await request("editor"),
          await request("editor"),
          await request("owner"),
        ];
        const first = begin("editor", own, 20_000);
        await until("the first is being received", async () => (await spooled()).length === 1);
        const second = begin("editor", next);
        await until("the second waits", () => !pool.hasRoom(ids.editor));
        assert.equal((await spooled()).length, 1);
        assert.equal((await begin("owner", others).answer).status < 300, true);
        assert.equal(pool.running, 1);
        first.sent.destroy();
        assert.equal((await second.answer).status < 300, true);
        await until("the places are free", () => pool.running === 0);
        assert.deepEqual(await spooled(), []);
      });
    }

    it("60 photos of one page at once are all stored", async () => {
      env.uploads = uploads;
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => uploadFile(site.pages.editor, {}, { bytes: "a photo" })),
      );
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    });

    const json = (method: string, path: string): Request => ({
      method,
      path,
      headers: typed("application/json"),
      body: '{ "title": "Tea" }',
    });

    it("requests whose bodies do not arrive: 429 beyond the limit, until one ends; others are not affected", async () => {
      env.uploads = uploads;
      const open: string[] = [];
      class Listed extends Concurrency {
        override begin(holder: string) {
          const end = super.begin(holder);
          if (end !== null) open.push(holder);
          return (
            end &&
            (() => {
              open.splice(open.indexOf(holder), 1);
              end();
            })
          );
        }
      }
      env.unfinished = new Listed(3);
      const runtime = json("PUT", `/v1/c/${site.slug}/kv/tea`);
      const management = json("PATCH", `/api/canvases/${site.id}`);
      const photo: Request = {
        ...{ method: "POST", path: `/v1/c/${site.slug}/files` },
        ...{ headers: typed(FILE_TYPE), body: formOf({}, { bytes: file() }) },
      };
      const slow = [runtime, management, photo].map((each) => begin("editor", each, 0));
      await until("three are open", () => open.length === 3);
      for (const each of [runtime, management, photo]) {
        const { sent, answer } = begin("editor", each, 0);
        const given = await answer;
        refused(given, 429, "CONCURRENCY_LIMIT");
        assert.equal(given.headers["retry-after"], "1");
        sent.destroy();
      }
      assert.equal((await site.pages.editor.get("/kv")).status, 200);
      slow.push(begin("owner", runtime, 0));
      await until("another's is open", () => open.includes(ids.owner));
      for (const { sent } of slow) sent.destroy();
      await until("all have ended", () => open.length === 0);
      assert.equal((await begin("editor", management).answer).status, 200);
    });
  },
  { SERVICE_AUTHORING: "on" },
);
