import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Browser } from "../browser.ts";
import { amend, type Stage } from "../fixture.ts";
import type { Header } from "../http.ts";
import { call, pageHeaders } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Person, Target } from "../target.ts";
import { finds, LOCKED, PASSWORD, siteOf, unlocked } from "./site.ts";

const flip = (text: string, at: number) =>
  text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
const middle = (text: string) => Math.floor(text.length / 2);

/** Each row has a name for the test, and a function that makes an invalid value of the password cookie from a valid one. */
const FORGERIES: [name: string, forge: (value: string) => string][] = [
  ["empty", () => ""],
  ["made up", () => "open"],
  ["cut short by one", (value) => value.slice(0, -1)],
  ["cut in half", (value) => value.slice(0, middle(value))],
  ["without its beginning", (value) => value.slice(1)],
  ["with something added", (value) => `${value}A`],
  ["with something before it", (value) => `1${value}`],
  ["with another first character", (value) => flip(value, 0)],
  ["with another character in the middle", (value) => flip(value, middle(value))],
  ["with another character before the last", (value) => flip(value, value.length - 2)],
  ["with every digit a nine, as if it ended later", (value) => value.replace(/\d/g, "9")],
  ["in lower case", (value) => value.toLowerCase()],
];

/** Tests that the password cookie `__service_gate` is valid for one canvas, one caller and one password (specification 5). */
export function gateCookie(target: Target): void {
  describe("password cookie", () => {
    let site: Stage;
    before(async () => {
      site = await siteOf(target, { terms: { password: PASSWORD } });
    });
    /** Requests `GET /me` as a person, with one cookie `__service_gate` for each of `values`. Fails if one of `values` is undefined. */
    const me = (at: Stage, person: Person | null, ...values: (string | undefined)[]) => {
      const lines = [...(person?.headers ?? [])];
      const session = lines.find(([name]) => name === "Cookie")?.[1];
      const cookies = values.map((value) => `__service_gate=${value ?? assert.fail("no password cookie")}`);
      const all = [...(session === undefined ? [] : [session]), ...cookies].join("; ");
      const headers: Header[] = [...lines.filter(([name]) => name !== "Cookie"), ["Cookie", all]];
      return call(target, at.slug, null, "GET", "/me", [...headers, ...pageHeaders(target, at.slug)]);
    };

    it("a cookie of another canvas opens nothing, even with the same password", async () => {
      const other = await siteOf(target, { people: site.people, terms: { password: PASSWORD } });
      const { viewer } = site.people;
      const cookie = (await unlocked(target, other, viewer)).gateCookie(other.slug);
      assert.equal((await me(other, viewer, cookie)).status, 200);
      refused(await me(site, viewer, cookie), ...LOCKED);
    });

    it("another person's cookie is rejected", async () => {
      const whole = await siteOf(target, { access: "whole_org", terms: { password: PASSWORD } });
      const { viewer, stranger } = whole.people;
      const cookie = (await unlocked(target, whole, viewer)).gateCookie(whole.slug);
      assert.equal((await me(whole, viewer, cookie)).status, 200);
      refused(await me(whole, stranger, cookie), ...LOCKED);
    });

    it("the cookie of an anonymous visitor opens for anonymous visitors alone", async () => {
      const link = await siteOf(target, { access: "public_link", terms: { password: PASSWORD } });
      const cookie = (await unlocked(target, link, null)).gateCookie(link.slug);
      refused(await me(link, null, cookie), 403, "STATIC_ONLY");
      await amend(target, link, { access: "whole_org" });
      refused(await me(link, link.people.viewer, cookie), ...LOCKED);
    });

    describe("a cookie that is", () => {
      let right: string;
      before(async () => {
        right =
          (await unlocked(target, site, site.people.viewer)).gateCookie(site.slug) ??
          assert.fail("no cookie");
      });
      for (const [name, forge] of FORGERIES) {
        it(`${name} opens nothing`, async () => {
          const forged = forge(right);
          assert.notEqual(forged, right);
          refused(await me(site, site.people.viewer, forged), ...LOCKED);
        });
      }

      it("one valid cookie among several is enough, in any position", async () => {
        const { viewer } = site.people;
        assert.equal((await me(site, viewer, right)).status, 200);
        const wrong = [flip(right, 0), "made-up"];
        for (const values of [
          [right, ...wrong],
          [...wrong, right],
          [wrong[0], right, wrong[1]],
          [right, right],
        ]) {
          assert.equal((await me(site, viewer, ...values)).status, 200, values.join(" "));
        }
        refused(await me(site, viewer, ...wrong), ...LOCKED);
      });
    });

    it("setting a password, even the same one, invalidates the cookie; the password then set opens", async () => {
      const at = await siteOf(target, { people: site.people, terms: { password: PASSWORD } });
      const browser = await unlocked(target, at, at.people.viewer);
      for (const password of ["another one", "another one", PASSWORD]) {
        await finds(target, at, browser, "in");
        await amend(target, at, { password });
        await finds(target, at, browser, LOCKED);
        assert.equal((await browser.unlock(at.slug, password)).status, 303);
      }
      await finds(target, at, browser, "in");
    });

    it("without a password everyone admitted enters; set again, it invalidates the old cookie", async () => {
      const at = await siteOf(target, { people: site.people, terms: { password: PASSWORD } });
      const [known, fresh] = [
        await unlocked(target, at, at.people.viewer),
        new Browser(target, at.people.viewer),
      ];
      await amend(target, at, { password: null });
      for (const browser of [known, fresh]) await finds(target, at, browser, "in");
      await amend(target, at, { password: PASSWORD });
      for (const browser of [known, fresh]) await finds(target, at, browser, LOCKED);
    });

    it("a change of sharing that does not name the password leaves it as it is", async () => {
      const at = await siteOf(target, { people: site.people, terms: { password: PASSWORD } });
      const browser = await unlocked(target, at, at.people.viewer);
      await amend(target, at, { access: "whole_org", expiresAt: Date.now() + 3_600_000 });
      await finds(target, at, browser, "in");
      await finds(target, at, new Browser(target, at.people.viewer), LOCKED);
    });
  });
}
