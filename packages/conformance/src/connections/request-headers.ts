import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Header } from "../http.ts";
import { open } from "../page.ts";
import type { Target } from "../target.ts";
import { tokenOf } from "../token.ts";
import { connect, passed, type Room, reach, roomOf } from "./profile.ts";
import { freshMark, onlyWith, valuesOf } from "./upstream-log.ts";

const MADE_UP = "made-up-value";

/** Headers of the page that never reach the upstream. */
const STRIPPED = [
  "Cookie2",
  "Proxy-Authorization",
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-Real-IP",
  "True-Client-IP",
  "CF-Connecting-IP",
  "Via",
  "X-Original-URL",
  "X-Rewrite-URL",
  "X-Auth-Request-User",
  "X-Remote-User",
  "X_Forwarded_For",
  "X-HTTP-Method-Override",
  "X-Service-Anything",
  "Content-Encoding",
  "Keep-Alive",
  "Proxy-Connection",
  "TE",
  "HTTP2-Settings",
  "Sec-Fetch-Mode",
  "Sec-CH-UA",
];

/** Headers of the page that reach the upstream unchanged. The last two, as the profile adds them. */
const SENT = ["Accept", "Accept-Language", "Content-Type", "If-None-Match", "Range", "X-Api-Key", "X-Custom"];

/** The names that the profile adds. */
const ADDED = ["X-Api-Key", "X-Custom", "X-Stays", "X-Twice", "X-Hop"];

const SECRET = "Bearer protected-value-of-the-tests";

/** Tests which headers of a request reach the upstream. */
export function requestHeaders(target: Target): void {
  describe("request headers", () => {
    let room: Room;
    before(async () => {
      room = await roomOf(target, { requestHeaders: ADDED });
    });
    const seenWith = async (headers: Header[], profile = room.profile) => {
      const mark = freshMark();
      const answer = await reach(room.pages.viewer, profile, {}, { mark, headers });
      passed(answer);
      return { answer, received: await onlyWith(target, mark) };
    };

    it("forwarding, hop-by-hop, compression and browser headers are stripped", async () => {
      const { received } = await seenWith(STRIPPED.map((name) => [name, MADE_UP]));
      for (const name of STRIPPED) assert.deepEqual(valuesOf(received, name.toLowerCase()), [], name);
      assert.equal(JSON.stringify(received.headers).includes(MADE_UP), false);
    });

    it("the caller's credentials and page are stripped; the host is the upstream's", async () => {
      const { received } = await seenWith([["DNT", "1"]]);
      for (const name of ["cookie", "authorization", "dnt", "origin", "referer", "sec-fetch-site"])
        assert.deepEqual(valuesOf(received, name), [], name);
      assert.deepEqual(valuesOf(received, "host"), [new URL(target.upstream ?? "").host]);
    });

    it("the personal access token of the caller is stripped", async () => {
      const mark = freshMark();
      const page = open(target, room.slug, await tokenOf(target, room.people.viewer));
      passed(await reach(page, room.profile, {}, { mark }));
      assert.deepEqual(valuesOf(await onlyWith(target, mark), "authorization"), []);
    });

    it("headers that Connection names are stripped", async () => {
      const { received } = await seenWith([
        ["Connection", "keep-alive, X-Hop"],
        ["X-Hop", MADE_UP],
        ["X-Stays", "1"],
      ]);
      assert.deepEqual([valuesOf(received, "x-hop"), valuesOf(received, "x-stays")], [[], ["1"]]);
    });

    it("Accept-Encoding is identity, whatever the page sends", async () => {
      const { received } = await seenWith([["Accept-Encoding", "gzip, br"]]);
      assert.deepEqual(valuesOf(received, "accept-encoding"), ["identity"]);
    });

    it("other headers reach the upstream, a repeated one twice", async () => {
      const repeated: Header[] = [
        ["X-Twice", "a"],
        ["X-Twice", "b"],
      ];
      const { received } = await seenWith([
        ...SENT.map((name): Header => [name, `v of ${name}`]),
        ...repeated,
      ]);
      for (const name of SENT) assert.deepEqual(valuesOf(received, name.toLowerCase()), [`v of ${name}`]);
      assert.deepEqual(valuesOf(received, "x-twice"), ["a", "b"]);
    });

    it("headers that the profile does not add stay behind", async () => {
      const names = ["Proxy", "Impersonate-User", "X-Hasura-Role", "X-Middleware-Subrequest", "X-Unknown"];
      const { received } = await seenWith(names.map((name) => [name, MADE_UP]));
      assert.equal(JSON.stringify(received.headers).includes(MADE_UP), false);
    });

    it("protected headers replace those of the page and are in no response", async () => {
      const headers = { Authorization: SECRET, "X-Api-Key": "protected-key" };
      const profile = await connect(target, room, { headers });
      const { answer, received } = await seenWith(
        [
          ["X-API-KEY", MADE_UP],
          ["x-api-key", MADE_UP],
        ],
        profile,
      );
      assert.deepEqual(valuesOf(received, "authorization"), [SECRET]);
      assert.deepEqual(valuesOf(received, "x-api-key"), ["protected-key"]);
      assert.equal(JSON.stringify([answer.headers, answer.text]).includes("protected-"), false);
    });
  });
}
