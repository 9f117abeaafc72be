import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { readableFrom } from "../cors.ts";
import { type Page, pageOrigin } from "../page.ts";
import type { Target } from "../target.ts";
import { barred, connect, passed, type Room, reach, roomOf } from "./profile.ts";

const MIB = 1024 * 1024;
const WITHOUT_BODY = [204, 205, 304];

/** Headers of the upstream that reach the page. */
const KEPT = {
  "content-type": "text/html; charset=utf-8",
  "content-language": "de",
  etag: '"1"',
  "last-modified": "Wed, 21 Oct 2026 07:28:00 GMT",
  "retry-after": "7",
  link: '<https://elsewhere.example/>; rel="next"',
  "x-total-count": "42",
  "x-request-id": "of-the-upstream",
  "x-ratelimit-limit": "9",
  "x-ratelimit-remaining": "8",
  "ratelimit-reset": "3",
};

/** Headers of the upstream that do not reach the page. None of these values may be in the response. */
const REMOVED = {
  "set-cookie": ["stolen=of-upstream; Path=/"],
  location: "https://elsewhere.example/of-upstream",
  refresh: "0; url=/of-upstream",
  server: "of-upstream",
  "x-powered-by": "of-upstream",
  "access-control-allow-origin": "https://of-upstream.example",
  "access-control-expose-headers": "of-upstream",
  "clear-site-data": '"of-upstream"',
  "strict-transport-security": "max-age=1; of-upstream",
  "content-disposition": "attachment; filename=of-upstream",
  "x-custom": "of-upstream",
  "keep-alive": "of-upstream",
  "service-worker-allowed": "/of-upstream",
  "cache-control": "public, of-upstream",
  "content-security-policy": "default-src of-upstream",
  "x-service-connection-response": "of-upstream",
};

/** Tests which status, headers and body the page gets when the upstream responds, and which responses the service refuses. */
export function responses(target: Target): void {
  describe("responses", () => {
    let room: Room;
    before(async () => {
      room = await roomOf(target);
    });
    const ask = (reply: Parameters<typeof reach>[2], method = "GET") =>
      reach(room.pages.viewer, room.profile, reply, { method });

    // Redirects are sent without `Location`, so that the service does not follow them.
    for (const first of [200, 300, 400, 500])
      it(`each status from ${first} to ${first + 99} passes unchanged, with its body`, async () => {
        const profile = await connect(target, room);
        const askFor = async (page: Page, statuses: number[]) => {
          for (const status of statuses) {
            const body = WITHOUT_BODY.includes(status) ? "" : '{"code":"OF_THE_UPSTREAM"}';
            const answer = await reach(page, profile, { status, body });
            passed(answer, status);
            assert.equal(answer.text, body, String(status));
          }
        };
        // Two callers, because each may send 60 requests a minute through a profile.
        const { viewer, editor } = room.pages;
        const half = (offset: number) => Array.from({ length: 50 }, (_, index) => first + offset + index);
        await Promise.all([askFor(viewer, half(0)), askFor(editor, half(50))]);
      });

    it("103 Early Hints before the response are left out", async () => {
      const answer = await ask({ hints: true, body: "x" });
      passed(answer);
      assert.deepEqual(
        [answer.text, answer.headers.link, answer.headers["x-request-id"]],
        ["x", undefined, undefined],
      );
    });

    it("HEAD: the headers of the upstream, no body", async () => {
      const answer = await ask({ headers: { etag: '"1"', "content-length": String(3 * MIB) } }, "HEAD");
      passed(answer);
      assert.deepEqual([answer.headers.etag, answer.text], ['"1"', ""]);
    });

    it("safe headers are kept, all others removed", async () => {
      const answer = await ask({ headers: { ...KEPT, ...REMOVED }, body: "x" });
      passed(answer);
      for (const [name, value] of Object.entries(KEPT)) assert.equal(answer.headers[name], value, name);
      assert.equal(JSON.stringify(answer.headers).includes("of-upstream"), false);
      if (target.urlMode === "path") return;
      readableFrom(answer, pageOrigin(target, room.slug));
      const exposed = String(answer.headers["access-control-expose-headers"])
        .toLowerCase()
        .split(",")
        .map((each) => each.trim());
      for (const name of [...Object.keys(KEPT), "x-service-connection-response"])
        assert.ok(exposed.includes(name), `${name} in ${exposed}`);
    });

    it("without those of the upstream: application/octet-stream, and no rate-limit headers", async () => {
      const answer = await ask({ body: "x" });
      passed(answer);
      assert.equal(answer.headers["content-type"], "application/octet-stream");
      const names = Object.keys(answer.headers).filter((name) => name.includes("ratelimit"));
      assert.deepEqual(names, []);
    });

    for (const encoding of ["gzip", "br", "deflate", "zstd", "identity, gzip", "GZIP", "made-up"])
      it(`Content-Encoding ${encoding}: 403 DESTINATION_BLOCKED`, async () => {
        barred(
          await ask({ headers: { "content-encoding": encoding }, body: "x" }),
          403,
          "DESTINATION_BLOCKED",
        );
      });

    it("Content-Encoding identity passes", async () => {
      passed(await ask({ headers: { "content-encoding": "identity" }, body: "x" }));
    });

    // 2 MiB + 1 is 387 times 5419.
    const [most, over] = [2 * MIB, 387 * 5419];
    for (const announced of [true, false]) {
      const length = (bytes: number) => (announced ? { headers: { "content-length": String(bytes) } } : {});
      it(`2 MiB ${announced ? "with" : "without"} Content-Length pass, one byte more is 502 RESPONSE_TOO_LARGE`, async () => {
        const answer = await ask({ body: "x".repeat(1024), times: most / 1024, ...length(most) });
        passed(answer);
        assert.equal(answer.bytes.length, most);
        const larger = await ask({ body: "x".repeat(5419), times: 387, ...length(over) });
        assert.equal(over, most + 1);
        barred(larger, 502, "RESPONSE_TOO_LARGE");
      });
    }

    for (const [name, reply] of [
      ["without a response", { reset: true }],
      ["without a byte of the body", { body: "", cut: true }],
      ["amid the body", { body: "partial", cut: true }],
      ["amid a body of known length", { body: "partial", cut: true, headers: { "content-length": "100" } }],
    ] as const)
      it(`an upstream that closes the connection ${name}: 502 UPSTREAM_UNAVAILABLE, no partial body`, async () => {
        const answer = await ask(reply);
        barred(answer, 502, "UPSTREAM_UNAVAILABLE");
        assert.equal(answer.text.includes("partial"), false);
      });
  });
}
