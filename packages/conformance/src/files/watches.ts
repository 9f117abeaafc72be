import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { RuntimePolicy } from "@easel/protocol/policy";
import { add as addRecord } from "../collections/entry.ts";
import { type Cast, cast, type Stage, share, stage, turn } from "../fixture.ts";
import { JSON_TYPE, type Page } from "../page.ts";
import { govern } from "../policy.ts";
import { failure, gets } from "../realtime/frame.ts";
import { line } from "../realtime/line.ts";
import type { Socket } from "../realtime/socket.ts";
import { FILES, fileChange, resync, watch, watching } from "../realtime/watching.ts";
import { answered, refused } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { upload } from "./form.ts";
import { add, contentOf, pathOf } from "./record.ts";

const OPEN = { preset: "collaborative" } as const;
const POLICY: RuntimePolicy = {
  fileGroups: {
    photos: OPEN,
    album: { preset: "personal" },
    staff: { preset: "collaborative", overrides: { read: "editors" } },
  },
  collections: { board: OPEN, diary: { preset: "personal" } },
};

const rename = (page: Page, file: { id: string }) =>
  page.send("PATCH", pathOf(file), [JSON_TYPE], '{"name":"renamed"}');

/** Tests `watch` on files: a change is sent to the watching connections of people who may read the file. */
export function watches(target: Target): void {
  describe("watches", () => {
    const dial = line(target);
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    const made = async (policy = POLICY) => {
      const canvas = await stage(target, { people, access: "whole_org" });
      await govern(target, canvas, policy);
      return canvas;
    };
    const watcher = async (canvas: Stage, role: "owner" | "editor" | "viewer" | "stranger") => {
      const socket = await dial(canvas, people[role]);
      await watch(socket, FILES);
      return socket;
    };

    it("uploaded, renamed, deleted, in each scope: `change` with scope, id and op", async () => {
      const canvas = await made();
      const { owner } = canvas.pages;
      const socket = await watcher(canvas, "viewer");
      const { id: recordId } = await addRecord(canvas.pages.viewer, "board", 1);
      const scopes: [fields: Record<string, string>, scope: string][] = [
        [{}, "shared"],
        [{ group: "photos" }, "group:photos"],
        [{ collection: "board", recordId }, "record:board"],
      ];
      for (const [fields, scope] of scopes) {
        const file = await add(owner, fields);
        await gets(socket, [fileChange(scope, file.id)]);
        assert.equal((await rename(owner, file)).status, 200);
        await gets(socket, [fileChange(scope, file.id)]);
        answered(await owner.delete(pathOf(file)), { ok: true });
        await gets(socket, [fileChange(scope, file.id, "delete")]);
      }
    });

    it("a private file: changes are sent to its uploader, owner and editors, and to no other viewer", async () => {
      const canvas = await made();
      const { owner, viewer } = canvas.pages;
      const sockets: Record<string, Socket> = {};
      for (const role of ["owner", "editor", "viewer", "stranger"] as const)
        sockets[role] = await watcher(canvas, role);
      const file = await add(viewer, { scope: "submission" });
      await rename(viewer, file);
      await owner.delete(pathOf(file));
      const last = await add(owner);
      for (const [role, socket] of Object.entries(sockets)) {
        const own = role === "stranger" ? [] : [undefined, undefined, "delete" as const];
        await gets(socket, [
          ...own.map((op) => fileChange("submission", file.id, op)),
          fileChange("shared", last.id),
        ]);
      }
    });

    it("groups and records: changes are sent to those who may read the file; for attachments the author of the record counts", async () => {
      const canvas = await made();
      const { owner, viewer } = canvas.pages;
      const [editor, reader] = [await watcher(canvas, "editor"), await watcher(canvas, "viewer")];
      const { id: recordId } = await addRecord(viewer, "diary", 1);
      const [staff, album, diary] = [
        await add(owner, { group: "staff" }),
        await add(viewer, { group: "album" }),
        await add(viewer, { collection: "diary", recordId }),
      ];
      const last = await add(owner);
      await gets(editor, [fileChange("group:staff", staff.id), fileChange("shared", last.id)]);
      await gets(reader, [
        fileChange("group:album", album.id),
        fileChange("record:diary", diary.id),
        fileChange("shared", last.id),
      ]);
    });

    it("reads and refused requests send no change", async () => {
      const canvas = await made();
      const { owner, viewer } = canvas.pages;
      const file = await add(owner);
      const socket = await watcher(canvas, "viewer");
      refused(await upload(viewer), 403, "PERMISSION_DENIED");
      refused(await owner.post("/files", 1), 400, "INVALID_BODY");
      refused(await upload(owner, { group: "none" }), 404, "NOT_FOUND");
      refused(await viewer.delete(pathOf(file)), 403, "PERMISSION_DENIED");
      refused(await owner.send("PATCH", pathOf(file), [JSON_TYPE], "{}"), 400, "INVALID_BODY");
      await viewer.get("/files");
      await viewer.get(contentOf(file));
      await owner.delete(pathOf(file));
      await gets(socket, [fileChange("shared", file.id, "delete")]);
    });

    it("a record that is deleted with its attachments: resync; one without any: nothing", async () => {
      const canvas = await made();
      const { viewer } = canvas.pages;
      const [attached, bare] = [await addRecord(viewer, "board", 1), await addRecord(viewer, "board", 2)];
      const file = await add(viewer, { collection: "board", recordId: attached.id });
      const socket = await watcher(canvas, "stranger");
      await viewer.delete(`/collections/board/${bare.id}`);
      await viewer.delete(`/collections/board/${attached.id}`);
      same(await socket.next(), resync(FILES));
      refused(await viewer.get(contentOf(file)), 404, "NOT_FOUND");
      await gets(socket, []);
    });

    it("a collection that is cleared with its attachments: resync", async () => {
      const canvas = await made();
      const { owner, viewer } = canvas.pages;
      const { id: recordId } = await addRecord(viewer, "board", 1);
      await add(viewer, { collection: "board", recordId });
      const socket = await watcher(canvas, "viewer");
      await owner.delete("/collections/board");
      await gets(socket, [resync(FILES)]);
    });

    it("another policy or role: resync, and then what the new rights show", async () => {
      const canvas = await made();
      const { owner } = canvas.pages;
      const socket = await watcher(canvas, "viewer");
      await govern(target, canvas, { ...POLICY, fileGroups: { staff: OPEN } });
      same(await socket.next(), resync(FILES));
      const staff = await add(owner, { group: "staff" });
      await gets(socket, [fileChange("group:staff", staff.id)]);
      await share(target, canvas, "whole_org", { viewer: "editor" });
      same(await socket.next(), resync(FILES));
      const own = await add(owner, { scope: "submission" });
      await gets(socket, [fileChange("submission", own.id)]);
      await share(target, canvas, "whole_org", {});
      same(await socket.next(), resync(FILES));
      await add(owner, { scope: "submission" });
      await gets(socket, []);
    });

    it("watched again with resume: watching, then resync; nothing after unwatch", async () => {
      const canvas = await made();
      const socket = await watcher(canvas, "viewer");
      socket.send({ type: "watch", ...FILES, resume: true });
      await gets(socket, [watching(FILES), resync(FILES)]);
      socket.send({ type: "unwatch", ...FILES });
      await gets(socket, []);
      await add(canvas.pages.owner);
      await gets(socket, []);
    });

    it("changes on another canvas are not sent", async () => {
      const [canvas, other] = [await made(), await made()];
      const socket = await watcher(canvas, "owner");
      await add(other.pages.owner);
      const last = await add(canvas.pages.owner);
      await gets(socket, [fileChange("shared", last.id)]);
    });

    it("files off: CAPABILITY_DISABLED; while KV is off, files except attachments are watched", async () => {
      const canvas = await made();
      const { owner } = canvas.pages;
      const { id: recordId } = await addRecord(owner, "board", 1);
      const file = await add(owner, { collection: "board", recordId });
      await turn(target, canvas, { files: false });
      const socket = await dial(canvas, people.owner);
      for (const resume of [false, true]) {
        socket.send({ type: "watch", ...FILES, resume });
        await gets(socket, [failure("CAPABILITY_DISABLED", FILES)]);
      }
      await turn(target, canvas, { files: true, kv: false });
      await watch(socket, FILES);
      const shared = await add(owner);
      refused(await owner.delete(pathOf(file)), 403, "CAPABILITY_DISABLED");
      await gets(socket, [fileChange("shared", shared.id)]);
    });
  });
}
