import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { readableFrom, unreadable, withoutCors } from "../cors.ts";
import { type Cast, cast, freshSlug, type Stage, stage } from "../fixture.ts";
import type { Answer, Header } from "../http.ts";
import { publish } from "../lifecycle.ts";
import { open, pageOrigin, pageUrl } from "../page.ts";
import { parallel } from "../parallel.ts";
import { afflicted, CAUSES, type Scene } from "../pipeline/causes.ts";
import { refused, unauthenticated } from "../refusal.ts";
import type { Target } from "../target.ts";
import { knock } from "./handshake.ts";

/**
 * Tests that a caller without a session or without access gets an HTTP response instead of the upgrade, as for any request (specification
 * 4.1, steps 1 to 3).
 */
export function upgrade(target: Target): void {
  const subdomain = target.urlMode === "subdomain";
  describe("refusals of the upgrade", () => {
    let people: Cast;
    let shut: Stage;
    let scenes: Scene[];
    before(async () => {
      people = await cast(target);
      shut = await stage(target, { people, switches: { backendEnabled: false } });
      scenes = await parallel(CAUSES.slice(), ({ cause }) => afflicted(target, [cause]), 8);
    });

    /**
     * Asserts that the service refuses a handshake as it refuses any request. `answer` is the response to the handshake, and `usual` is the
     * response to a plain GET. Also asserts the CORS headers of `answer`.
     */
    const likeAnyOther = (answer: Answer, usual: Answer, slug: string) => {
      const { requestId, ...said } = answer.json;
      assert.equal(typeof requestId, typeof usual.json.requestId);
      assert.deepEqual({ ...usual.json, ...said }, usual.json);
      assert.equal(answer.status, usual.status);
      assert.equal(answer.headers["content-type"], usual.headers["content-type"]);
      assert.equal(Number(answer.headers["content-length"]), Buffer.byteLength(answer.text));
      if (subdomain) readableFrom(answer, pageOrigin(target, slug));
      else withoutCors(answer);
    };

    for (const [index, { cause, status, code }] of CAUSES.entries()) {
      it(`${cause}: ${status} ${code} instead of 101`, async () => {
        const { canvas, refused: person } = scenes[index] as Scene;
        const answer = await knock(target, canvas.slug, person);
        refused(answer, status, code);
        likeAnyOther(answer, await open(target, canvas.slug, person).get("/realtime"), canvas.slug);
      });
    }

    it("without a session: refused like any request, for an unknown slug, too", async () => {
      for (const slug of [shut.slug, freshSlug()]) {
        const answer = await knock(target, slug, null);
        unauthenticated(answer, target);
        if (subdomain) readableFrom(answer, pageOrigin(target, slug));
      }
    });

    it("an invalid session: as without one", async () => {
      const headers: Header[] = [["Cookie", "easel_session=made-up"]];
      unauthenticated(await knock(target, shut.slug, { email: "", name: "", headers }), target);
    });

    it("an anonymous caller on a Public link: 403 STATIC_ONLY", async () => {
      const canvas = await stage(target, { people, access: "public_link" });
      await publish(target, canvas, "home");
      const { slug } = canvas;
      refused(await knock(target, slug, null), 403, "STATIC_ONLY");
    });

    for (const slug of [freshSlug(), "x", "x".repeat(64), "__proto__", "a%00b", "a%2Frealtime"]) {
      it(`the unknown slug ${slug.slice(0, 20)}: 404 NOT_FOUND`, async () => {
        refused(await knock(target, slug, people.owner), 404, "NOT_FOUND");
      });
    }

    it("no page of another site can read it", async () => {
      const origin = pageOrigin(target, freshSlug());
      const answer = await knock(target, shut.slug, people.stranger, { headers: [["Origin", origin]] });
      refused(answer, 404, "OWNER_ONLY");
      unreadable(answer);
    });

    if (subdomain) {
      it("the host of a canvas does not serve the API", async () => {
        const { slug } = await stage(target, { people });
        const { host } = new URL(pageUrl(target, slug));
        const { status } = await knock(target, slug, people.owner, { host });
        assert.ok(status === 401 || status === 302 || status === 404, String(status));
      });
    }
  });
}
