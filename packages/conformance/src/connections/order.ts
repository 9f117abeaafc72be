import type { ClientRequest } from "node:http";
import { after, before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { turn } from "../fixture.ts";
import type { Header } from "../http.ts";
import { archive, unarchive } from "../lifecycle.ts";
import { call, pageHeaders } from "../page.ts";
import { govern } from "../policy.ts";
import { disabled } from "../refusal.ts";
import type { Target } from "../target.ts";
import { fill } from "./places.ts";
import { barred, freshProfile, grant, passed, putProfile, type Room, roomOf } from "./profile.ts";
import { freshMark, nothingWith } from "./upstream-log.ts";

/** The faults that a request can have, in the order in which the service checks them, each with the expected refusal. */
const REFUSALS = [
  ["archived", 404, "ARCHIVED"],
  ["another site", 403, "CROSS_SITE_FORBIDDEN"],
  ["backend off", 403, "CAPABILITY_DISABLED"],
  ["audience", 403, "PERMISSION_DENIED"],
  ["method of the policy", 403, "PERMISSION_DENIED"],
  ["unsupported method", 405, "METHOD_NOT_ALLOWED"],
  ["not granted", 404, "CONNECTION_NOT_GRANTED"],
  ["disabled", 503, "CONNECTION_DISABLED"],
  ["method of the profile", 405, "METHOD_NOT_ALLOWED"],
  ["URL too long", 413, "REQUEST_TOO_LARGE"],
  ["too many headers", 413, "REQUEST_TOO_LARGE"],
  ["body too large", 413, "REQUEST_TOO_LARGE"],
  ["no place", 429, "CONNECTION_LIMIT"],
] as const satisfies [string, number, ErrorCode][];
type Fault = (typeof REFUSALS)[number][0];

const MANY: Header[] = Array.from({ length: 33 }, (_, index) => [`X-N-${index}`, "v"]);

/**
 * Tests the order in which the service checks for faults. Each request has one fault and all the faults that are checked later, and must be
 * refused for the first one.
 */
export function order(target: Target): void {
  describe("the order of the refusals", () => {
    let full: Room;
    let free: Room;
    let held: ClientRequest[];
    before(async () => {
      full = await roomOf(target);
      free = await roomOf(target, {}, { people: full.people });
      held = await fill(target, full);
    });
    after(() => {
      for (const each of held) each.destroy();
    });

    /** Sends a request that has the fault at this index of `REFUSALS` and all later ones. */
    const askWith = async (index: number, mark: string) => {
      const faults: Fault[] = REFUSALS.slice(index).map(([fault]) => fault);
      const has = (fault: Fault) => faults.includes(fault);
      const room = has("no place") ? full : free;
      const profile = freshProfile();
      await putProfile(target, profile, {
        enabled: !has("disabled"),
        methods: has("method of the profile") ? ["GET"] : ["POST"],
      });
      if (!has("not granted")) await grant(target, profile, room);
      await govern(target, room, {
        connections: {
          [profile]: {
            audience: has("audience") ? "editors" : "viewers",
            ...(has("method of the policy") && { methods: ["GET"] }),
          },
        },
      });
      await turn(target, room, { backendEnabled: !has("backend off") });
      if (has("archived")) await archive(target, room);
      const foreign: Header[] =
        target.urlMode === "path"
          ? [["Sec-Fetch-Site", "cross-site"]]
          : [["Origin", "https://elsewhere.example"]];
      const answer = await call(
        target,
        room.slug,
        room.people.viewer,
        has("unsupported method") ? "PROPFIND" : "POST",
        `/connections/${profile}/${"x".repeat(has("URL too long") ? 8_192 : 0)}?mark=${mark}`,
        [
          ...(has("another site") ? foreign : pageHeaders(target, room.slug)),
          ...(has("too many headers") ? MANY : []),
        ],
        Buffer.alloc(has("body too large") ? 256 * 1024 + 1 : 1, 97),
      );
      if (has("archived")) await unarchive(target, room);
      return answer;
    };

    for (const [index, [fault, status, code]] of REFUSALS.entries())
      it(`${fault}: ${status} ${code}, before all later ones`, async () => {
        const mark = freshMark();
        const answer = await askWith(index, mark);
        const isForeign = fault === "another site" && target.urlMode === "subdomain";
        if (fault === "backend off") disabled(answer, "connections", "backend_off");
        else barred(answer, status, isForeign ? "CROSS_CANVAS_FORBIDDEN" : code);
        await nothingWith(target, mark);
      });

    it("no fault: the response of the upstream", async () => {
      passed(await askWith(REFUSALS.length, freshMark()));
    });
  });
}
