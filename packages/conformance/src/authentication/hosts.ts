import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Browser, NAVIGATES } from "../browser.ts";
import type { Stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { type Header, send } from "../http.ts";
import { call, pageHeaders, pageUrl } from "../page.ts";
import { unauthenticated } from "../refusal.ts";
import type { Target } from "../target.ts";
import { PAGE, shown, siteOf } from "./site.ts";

/**
 * Tests the cookie that a canvas's own host sets in subdomain mode. With this cookie a browser can open the pages of that canvas. It cannot
 * open other canvases or call an API (docs/sharing.md#sessions-and-tokens).
 */
export function hosts(target: Target): void {
  if (target.urlMode !== "subdomain") return;
  describe("the cookie of a canvas host", () => {
    let site: Stage;
    let other: Stage;
    let held: Header[];
    before(async () => {
      [site, other] = [
        await siteOf(target, { access: "whole_org" }),
        await siteOf(target, { access: "whole_org" }),
      ];
      // Uses a guest, because members have no cookie in proxy mode.
      const browser = new Browser(target, await guestOf(target, site));
      shown(await browser.canvas(site.slug));
      held = browser.jar.headersFor(new URL(pageUrl(target, site.slug)));
    });
    const page = (slug: string, headers: Header[]) => {
      const { host, pathname: path } = new URL(pageUrl(target, slug));
      return send(target.base, { method: "GET", path, host, headers: [...headers, NAVIGATES] });
    };

    it("opens its pages, and is no session", async () => {
      shown(await page(site.slug, held));
      assert.doesNotMatch(held.flat().join(), /easel_session/);
    });

    it("opens no API: neither the canvas's nor the service's", async () => {
      unauthenticated(
        await call(target, site.slug, null, "GET", "/me", [...held, ...pageHeaders(target, site.slug)]),
        target,
      );
      unauthenticated(await send(target.base, { method: "GET", path: "/api/me", headers: held }), target);
    });

    it("opens no page of another canvas, and a session of the base host opens none at all", async () => {
      const session = (await guestOf(target, site)).headers;
      for (const [slug, headers] of [
        [other.slug, held],
        [site.slug, session],
      ] as const) {
        const answer = await page(slug, headers);
        assert.equal(answer.status, 302, answer.text);
        assert.ok(!answer.text.includes(PAGE));
      }
    });

    it("the host serves no API and no page of the service", async () => {
      const { host } = new URL(pageUrl(target, site.slug));
      const { headers } = await target.signIn(target.admin);
      for (const path of ["/api/me", `/v1/c/${site.slug}/me`, "/auth/login", "/healthz"]) {
        const answer = await send(target.base, { method: "GET", path, host, headers });
        assert.ok(
          answer.status === 401 || answer.status === 302 || answer.status === 404,
          `${path}: ${answer.text}`,
        );
      }
    });
  });
}
