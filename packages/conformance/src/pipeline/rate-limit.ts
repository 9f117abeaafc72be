import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { spend } from "../bucket.ts";
import { readableFrom } from "../cors.ts";
import { type Cast, cast, freshSlug, stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import type { Header } from "../http.ts";
import { publish } from "../lifecycle.ts";
import { call, open, pageOrigin, pageUrl } from "../page.ts";
import { refused, unauthenticated } from "../refusal.ts";
import type { Target } from "../target.ts";
import { tokenOf } from "../token.ts";

/**
 * Headers of requests that a page of another canvas or of another site starts. One function is for canvases at paths (`/c/board/`), the
 * other for canvases on subdomains. Requests with the first entry of the returned list are refused with 403.
 */
const ELSEWHERE: Record<Target["urlMode"], (target: Target) => Header[][]> = {
  path: ({ base }) => [
    [["Sec-Fetch-Site", "cross-site"]],
    [["Sec-Fetch-Site", "same-site"]],
    [["Referer", `${base}/c/${freshSlug()}/`]],
    [["Origin", "https://elsewhere.example"]],
    [["Origin", "null"]],
  ],
  subdomain: (target) => [
    [["Origin", pageOrigin(target, freshSlug())]],
    [["Origin", "null"]],
    [["Sec-Fetch-Site", "same-site"]],
    [["Sec-Fetch-Site", "cross-site"]],
    [
      ["Sec-Fetch-Site", "same-site"],
      ["Referer", pageUrl(target, freshSlug())],
    ],
  ],
};

/** Tests the rate limit, which has a bucket per person and canvas (specification 4.1, step 2). Every test uses new buckets. */
export function rateLimit(target: Target): void {
  describe("step 2: rate limit", () => {
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    const canvas = () => stage(target, { people, access: "whole_org" });

    it("refuses with RATE_LIMITED and its four headers once the bucket is spent", async () => {
      const { pages } = await canvas();
      const { passed, refusal } = await spend(() => pages.owner.get("/me"));
      const { headers } = refusal;
      assert.equal(headers["x-ratelimit-limit"], String(passed));
      assert.equal(headers["x-ratelimit-remaining"], "0");
      assert.match(String(headers["x-ratelimit-reset"]), /^\d+$/);
      assert.match(String(headers["retry-after"]), /^\d+$/);
      const wait = Number(headers["retry-after"]);
      assert.ok(wait >= 1 && wait <= 60, `Retry-After: ${wait}`);
    });

    it("a spent bucket closes neither another canvas nor another person", async () => {
      const [spent, other] = [await canvas(), await canvas()];
      await spend(() => spent.pages.owner.get("/me"));
      assert.equal((await other.pages.owner.get("/me")).status, 200);
      assert.equal((await spent.pages.viewer.get("/me")).status, 200);
      refused(await spent.pages.owner.get("/me"), 429, "RATE_LIMITED");
    });

    it("all paths of a canvas share one bucket, however they are written", async () => {
      const { pages, slug } = await canvas();
      const paths = ["/me", "/%6de", "/kv", "/kv/k", "/kv/user", "/kv/%75ser", "/no-such-path"];
      const { passed, limit } = await spend((turn) => pages.owner.get(paths[turn % paths.length] ?? "/me"));
      assert.equal(passed, limit);
      const encoded = `%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`;
      refused(await call(target, encoded, people.owner, "GET", "/me"), 429, "RATE_LIMITED");
    });

    it("comes before the path and the method: unknown ones count, too", async () => {
      const { pages } = await canvas();
      const asks = [
        ["GET", "/kv/%ZZ"],
        ["PROPFIND", "/me"],
        ["TRACE", "/no-such-path"],
        ["PUT", "/no-such-path/%ff"],
      ] as const;
      const { passed, limit } = await spend((turn) => {
        const [method, path] = asks[turn % asks.length] ?? asks[0];
        return pages.owner.send(method, path);
      });
      assert.equal(passed, limit);
      for (const [method, path] of asks) refused(await pages.owner.send(method, path), 429, "RATE_LIMITED");
    });

    it("preflights are not counted", async () => {
      const { pages } = await canvas();
      const { limit } = await spend(() => pages.viewer.get("/me"));
      const before = await canvas();
      for (let turn = 0; turn < limit * 2; turn++) {
        assert.equal((await before.pages.owner.send("OPTIONS", "/me")).status, 204);
      }
      assert.equal((await spend(() => before.pages.owner.get("/me"))).passed, limit);
      assert.equal((await before.pages.owner.send("OPTIONS", "/me")).status, 204);
    });

    it("requests without a session are never counted: 401", async () => {
      const { slug, pages } = await canvas();
      const { limit } = await spend(() => pages.viewer.get("/me"));
      for (let turn = 0; turn < limit * 2; turn++) {
        unauthenticated(await open(target, slug, null).get("/me"), target);
      }
      assert.equal((await pages.owner.get("/me")).status, 200);
    });

    it("comes before the slug is looked up: requests for an unknown slug count, too", async () => {
      const page = open(target, freshSlug(), people.owner);
      const { passed, limit } = await spend(() => page.get("/me"), 404);
      assert.equal(passed, limit);
    });

    it("comes before isolation and the body: what they refuse is counted", async () => {
      const { slug } = await canvas();
      const foreign: Header[] =
        target.urlMode === "path"
          ? [["Sec-Fetch-Site", "cross-site"]]
          : [["Origin", pageOrigin(target, freshSlug())]];
      const ask = () => call(target, slug, people.owner, "GET", "/me", foreign);
      const { passed, limit } = await spend(ask, 403);
      assert.equal(passed, limit);
    });

    it("requests that other pages start do not spend the bucket of the canvas's own page", async () => {
      // New people, because a person's requests that other pages start spend one bucket for all canvases.
      const { pages, slug, people } = await stage(target, { access: "whole_org" });
      const left = async () => {
        const { status, headers, text } = await pages.owner.get("/me");
        assert.equal(status, 200, text);
        return Number(headers["x-ratelimit-remaining"]);
      };
      const before = await left();
      for (const headers of ELSEWHERE[target.urlMode](target))
        assert.notEqual((await call(target, slug, people.owner, "GET", "/me", headers)).status, 429);
      assert.equal(await left(), before - 1);
      const [foreign] = ELSEWHERE[target.urlMode](target);
      await spend(() => call(target, slug, people.owner, "GET", "/me", foreign), 403);
      assert.equal(await left(), before - 2);
      const another = (await canvas()).slug;
      refused(await call(target, another, people.owner, "GET", "/me", foreign), 429, "RATE_LIMITED");
    });

    it("requests for the page's own pictures and links spend the page's bucket", async () => {
      const { pages, slug } = await canvas();
      const { headers } = await pages.owner.get("/me");
      const site = target.urlMode === "path" ? "same-origin" : "same-site";
      const own: Header[] = [
        ["Sec-Fetch-Site", site],
        ["Referer", pageUrl(target, slug)],
      ];
      const answer = await call(target, slug, people.owner, "GET", "/me", own);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(
        Number(answer.headers["x-ratelimit-remaining"]),
        Number(headers["x-ratelimit-remaining"]) - 1,
      );
    });

    it("comes before access: requests of a refused stranger count", async () => {
      const { pages } = await stage(target, { people });
      const { passed, limit } = await spend(() => pages.stranger.get("/me"), 404);
      assert.equal(passed, limit);
    });

    it("an anonymous visitor of a Public link is metered, too", async () => {
      const canvas = await stage(target, { people, access: "public_link" });
      await publish(target, canvas, "home");
      const { slug } = canvas;
      const { passed, limit } = await spend(() => open(target, slug, null).get("/me"), 403);
      assert.equal(passed, limit);
    });

    it("a guest has a bucket of their own", async () => {
      const whole = await canvas();
      const { slug, pages } = whole;
      const guest = await guestOf(target, whole);
      const { passed, limit } = await spend(() => open(target, slug, guest).get("/me"), 200);
      assert.equal(passed, limit);
      assert.equal((await pages.owner.get("/me")).status, 200);
    });

    it("a token spends the bucket of its person", async () => {
      const { slug, pages } = await canvas();
      const token = await tokenOf(target, people.viewer);
      await spend(() => open(target, slug, token).get("/me"));
      refused(await pages.viewer.get("/me"), 429, "RATE_LIMITED");
    });

    it("a refused write changes nothing", async () => {
      const { pages } = await canvas();
      await spend(() => pages.owner.get("/me"));
      refused(await pages.owner.put("/kv/late", 1), 429, "RATE_LIMITED");
      refused(await pages.viewer.get("/kv/late"), 404, "NOT_FOUND");
    });

    if (target.urlMode === "subdomain") {
      it("the page can read the refusal", async () => {
        const { pages, slug } = await canvas();
        const { refusal } = await spend(() => pages.owner.get("/me"));
        readableFrom(refusal, pageOrigin(target, slug));
      });
    }
  });
}
