import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { turn } from "../fixture.ts";
import { govern } from "../policy.ts";
import type { Target } from "../target.ts";
import { barred, connect, METHODS, type Method, passed, type Room, reach, roomOf } from "./profile.ts";
import { freshMark, nothingWith, onlyWith, receivedWith } from "./upstream-log.ts";

const BODY = Buffer.from([0, 255, 128, 10, 13, 0xc3, 0x28]);
const bodiless = (method: string) => method === "GET" || method === "HEAD";

/** Methods that no profile can allow. */
const UNSUPPORTED = ["TRACE", "PROPFIND", "QUERY", "LINK"];

/** Each row has the methods of the profile, and the methods in the policy (null: the policy does not restrict them). */
const ROWS: [profile: Method[], policy: Method[] | null][] = [
  [["GET"], null],
  [["HEAD", "DELETE"], null],
  [["POST", "PUT", "PATCH"], null],
  [[...METHODS], ["GET", "POST"]],
  [[...METHODS], []],
  [
    ["GET", "PUT"],
    ["PUT", "DELETE"],
  ],
];

/** Tests which methods reach the upstream, with which bodies. */
export function methods(target: Target): void {
  describe("methods", () => {
    let room: Room;
    before(async () => {
      room = await roomOf(target);
    });

    for (const method of METHODS)
      it(`${method}: reaches the upstream${bodiless(method) ? "" : " with its body, byte by byte"}`, async () => {
        const mark = freshMark();
        const parts = { method, mark, ...(bodiless(method) ? {} : { body: BODY }) };
        const answer = await reach(room.pages.viewer, room.profile, { body: "seen" }, parts);
        passed(answer);
        assert.equal(answer.text, method === "HEAD" ? "" : "seen");
        const received = await onlyWith(target, mark);
        assert.equal(received.method, method);
        assert.equal(received.body, bodiless(method) ? "" : BODY.toString("base64"));
      });

    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      it(`${method} without a body, and with a chunked one`, async () => {
        const mark = freshMark();
        passed(await reach(room.pages.viewer, room.profile, {}, { method, mark }));
        const headers: [string, string][] = [["Transfer-Encoding", "chunked"]];
        passed(await reach(room.pages.viewer, room.profile, {}, { method, mark, headers, body: BODY }));
        const bodies = (await receivedWith(target, mark)).map(({ body }) => body);
        assert.deepEqual(bodies, ["", BODY.toString("base64")]);
      });

    for (const method of UNSUPPORTED)
      it(`${method}: 405 METHOD_NOT_ALLOWED, Allow names all that are supported`, async () => {
        const mark = freshMark();
        const answer = await reach(room.pages.viewer, room.profile, {}, { method, mark });
        barred(answer, 405, "METHOD_NOT_ALLOWED");
        assert.equal(answer.headers.allow, METHODS.join(", "));
        await nothingWith(target, mark);
      });

    it("OPTIONS: the 204 of a preflight, not sent to the upstream", async () => {
      const mark = freshMark();
      const answer = await reach(room.pages.viewer, room.profile, {}, { method: "OPTIONS", mark });
      assert.equal(answer.status, 204);
      await nothingWith(target, mark);
    });

    for (const [approved, policy] of ROWS)
      it(`profile ${approved.join()}, policy ${policy?.join() ?? "any"}: all methods, and /me agrees`, async () => {
        const profile = await connect(target, room, { methods: approved });
        const entry = { audience: "viewers", ...(policy && { methods: policy }) } as const;
        await govern(target, room, { connections: { [profile]: entry } });
        const usable = approved.filter((each) => policy?.includes(each) ?? true);
        for (const method of METHODS) {
          const mark = freshMark();
          const answer = await reach(room.pages.viewer, profile, {}, { method, mark });
          if (usable.includes(method)) {
            passed(answer);
            await onlyWith(target, mark);
            continue;
          }
          const isDenied = policy !== null && !policy.includes(method);
          assert.equal(answer.status, isDenied ? 403 : 405, method);
          if (!isDenied) assert.equal(answer.headers.allow, usable.join(", "));
          if (method !== "HEAD")
            barred(answer, isDenied ? 403 : 405, isDenied ? "PERMISSION_DENIED" : "METHOD_NOT_ALLOWED");
          await nothingWith(target, mark);
        }
        const { resources } = (await room.pages.viewer.get("/me")).json as {
          resources: { connections: Record<string, { invoke: boolean; methods: string[] }> };
        };
        const rights = resources.connections[profile];
        assert.deepEqual(
          { invoke: rights?.invoke, methods: rights?.methods.toSorted() },
          { invoke: usable.length > 0, methods: usable.toSorted() },
        );
        await govern(target, room, null);
        await turn(target, room, { connectionsAudience: "viewers" });
      });
  });
}
