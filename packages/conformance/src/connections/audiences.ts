import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { turn } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { open, type Page } from "../page.ts";
import { govern } from "../policy.ts";
import type { Target } from "../target.ts";
import { tokenOf } from "../token.ts";
import {
  barred,
  connect,
  freshProfile,
  type GrantSetup,
  grant,
  METHODS,
  passed,
  putProfile,
  type Room,
  reach,
  roomOf,
} from "./profile.ts";
import { freshMark, nothingWith, onlyWith } from "./upstream-log.ts";

type Caller = "owner" | "editor" | "viewer" | "guest";
const CALLERS: Caller[] = ["owner", "editor", "viewer", "guest"];
const MANAGERS: Caller[] = ["owner", "editor"];
const MEMBERS: Caller[] = [...MANAGERS, "viewer"];

/** A row: the audience in the canvas's settings, that in the policy (null: the policy has no entry), the grant, and who may call. */
type Row = ["editors" | "viewers", "none" | "editors" | "viewers" | null, GrantSetup, Caller[]];

const ROWS: Row[] = [
  ["editors", null, { guests: true }, MANAGERS],
  ["viewers", null, {}, MEMBERS],
  ["viewers", null, { guests: false }, MEMBERS],
  ["viewers", null, { guests: true }, CALLERS],
  ["viewers", null, { public: true }, CALLERS],
  ["viewers", null, { public: true, guests: false }, MEMBERS],
  ["editors", "viewers", {}, MEMBERS],
  ["editors", "viewers", { guests: true }, CALLERS],
  ["viewers", "editors", { guests: true }, MANAGERS],
  ["viewers", "none", { guests: true }, []],
];

/** Requests `GET /me`. Returns its `permissions.canUseConnections` as `canUse`, and its `resources.connections` as `connections`. */
async function rightsOf(page: Page) {
  const { permissions, resources } = (await page.get("/me")).json as {
    permissions: Record<string, unknown>;
    resources: { connections: Record<string, { invoke: boolean; methods: string[] }> };
  };
  return { canUse: permissions.canUseConnections, connections: resources.connections };
}

/** Tests who may call a Connection, and that `GET /me` agrees. */
export function audiences(target: Target): void {
  describe("audiences", () => {
    let room: Room;
    let pages: Record<Caller, Page>;
    before(async () => {
      room = await roomOf(target);
      pages = { ...room.pages, guest: open(target, room.slug, await guestOf(target, room)) };
    });

    for (const [connectionsAudience, audience, granted, allowed] of ROWS)
      it(`canvas ${connectionsAudience}, policy ${audience ?? "without an entry"}, grant ${JSON.stringify(granted)}: ${allowed.join() || "nobody"}`, async () => {
        await grant(target, room.profile, room, granted);
        await turn(target, room, { connectionsAudience });
        await govern(target, room, audience && { connections: { [room.profile]: { audience } } });
        for (const caller of CALLERS) {
          const mark = freshMark();
          const answer = await reach(pages[caller], room.profile, {}, { mark });
          const may = allowed.includes(caller);
          if (may) {
            passed(answer);
            await onlyWith(target, mark);
          } else {
            barred(answer, 403, "PERMISSION_DENIED");
            await nothingWith(target, mark);
          }
          const methods = may ? METHODS : [];
          assert.deepEqual(
            await rightsOf(pages[caller]),
            { canUse: may, connections: { [room.profile]: { invoke: may, methods } } },
            caller,
          );
        }
      });

    it("a signed-in stranger: 404 OWNER_ONLY; a token has the rights of its person", async () => {
      await govern(target, room, null);
      await turn(target, room, { connectionsAudience: "editors" });
      barred(await reach(room.pages.stranger, room.profile), 404, "OWNER_ONLY");
      const { editor, viewer } = room.people;
      passed(await reach(open(target, room.slug, await tokenOf(target, editor)), room.profile));
      const page = open(target, room.slug, await tokenOf(target, viewer));
      barred(await reach(page, room.profile), 403, "PERMISSION_DENIED");
    });

    it("/me names every granted profile, those that are disabled without methods, and no other", async () => {
      const { pages: own, ...canvas } = await roomOf(target, { enabled: false });
      const idle = { [canvas.profile]: { invoke: false, methods: [] } };
      assert.deepEqual(await rightsOf(own.owner), { canUse: false, connections: idle });
      const other = freshProfile();
      await putProfile(target, other);
      assert.deepEqual(await rightsOf(own.owner), { canUse: false, connections: idle });
      const second = await connect(target, { ...canvas, pages: own }, { methods: ["POST"] });
      assert.deepEqual(await rightsOf(own.owner), {
        canUse: true,
        connections: { ...idle, [second]: { invoke: true, methods: ["POST"] } },
      });
    });
  });
}
