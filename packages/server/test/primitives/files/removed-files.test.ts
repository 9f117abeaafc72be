import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { it } from "node:test";
import { upload } from "@easel/conformance/files/form";
import { amend, manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { govern } from "@easel/conformance/policy";
import { refused } from "@easel/conformance/refusal";
import { sweep } from "../../../src/canvases/sweep.ts";
import { UNUSED_MS } from "../../../src/canvases/unused-blobs.ts";
import { HOLD_MS } from "../../../src/instance/sweep-guard.ts";
import { onEngines } from "../../support/engines.ts";

const SIZE = 1_000;
const QUOTA = 1_500;

await onEngines(
  "the bytes of removed files",
  (target, env) => {
    const open = async (): Promise<Stage> => {
      const site = await stage(target, { switches: { files: true } });
      await amend(target, site, { access: "whole_org" });
      return site;
    };
    const fresh = () => {
      const bytes = randomBytes(SIZE);
      return { bytes, key: createHash("sha256").update(bytes).digest("hex") };
    };
    /** Which of the blobs with these keys are stored. */
    const stored = async (keys: string[]) => {
      const streams = await Promise.all(keys.map((key) => env.blobs.get(key)));
      for (const stream of streams) stream?.destroy();
      return streams.map((stream) => stream !== null);
    };
    const used = async ({ id, people: { owner } }: Stage) => {
      const { json } = await manage(target, owner, "GET", `/api/canvases/${id}/usage`);
      return (json.counts as Record<string, { used: number }>)["files.bytes.person"]?.used;
    };
    const counted = async ({ id }: Stage) =>
      Number(
        (await env.db.get<{ n: number }>`select removed as n from file_bytes where canvas_id = ${id}`)?.n,
      );
    const put = ({ pages }: Stage, bytes: Buffer, who: "owner" | "viewer" = "viewer") =>
      upload(pages[who], { scope: "submission" }, { bytes });

    it("uploads that are deleted again leave no more than the quota, and an upload that needs the room gets it", async () => {
      const site = await open();
      const keys: string[] = [];
      for (let round = 0; round < 6; round++) {
        const { bytes, key } = fresh();
        keys.push(key);
        const made = await put(site, bytes);
        assert.equal(made.status, 201, made.text);
        assert.equal((await stored(keys)).filter(Boolean).length, 1);
        assert.equal((await site.pages.viewer.delete(`/files/${made.json.id}`)).status, 200);
        assert.equal(await used(site), 0);
      }
      assert.equal(await counted(site), SIZE);
    });

    it("what is removed keeps its bytes for an hour, for backups, and then counts no more", async () => {
      const site = await open();
      const { bytes, key } = fresh();
      const made = await put(site, bytes);
      await site.pages.viewer.delete(`/files/${made.json.id}`);
      await sweep({ ...env, clock: () => Date.now() + UNUSED_MS - 60_000 });
      assert.deepEqual([await stored([key]), await counted(site)], [[true], SIZE]);
      await sweep({ ...env, clock: () => Date.now() + UNUSED_MS + 60_000 });
      assert.deepEqual([await stored([key]), await counted(site)], [[false], 0]);
    });

    it("a canvas changes hands although bytes of removed files still count, its own and those of the new owner", async () => {
      const [site, other] = [await open(), await open()];
      const { owner } = site.people;
      for (const each of [site, other]) {
        const made = await put(each, fresh().bytes);
        assert.equal((await each.pages.viewer.delete(`/files/${made.json.id}`)).status, 200);
      }
      const receiver = other.people.owner;
      await amend(target, site, { people: [{ email: receiver.email, role: "editor" }] });
      const given = await manage(target, owner, "PUT", `/api/canvases/${site.id}/owner`, {
        email: receiver.email,
      });
      assert.equal(given.status, 200, given.text);
      assert.deepEqual([await counted(site), await counted(other)], [0, 0]);
    });

    it("a file that an import has brought back under its id is removed again, and each of its bytes is counted", async () => {
      const site = await open();
      const { owner } = site.people;
      const made = await upload(site.pages.owner, {}, { bytes: randomBytes(100) });
      const { bytes: archive } = await manage(target, owner, "GET", `/api/canvases/${site.id}/export`);
      const bringBack = () =>
        send(target.base, {
          method: "POST",
          path: `/api/canvases/${site.id}/import`,
          headers: [...owner.headers, ["Content-Type", "application/zip"]],
          body: archive,
        });
      assert.equal((await site.pages.owner.delete(`/files/${made.json.id}`)).status, 200);
      for (let round = 0; round < 3; round++) {
        const answer = await bringBack();
        assert.equal(answer.status, 200, answer.text);
        const { json } = await site.pages.owner.get("/files");
        for (const { id } of json.files as { id: string }[])
          assert.equal((await site.pages.owner.delete(`/files/${id}`)).status, 200);
      }
      assert.equal(await counted(site), 400);
      await sweep({ ...env, clock: () => Date.now() + UNUSED_MS + 60_000 });
      assert.equal(await counted(site), 0);
    });

    it("bytes that another file has stay", async () => {
      const [site, other] = [await open(), await open()];
      const { bytes, key } = fresh();
      const made = await put(site, bytes);
      const kept = await put(other, bytes);
      await site.pages.viewer.delete(`/files/${made.json.id}`);
      assert.equal((await put(site, fresh().bytes)).status, 201);
      assert.deepEqual([await stored([key]), await counted(site)], [[true], 0]);
      assert.deepEqual((await other.pages.viewer.get(`/files/${kept.json.id}/content`)).bytes, bytes);
    });

    it("attachments of removed records count, too, and make room", async () => {
      const site = await open();
      await govern(target, site, { collections: { board: { preset: "collaborative" } } });
      const { viewer } = site.pages;
      const keys: string[] = [];
      for (let round = 0; round < 3; round++) {
        const { json } = await viewer.post("/collections/board", { value: 1 });
        const { bytes, key } = fresh();
        keys.push(key);
        const made = await upload(viewer, { collection: "board", recordId: String(json.id) }, { bytes });
        assert.equal(made.status, 201, made.text);
        assert.equal((await viewer.delete(`/collections/board/${json.id}`)).status, 200);
      }
      assert.deepEqual(await stored(keys), [false, false, true]);
    });

    it("a canvas that is removed for good takes the bytes of its files with it", async () => {
      const site = await open();
      const [first, second] = [fresh(), fresh()];
      const made = await put(site, first.bytes);
      await site.pages.viewer.delete(`/files/${made.json.id}`);
      await put(site, second.bytes);
      const { owner } = site.people;
      assert.equal((await manage(target, owner, "DELETE", `/api/canvases/${site.id}`)).status, 204);
      assert.equal((await manage(target, owner, "DELETE", `/api/canvases/${site.id}/trash`)).status, 204);
      assert.deepEqual(await stored([first.key, second.key]), [false, false]);
    });

    it("while unused blobs are held after a restore, they stay, and an upload that needs the room is refused", async () => {
      const site = await open();
      const { bytes, key } = fresh();
      const made = await put(site, bytes);
      await site.pages.viewer.delete(`/files/${made.json.id}`);
      const hold = (until: number) => env.db.run`update sweep_guard set held_until = ${until}`;
      await hold(Date.now() + HOLD_MS);
      try {
        refused(await put(site, fresh().bytes), 409, "QUOTA_EXCEEDED");
        assert.deepEqual(await stored([key]), [true]);
      } finally {
        await hold(0);
      }
      assert.equal((await put(site, fresh().bytes)).status, 201);
    });
  },
  { SERVICE_QUOTA_FILES_BYTES: String(QUOTA) },
);
