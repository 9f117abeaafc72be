import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Target } from "../target.ts";
import { barred, connect, passed, type Room, reach, roomOf } from "./profile.ts";
import { asking, type Reply } from "./reply.ts";
import { freshMark, onlyWith, receivedWith, upstreamOf, valuesOf } from "./upstream-log.ts";

const REDIRECTS = [301, 302, 303, 307, 308];

/** Returns a reply that redirects `count` times within the origin. The response after the last redirect is `last`. */
function chain(count: number, mark: string, last: Reply = { body: "end" }): Reply {
  let reply = last;
  for (let left = count; left > 0; left--)
    reply = { status: 302, headers: { location: `/${left}?${asking(reply, mark)}` } };
  return reply;
}

/** Tests that redirects stay within the origin of the profile. */
export function redirects(target: Target): void {
  describe("redirects", () => {
    let room: Room;
    before(async () => {
      room = await roomOf(target);
    });
    const ask = (reply: Reply, parts: Parameters<typeof reach>[3] = {}, profile = room.profile) =>
      reach(room.pages.viewer, profile, reply, parts);

    it("three are followed, a fourth is 403 DESTINATION_BLOCKED", async () => {
      const [three, four] = [freshMark(), freshMark()];
      const answer = await ask(chain(3, three), { mark: three });
      passed(answer);
      assert.deepEqual([answer.text, answer.headers.location], ["end", undefined]);
      assert.equal((await receivedWith(target, three)).length, 4);
      barred(await ask(chain(4, four), { mark: four }), 403, "DESTINATION_BLOCKED");
      assert.equal((await receivedWith(target, four)).length, 4);
    });

    for (const status of REDIRECTS)
      for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE"]) {
        const becomesGet = (status === 303 && method !== "HEAD") || (method === "POST" && status < 303);
        const next = becomesGet ? "GET" : method;
        const isBodiless = method === "GET" || method === "HEAD";
        it(`${status} after ${method}: ${next}`, async () => {
          const mark = freshMark();
          const body = isBodiless ? {} : { body: "sent" };
          const headers: [string, string][] = [["Content-Type", "text/x-sent"]];
          const location = `/next?${asking({ body: "end" }, mark)}`;
          passed(await ask({ status, headers: { location } }, { method, mark, headers, ...body }));
          const [, second, ...more] = await receivedWith(target, mark);
          assert.ok(second);
          assert.equal(more.length, 0);
          assert.equal(second.method, next);
          const keepsBody = !becomesGet && !isBodiless;
          assert.equal(Buffer.from(second.body, "base64").toString(), keepsBody ? "sent" : "");
          if (becomesGet && !isBodiless) assert.deepEqual(valuesOf(second, "content-type"), []);
        });
      }

    it("a GET that the profile leaves out: 405 METHOD_NOT_ALLOWED, not sent", async () => {
      const profile = await connect(target, room, { methods: ["POST"] });
      const mark = freshMark();
      const reply = { status: 303, headers: { location: `/next?mark=${mark}` } };
      barred(await ask(reply, { method: "POST", mark }, profile), 405, "METHOD_NOT_ALLOWED");
      await onlyWith(target, mark);
    });

    it("protected headers are sent to the same origin again", async () => {
      const profile = await connect(target, room, { headers: { "X-Key": "protected" } });
      const mark = freshMark();
      passed(await ask(chain(1, mark), { mark }, profile));
      for (const each of await receivedWith(target, mark))
        assert.deepEqual(valuesOf(each, "x-key"), ["protected"]);
    });

    const { host, port } = new URL(upstreamOf(target));
    for (const location of [
      "https://elsewhere.example/",
      "//elsewhere.example/",
      "\\\\elsewhere.example/",
      `http://${host}/`,
      `https://localhost:${Number(port) - 1}/`,
      `https://user@${host}/`,
      `https://user:password@${host}/`,
      `https://127.0.0.1:${port}/`,
      `https://localhost.:${port}/`,
      `blob:https://${host}/1`,
      "javascript:alert(1)",
      "data:text/plain,x",
      "file:///etc/passwd",
      "https://[",
    ])
      it(`to ${location.replace(port, "PORT")}: 403 DESTINATION_BLOCKED`, async () => {
        const mark = freshMark();
        barred(await ask({ status: 302, headers: { location } }, { mark }), 403, "DESTINATION_BLOCKED");
        await onlyWith(target, mark);
      });

    for (const [location, path] of [
      ["next", "/next"],
      ["?q=1", "/x?q=1"],
      ["../../..", "/"],
      [`https://${host}/absolute`, "/absolute"],
      [`HTTPS://LOCALHOST:${port}/upper`, "/upper"],
    ] as const)
      it(`to ${location.replace(port, "PORT")}: followed`, async () => {
        const mark = freshMark();
        const separator = location.includes("?") ? "&" : "?";
        const marked = `${location}${separator}mark=${mark}`;
        passed(await ask({ status: 307, headers: { location: marked } }, { mark }));
        const [, second] = await receivedWith(target, mark);
        assert.equal(second?.path, `${path}${path.includes("?") ? "&" : "?"}mark=${mark}`);
      });
  });
}
