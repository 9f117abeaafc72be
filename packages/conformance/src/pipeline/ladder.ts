import { before, describe, it } from "node:test";
import { readableFrom } from "../cors.ts";
import { freshSlug, share, stage } from "../fixture.ts";
import { expire } from "../lifecycle.ts";
import { open, pageHeaders, pageOrigin } from "../page.ts";
import { parallel } from "../parallel.ts";
import { plain, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { makeTeam } from "../team.ts";
import { afflicted, CAUSES, type Cause, PASSWORD, type Scene } from "./causes.ts";
import { came } from "./outcome.ts";

type Pair = [earlier: (typeof CAUSES)[number], later: (typeof CAUSES)[number]];

/**
 * Pairs of reasons for which a caller is refused. Each pair is tested on one canvas to which both apply. The pair of `deleted` and
 * `disabled` is left out, because an owner cannot delete a disabled canvas.
 */
const PAIRS: Pair[] = CAUSES.flatMap((earlier, index) =>
  CAUSES.slice(index + 1).map((later): Pair => [earlier, later]),
).filter(([earlier, later]) => !(earlier.cause === "deleted" && later.cause === "disabled"));

const EXEMPT = ["owner", "editor"] as const;

/**
 * Tests every cause for which a caller is refused access to a canvas (specification 4.1, step 3): alone, combined with each other cause,
 * and for the people to whom it does not apply.
 */
export function ladder(target: Target): void {
  describe("step 3: every refusal", () => {
    let alone: Map<Cause, Scene>;
    before(async () => {
      const scenes = await parallel([...CAUSES], ({ cause }) => afflicted(target, [cause]), 8);
      alone = new Map(CAUSES.map(({ cause }, index) => [cause, scenes[index] as Scene]));
    });
    const scene = (cause: Cause) => alone.get(cause) as Scene;

    for (const { cause, status, code } of CAUSES) {
      it(`${cause}: ${status} ${code}, on every path and to every method`, async () => {
        const { canvas, refused: who } = scene(cause);
        const page = open(target, canvas.slug, who);
        const answers = [
          await page.get("/me"),
          await page.get("/kv"),
          await page.put("/kv/k", 1),
          await page.post("/me", {}),
          await page.get("/no-such-path"),
        ];
        for (const answer of answers) {
          refused(answer, status, code);
          plain(answer);
          if (target.urlMode === "subdomain") readableFrom(answer, pageOrigin(target, canvas.slug));
        }
      });

      it(`${cause}: before isolation`, async () => {
        const { canvas, refused: who } = scene(cause);
        const elsewhere = pageHeaders(target, freshSlug());
        const { slug } = canvas;
        refused(await open(target, slug, who).send("GET", "/me", elsewhere), status, code);
      });
    }

    it("deleted, archived, disabled: the owner is not exempt, nor an editor", async () => {
      for (const { cause, status, code } of CAUSES.slice(0, 3)) {
        for (const role of EXEMPT) refused(await scene(cause).canvas.pages[role].get("/me"), status, code);
      }
    });

    it("an administrator is refused for the same causes as everyone else", async () => {
      const admin = await target.signIn(target.admin);
      for (const { cause, status, code } of CAUSES) {
        if (cause === "guest of another canvas") continue;
        const { canvas } = scene(cause);
        const listed = { ...canvas, people: { ...canvas.people, viewer: admin } };
        if (["expired", "password", "public link"].includes(cause)) {
          const access = cause === "public link" ? "public_link" : "private";
          await share(target, listed, access, { viewer: "viewer" });
        }
        refused(await open(target, canvas.slug, admin).get("/me"), status, code);
      }
    });

    it("expiry, password and STATIC_ONLY do not apply to the owner and to editors, by list or by team", async () => {
      const canvas = await stage(target);
      const { owner, stranger } = canvas.people;
      const teams = [{ id: (await makeTeam(target, owner, [stranger])).id, role: "editor" } as const];
      await share(target, canvas, "public_link", { editor: "editor" }, { password: PASSWORD, teams });
      await expire(target, canvas);
      for (const role of EXEMPT) came(await canvas.pages[role].get("/me"), role);
      came(await canvas.pages.stranger.get("/me"), "editor");
    });

    describe("of two causes the earlier one is reported", () => {
      let scenes: Scene[];
      before(async () => {
        scenes = await parallel(
          PAIRS,
          (pair) =>
            afflicted(
              target,
              pair.map(({ cause }) => cause),
            ),
          8,
        );
      });
      for (const [index, [earlier, later]] of PAIRS.entries()) {
        it(`${earlier.cause} before ${later.cause}: ${earlier.code}`, async () => {
          const { canvas, refused: who } = scenes[index] as Scene;
          refused(await open(target, canvas.slug, who).get("/me"), earlier.status, earlier.code);
        });
      }
    });
  });
}
