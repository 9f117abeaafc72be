import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { CONNECTION_METHODS } from "@easel/protocol/policy";
import type { Target } from "../target.ts";
import { passed, type Room, roomOf } from "./profile.ts";
import { freshMark, receivedWith, valuesOf } from "./upstream-log.ts";

/** Each row has the part of a request's URL after `/connections/{profile}`, and the path and query that the upstream must receive. */
const ROWS: [suffix: string, received: string][] = [
  ["", "/"],
  ["/", "/"],
  ["?", "/"],
  ["?a=1", "/?a=1"],
  ["/a//b/", "/a//b/"],
  ["//evil.example/a", "//evil.example/a"],
  ["/\\evil.example/a", "//evil.example/a"],
  ["/@evil.example/", "/@evil.example/"],
  ["/https://evil.example/", "/https://evil.example/"],
  ["/a/./b/../c", "/a/c"],
  ["/../../../a", "/a"],
  ["/%2e%2E/.%2e/a", "/a"],
  ["/..%2Fa", "/..%2Fa"],
  ["/a%2Fb%5Cc%3Fd", "/a%2Fb%5Cc%3Fd"],
  ["/%00%0D%0A", "/%00%0D%0A"],
  ["/%7Ea%c3%A4", "/%7Ea%c3%A4"],
  ["/a;b=1,2/(c)'", "/a;b=1,2/(c)'"],
  ["/x?a=%20b+c&a=%2B&&d", "/x?a=%20b+c&a=%2B&&d"],
  ["/x?u=https://evil.example/../?b", "/x?u=https://evil.example/../?b"],
];

/** Tests that path and query reach the upstream without decoding, and that no path leads to another origin than the profile's. */
export function paths(target: Target): void {
  describe("paths", () => {
    let room: Room;
    before(async () => {
      room = await roomOf(target);
    });

    for (const [suffix, expected] of ROWS)
      it(`${JSON.stringify(suffix)}: ${expected}`, async () => {
        const row = freshMark();
        passed(
          await room.pages.viewer.send("GET", `/connections/${room.profile}${suffix}`, [
            ["X-Request-Id", row],
          ]),
        );
        const received = (await receivedWith(target, "")).filter(
          (each) => valuesOf(each, "x-request-id")[0] === row,
        );
        assert.deepEqual(
          received.map(({ path }) => path),
          [expected],
        );
      });

    for (const method of CONNECTION_METHODS)
      it(`${method} without a path reaches the root`, async () => {
        const mark = freshMark();
        passed(
          await room.pages.viewer.send(method, `/connections/${room.profile}`, [["X-Request-Id", mark]]),
        );
        const received = await receivedWith(target, "");
        const own = received.filter((each) => valuesOf(each, "x-request-id")[0] === mark);
        assert.deepEqual(
          own.map((each) => [each.method, each.path]),
          [[method, "/"]],
        );
      });
  });
}
