import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manage } from "../fixture.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { freshProfile, passed, reach, roomOf } from "./profile.ts";
import { upstreamOf } from "./upstream-log.ts";

/** Tests a service without an encryption key. Profiles without protected headers work. Profiles with protected headers cannot be stored. */
export function keyless(target: Target): void {
  describe("without an encryption key", () => {
    it("protected headers: 503 CONNECTION_KEY_UNAVAILABLE, not stored", async () => {
      const admin = await target.signIn(target.admin);
      const name = freshProfile();
      const body = { origin: upstreamOf(target), methods: ["GET"], headers: { "X-Key": "1" } };
      const path = "/api/admin/connections";
      refused(await manage(target, admin, "PUT", `${path}/${name}`, body), 503, "CONNECTION_KEY_UNAVAILABLE");
      assert.equal((await manage(target, admin, "GET", path)).text.includes(name), false);
    });

    it("a profile without protected headers can be used", async () => {
      const { pages, profile } = await roomOf(target);
      passed(await reach(pages.owner, profile));
    });
  });
}
