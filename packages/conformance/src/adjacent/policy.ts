import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { disable } from "../admin.ts";
import { manage, type Stage, stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import type { Answer } from "../http.ts";
import { refused, unauthenticated } from "../refusal.ts";
import type { Person, Target } from "../target.ts";
import { complete, type Document, empty, full, WRONG } from "./documents.ts";

/** Tests `PATCH /api/canvases/{id}/capabilities` with a policy document and its revision (specification 4.11). */
export function policies(target: Target): void {
  describe("PATCH /api/canvases/{id}/capabilities", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });
    const patch = (person: Person | null, body: object, { id } = canvas) =>
      manage(target, person, "PATCH", `/api/canvases/${id}/capabilities`, body);
    const current = async ({ id, people } = canvas) => {
      const { json } = await manage(target, people.owner, "GET", `/api/canvases/${id}`);
      return { policy: json.runtimePolicy, revision: json.runtimePolicyRevision as string | null };
    };
    /** Replaces the current policy document of a canvas, and returns the new revision. */
    const save = async (document: Document | null, on = canvas): Promise<string> => {
      const { revision } = await current(on);
      const body = { expectedRuntimePolicy: revision, runtimePolicy: document };
      const answer = await patch(on.people.owner, body, on);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json.runtimePolicy, document);
      return String(answer.json.runtimePolicyRevision);
    };

    it("at first there is no policy, and its revision is null", async () => {
      assert.deepEqual(await current(await stage(target)), { policy: null, revision: null });
    });

    it("the answer: capabilities, what keeps them off, the document and its revision", async () => {
      const { owner } = canvas.people;
      const { json } = await patch(owner, { kv: true });
      assert.deepEqual(Object.keys(json).sort(), [
        "capabilities",
        "capabilitiesOff",
        "runtimePolicy",
        "runtimePolicyRevision",
      ]);
    });

    for (const [name, make] of [
      ["a document that uses everything", complete],
      ["50 entries of each kind", () => full(50)],
      ["an empty document", empty],
    ] as const) {
      it(`${name} comes back as it was saved`, async () => {
        const fresh = await stage(target);
        const revision = await save(make(), fresh);
        assert.deepEqual(await current(fresh), { policy: make(), revision });
      });
    }

    it("every save has a new revision; expecting an older one, or none, is POLICY_CONFLICT", async () => {
      const fresh = await stage(target);
      const { owner } = fresh.people;
      const revisions = [
        await save(empty(), fresh),
        await save(complete(), fresh),
        await save(empty(), fresh),
      ];
      assert.equal(new Set(revisions).size, 3);
      for (const revision of revisions) assert.match(revision, /./);
      const before = await current(fresh);
      assert.equal(before.revision, revisions[2]);
      const stale = [revisions[0], revisions[1], null, `${revisions[2]}x`, "null", "0"];
      for (const expectedRuntimePolicy of stale) {
        const body = { expectedRuntimePolicy, runtimePolicy: complete() };
        refused(await patch(owner, body, fresh), 409, "POLICY_CONFLICT");
      }
      refused(await patch(owner, { runtimePolicy: complete() }, fresh), 409, "POLICY_CONFLICT");
      assert.deepEqual(await current(fresh), before);
    });

    it("before the first policy, a save that expects a revision, or names none, is a conflict, too", async () => {
      const fresh = await stage(target);
      const { owner } = fresh.people;
      for (const expected of [{}, { expectedRuntimePolicy: "1" }]) {
        const body = { ...expected, runtimePolicy: empty() };
        refused(await patch(owner, body, fresh), 409, "POLICY_CONFLICT");
      }
      assert.deepEqual(await current(fresh), { policy: null, revision: null });
    });

    it("a conflict changes no switch; with the right revision policy and switches change at once", async () => {
      const fresh = await stage(target);
      const { owner } = fresh.people;
      const body = { kv: false, runtimePolicy: empty() };
      refused(await patch(owner, { ...body, expectedRuntimePolicy: "1" }, fresh), 409, "POLICY_CONFLICT");
      assert.equal((await fresh.pages.owner.get("/kv")).status, 200);
      const { status, json } = await patch(owner, { ...body, expectedRuntimePolicy: null }, fresh);
      assert.equal(status, 200);
      assert.equal((json.capabilities as Record<string, unknown>).kv, false);
      assert.deepEqual(json.runtimePolicy, empty());
      refused(await fresh.pages.owner.get("/kv"), 403, "CAPABILITY_DISABLED");
    });

    it("switches alone need no revision and leave the policy as it is; a revision that is given must match", async () => {
      const fresh = await stage(target);
      const { owner } = fresh.people;
      const revision = await save(complete(), fresh);
      assert.equal((await patch(owner, { files: false }, fresh)).status, 200);
      assert.deepEqual(await current(fresh), { policy: complete(), revision });
      const stale = { files: true, expectedRuntimePolicy: null };
      refused(await patch(owner, stale, fresh), 409, "POLICY_CONFLICT");
      const right = { files: true, expectedRuntimePolicy: revision };
      assert.equal((await patch(owner, right, fresh)).status, 200);
    });

    it("a policy can be removed; its revision is then out of date", async () => {
      const fresh = await stage(target);
      const revision = await save(complete(), fresh);
      await save(null, fresh);
      assert.equal((await current(fresh)).policy, null);
      const body = { expectedRuntimePolicy: revision, runtimePolicy: empty() };
      refused(await patch(fresh.people.owner, body, fresh), 409, "POLICY_CONFLICT");
    });

    it("of ten saves at once that expect the same revision exactly one wins", async () => {
      const fresh = await stage(target);
      const { owner, editor } = fresh.people;
      for (const round of [0, 1, 2]) {
        const { revision } = await current(fresh);
        const documents = Array.from({ length: 10 }, (_, index) => ({
          ...empty(),
          collections: { [`round-${round}-${index}`]: { preset: "managed" } },
        }));
        const answers = await Promise.all(
          documents.map((runtimePolicy, index) =>
            patch(index % 2 ? editor : owner, { expectedRuntimePolicy: revision, runtimePolicy }, fresh),
          ),
        );
        const won = answers.findIndex(({ status }) => status === 200);
        assert.notEqual(won, -1, "somebody wins");
        for (const [index, answer] of answers.entries()) {
          if (index !== won) refused(answer, 409, "POLICY_CONFLICT");
        }
        assert.deepEqual((await current(fresh)).policy, documents[won]);
      }
    });

    describe("access by role", () => {
      let shared: Stage;
      let people: Record<string, Person | null>;
      before(async () => {
        shared = await stage(target, { access: "whole_org" });
        const [guest, admin] = [await guestOf(target, shared), await target.signIn(target.admin)];
        people = { ...shared.people, guest, admin, nobody: null };
      });
      const rows: [who: string, check: (answer: Answer) => void][] = [
        ["owner", ({ status, text }) => assert.equal(status, 200, text)],
        ["editor", ({ status, text }) => assert.equal(status, 200, text)],
        ["viewer", (answer) => refused(answer, 403, "PERMISSION_DENIED")],
        ["guest", (answer) => refused(answer, 403, "PERMISSION_DENIED")],
        ["nobody", (answer) => unauthenticated(answer, target)],
      ];
      for (const [who, check] of rows) {
        it(`the ${who}`, async () => {
          const { revision: expectedRuntimePolicy } = await current(shared);
          const person = people[who] as Person | null;
          check(await patch(person, { expectedRuntimePolicy, runtimePolicy: empty() }, shared));
        });
      }

      it("a stranger and an administrator, who have no role: 404 NOT_FOUND", async () => {
        for (const who of ["stranger", "admin"]) {
          const body = { expectedRuntimePolicy: null, runtimePolicy: empty() };
          refused(await patch(people[who] as Person, body, canvas), 404, "NOT_FOUND");
        }
      });

      it("only the owner changes `guestAi`: an editor gets OWNER_ONLY, and nothing changes", async () => {
        const { owner, editor } = shared.people;
        const capabilities = async (answer: Promise<Answer>) =>
          (await answer).json.capabilities as Record<string, unknown>;
        refused(await patch(editor, { guestAi: true, files: false }, shared), 403, "OWNER_ONLY");
        const { guestAi, files } = await capabilities(patch(editor, { kv: true }, shared));
        assert.deepEqual({ guestAi, files }, { guestAi: false, files: true });
        assert.equal((await capabilities(patch(owner, { guestAi: true }, shared))).guestAi, true);
      });

      it("while an administrator has disabled the canvas: 409 DISABLED for everyone", async () => {
        const disabled = await stage(target);
        await disable(target, disabled);
        const body = { expectedRuntimePolicy: null, runtimePolicy: empty() };
        for (const role of ["owner", "editor"] as const) {
          refused(await patch(disabled.people[role], body, disabled), 409, "DISABLED");
          refused(await patch(disabled.people[role], { kv: false }, disabled), 409, "DISABLED");
        }
        assert.deepEqual(await current(disabled), { policy: null, revision: null });
      });
    });

    describe("a wrong document: 400 INVALID_BODY, and nothing changes", () => {
      let untouched: Stage;
      before(async () => {
        untouched = await stage(target);
      });
      for (const [what, runtimePolicy] of WRONG) {
        it(what, async () => {
          const body = { expectedRuntimePolicy: null, runtimePolicy } as object;
          refused(await patch(untouched.people.owner, body, untouched), 400, "INVALID_BODY");
        });
      }

      it("after all these refusals there is still no policy", async () => {
        assert.deepEqual(await current(untouched), { policy: null, revision: null });
      });
    });
  });
}
