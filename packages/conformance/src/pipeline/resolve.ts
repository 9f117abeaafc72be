import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { cast, freshSlug, manage, type Role, type Stage, share, stage } from "../fixture.ts";
import { open } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { came, type Outcome } from "./outcome.ts";

const SHUT: Outcome = [404, "OWNER_ONLY"];

interface Rung {
  access: "private" | "whole_org";
  listed: Partial<Record<Role, "editor" | "viewer">>;
  expected: Record<Role, Outcome>;
}

const RUNGS: Rung[] = [
  {
    access: "private",
    listed: {},
    expected: { owner: "owner", editor: SHUT, viewer: SHUT, stranger: SHUT },
  },
  {
    access: "private",
    listed: { editor: "editor", viewer: "viewer" },
    expected: { owner: "owner", editor: "editor", viewer: "viewer", stranger: SHUT },
  },
  {
    access: "whole_org",
    listed: {},
    expected: { owner: "owner", editor: "viewer", viewer: "viewer", stranger: "viewer" },
  },
  {
    access: "whole_org",
    listed: { editor: "editor", viewer: "viewer" },
    expected: { owner: "owner", editor: "editor", viewer: "viewer", stranger: "viewer" },
  },
  {
    access: "private",
    listed: { editor: "viewer", viewer: "editor" },
    expected: { owner: "owner", editor: "viewer", viewer: "editor", stranger: SHUT },
  },
];

/** Tests how the service finds the canvas and the caller's role, with access `private` and `whole_org` (specification 4.1, step 3). */
export function resolve(target: Target): void {
  describe("step 3: resolve and authorize", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });

    for (const { access, listed, expected } of RUNGS) {
      it(`${access}, on the list ${JSON.stringify(listed)}: at once ${JSON.stringify(expected)}`, async () => {
        await share(target, canvas, access, listed);
        for (const [role, outcome] of Object.entries(expected)) {
          came(await canvas.pages[role as Role].get("/me"), outcome);
        }
      });
    }

    it("a caller without a role can write nothing", async () => {
      const shut = await stage(target);
      for (const path of ["/kv/barred", "/kv/user/barred"]) {
        refused(await shut.pages.stranger.put(path, 1), 404, "OWNER_ONLY");
      }
      refused(await shut.pages.owner.get("/kv/barred"), 404, "NOT_FOUND");
    });

    it("a person listed before their first sign-in is admitted", async () => {
      const people = await cast(target);
      const late = { ...people.viewer, email: people.viewer.email.replace("viewer", "late") };
      const waiting = await stage(target, { people: { ...people, viewer: late } });
      came(await open(target, waiting.slug, await target.signIn(late.email)).get("/me"), "viewer");
    });

    it("an administrator has no bypass", async () => {
      const admin = await target.signIn(target.admin);
      assert.equal(
        (await manage(target, admin, "GET", "/api/me")).json.isAdmin,
        true,
        "the target's admin is one",
      );
      const lone = await stage(target);
      came(await open(target, lone.slug, admin).get("/me"), SHUT);
      await share(target, lone, "whole_org", {});
      came(await open(target, lone.slug, admin).get("/me"), "viewer");
    });

    const unknown = [
      ["never made", freshSlug()],
      ["too short to exist", "x"],
      ["too long to exist", "x".repeat(64)],
      ["in upper case", freshSlug().toUpperCase()],
      ["an object-prototype name", "__proto__"],
      ["with an encoded slash", `${freshSlug()}%2Fkv`],
      ["with a quote", "a'%20or%201=1"],
      ["with a NUL", "a%00b"],
    ] as const;
    for (const [name, slug] of unknown) {
      it(`an unknown slug (${name}): 404 NOT_FOUND`, async () => {
        refused(await open(target, slug, canvas.people.owner).get("/me"), 404, "NOT_FOUND");
      });
    }

    it("a slug is not found in other case", async () => {
      const { slug, people } = canvas;
      refused(await open(target, slug.toUpperCase(), people.owner).get("/me"), 404, "NOT_FOUND");
    });
  });
}
