import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { add as addRecord } from "../collections/entry.ts";
import { add as addFile, pathOf } from "../files/record.ts";
import { type Stage, share, stage, turn } from "../fixture.ts";
import { guestOf, revoke } from "../guest.ts";
import type { Answer } from "../http.ts";
import { open, type Page } from "../page.ts";
import { parallel } from "../parallel.ts";
import { idOf } from "../person-id.ts";
import { collecting, govern } from "../policy.ts";
import { disabled } from "../refusal.ts";
import type { Target } from "../target.ts";
import { ask, type Caller, leaveTraces, POLICY, type Trace } from "./traces.ts";

/** Tests which people `GET /people` returns: only those who have left something, such as a record or a file, that the caller may read. */
export function sources(target: Target): void {
  describe("the people that a caller gets", () => {
    let canvas: Stage;
    let traces: Trace[];
    before(async () => {
      canvas = await stage(target, { access: "whole_org" });
      traces = await leaveTraces(target, canvas);
    });

    /**
     * Requests `GET /people` for the authors of all `traces`. Asserts that the response has exactly the authors of the traces for which
     * `isReadable` returns true, with their names.
     */
    async function gets(page: Page, isReadable: (trace: Trace) => boolean): Promise<void> {
      const found = await ask(
        page,
        traces.map(({ id }) => id),
      );
      const nameOf = (trace: Trace) => `${trace.name}: ${trace.person.name}`;
      const traceOf = new Map(traces.map((trace) => [trace.id, trace]));
      assert.deepEqual(
        found.map(({ id, name }) => `${traceOf.get(id)?.name}: ${name}`),
        traces.filter(isReadable).map(nameOf),
      );
      for (const { avatarUrl } of found) assert.equal(avatarUrl, null);
    }
    const getsAs = (page: Page, caller: Caller, filter: (trace: Trace) => boolean = () => true) =>
      gets(page, (trace) => trace.isReadable(caller) && filter(trace));

    for (const role of ["owner", "editor", "viewer", "stranger"] as const) {
      it(`${role}: every preset and right to read, submissions, files and attachments`, async () => {
        const page = canvas.pages[role];
        await getsAs(page, { id: await idOf(page), manages: role === "owner" || role === "editor" });
      });
    }

    it("an administrator gets what a viewer gets", async () => {
      const admin = open(target, canvas.slug, await target.signIn(target.admin));
      await getsAs(admin, { id: await idOf(admin), manages: false });
    });

    it("the authors themselves: their own under `own`, and the uploader of an attachment to their record", async () => {
      await parallel(traces, ({ page, id, person }) =>
        getsAs(page, { id, manages: person === canvas.people.editor }),
      );
    });

    for (const off of [["kv"], ["files"], ["kv", "files"]] as const) {
      it(`${off.join(" and ")} off: nobody by what needs it`, async () => {
        await turn(target, canvas, Object.fromEntries(off.map((name) => [name, false])));
        for (const role of ["owner", "viewer"] as const) {
          const page = canvas.pages[role];
          const caller = { id: await idOf(page), manages: role === "owner" };
          await getsAs(page, caller, ({ needs }) => !needs.some((need) => off.some((each) => each === need)));
        }
        await turn(target, canvas, { kv: true, files: true });
      });
    }

    it("the backend off: CAPABILITY_DISABLED", async () => {
      await turn(target, canvas, { backendEnabled: false });
      disabled(await canvas.pages.owner.get("/people?ids=a"), "identity", "backend_off");
      await turn(target, canvas, { backendEnabled: true });
    });

    it("a collection or group without a policy opens nothing, from the next request on", async () => {
      const caller = { id: await idOf(canvas.pages.owner), manages: true };
      for (const kind of ["collections", "fileGroups"] as const) {
        await govern(target, canvas, { ...POLICY, [kind]: {} });
        await getsAs(canvas.pages.owner, caller, ({ entry }) => entry?.kind !== kind);
      }
      await govern(target, canvas, null);
      await getsAs(canvas.pages.owner, caller, ({ entry }) => entry === undefined);
      await govern(target, canvas, POLICY);
      await getsAs(canvas.pages.owner, caller);
    });

    it("a new role applies to the next request", async () => {
      const { viewer } = canvas.pages;
      const id = await idOf(viewer);
      await share(target, canvas, "whole_org", { editor: "editor", viewer: "editor" });
      await getsAs(viewer, { id, manages: true });
      await share(target, canvas, "whole_org", { editor: "editor", viewer: "viewer" });
      await getsAs(viewer, { id, manages: false });
    });

    it("traces on one canvas name nobody on another", async () => {
      const other = await stage(target, { people: canvas.people });
      await govern(target, other, POLICY);
      for (const page of [other.pages.owner, other.pages.viewer]) await gets(page, () => false);
    });
  });

  describe("changes", () => {
    const BOARD = { board: { preset: "collaborative" } } as const;
    const named = async (page: Page, id: string) => (await ask(page, [id])).map(({ name }) => name);

    it("people are named until the last thing that they have left is removed", async () => {
      const canvas = await collecting(target, BOARD);
      const { owner, viewer } = canvas.pages;
      const id = await idOf(viewer);
      const recordOf = async (page: Page) => (await addRecord(page, "board", 1)).id;
      const removeRecord = (recordId: string) => owner.delete(`/collections/board/${recordId}`);
      const removeFile = (file: { id: string }) => viewer.delete(pathOf(file));
      const TRACES: (() => Promise<() => Promise<Answer>>)[] = [
        async () => {
          const recordId = await recordOf(viewer);
          return () => removeRecord(recordId);
        },
        async () => {
          await recordOf(viewer);
          return () => viewer.delete("/collections/board");
        },
        async () => {
          await viewer.put("/submissions/poll/mine", 1);
          return () => owner.delete("/submissions/poll");
        },
        async () => {
          const file = await addFile(viewer, { scope: "submission" });
          return () => removeFile(file);
        },
        async () => {
          const file = await addFile(viewer, { collection: "board", recordId: await recordOf(owner) });
          return () => removeFile(file);
        },
        async () => {
          const recordId = await recordOf(owner);
          await addFile(viewer, { collection: "board", recordId });
          return () => removeRecord(recordId);
        },
      ];
      for (const leave of TRACES) {
        assert.deepEqual(await named(owner, id), []);
        const remove = await leave();
        assert.deepEqual(await named(owner, id), [canvas.people.viewer.name]);
        assert.equal((await remove()).status, 200);
      }
      assert.deepEqual(await named(owner, id), []);
    });

    it("a guest gets names, and is named after the invitation is revoked", async () => {
      const canvas = await collecting(target, BOARD);
      const guest = await guestOf(target, canvas);
      const page = open(target, canvas.slug, guest);
      const id = await idOf(page);
      await addRecord(page, "board", 1);
      await addRecord(canvas.pages.viewer, "board", 1);
      const known = [
        { id: await idOf(canvas.pages.viewer), name: canvas.people.viewer.name, avatarUrl: null },
        { id, name: guest.name, avatarUrl: null },
      ];
      const ids = known.map((each) => each.id);
      assert.deepEqual(await ask(page, ids), known);
      await revoke(target, canvas, guest);
      assert.deepEqual(await ask(canvas.pages.viewer, ids), known);
    });

    // In oidc mode a person's name comes from the identity provider.
    if (target.authMode !== "oidc") {
      it("a name is the one that the person has now", async () => {
        const canvas = await collecting(target, BOARD);
        const { viewer } = canvas.pages;
        const id = await idOf(viewer);
        await addRecord(viewer, "board", { name: "forged" });
        const name = 'Zoë 👩‍🚀 "O\'Neil" <b>';
        const again = await target.signIn(canvas.people.viewer.email, name);
        assert.equal(await idOf(open(target, canvas.slug, again)), id);
        assert.deepEqual(await named(canvas.pages.owner, id), [name]);
      });
    }
  });
}
