import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Browser } from "../browser.ts";
import { manage, type Stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { open, pageUrl } from "../page.ts";
import { parallel } from "../parallel.ts";
import { refused } from "../refusal.ts";
import type { Person, Target } from "../target.ts";
import { tokenOf } from "../token.ts";
import { finds, hidden, LOCKED, PAGE, PASSWORD, siteOf, unlocked } from "./site.ts";

/** Passwords that a canvas can have, each with a similar one that must be refused. */
const PASSWORDS: [name: string, right: string, wrong: string][] = [
  ["eight characters", "abcdefgh", "abcdefgH"],
  ["200 characters", "p".repeat(200), "p".repeat(199)],
  ["100 characters of four bytes each", "🔑".repeat(100), "🔑".repeat(99)],
  ["letters of any script", "Пароль ünïcode 密码", "Пароль unicode 密码"],
  ["spaces around it", " a secret ", "a secret"],
  ["spaces alone", " ".repeat(8), " ".repeat(9)],
  ["what forms and HTML encode", `a+b&c=d%20e;"<'>`, `a b&c=d%20e;"<'>`],
  ["what looks like a hash", "$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA", "$argon2id$"],
];

/** Tests the password of a canvas: the page asks for it, and the API refuses callers who have not submitted it (specification 5). */
export function gate(target: Target): void {
  describe("password gate", () => {
    let site: Stage;
    before(async () => {
      site = await siteOf(target, { terms: { password: PASSWORD } });
    });
    const browserOf = (person: Person | null) => new Browser(target, person);

    it("without the cookie: 403 PASSWORD_REQUIRED, and a page with a form", async () => {
      const browser = browserOf(site.people.viewer);
      refused(await browser.api(site.slug).get("/me"), ...LOCKED);
      refused(await browser.api(site.slug).put("/kv/user/k", 1), ...LOCKED);
      const page = await browser.canvas(site.slug);
      hidden(page, 403);
      assert.match(page.text, /<form [^>]*method="?post\b/i);
      assert.match(page.text, /<form [^>]*__gate/i);
      assert.match(page.text, /<input [^>]*name="?password\b/i);
      assert.match(page.text, /<input [^>]*type="?password\b/i);
      refused(await browser.send("GET", new URL(pageUrl(target, site.slug))), ...LOCKED);
    });

    it("the right password: 303 to the canvas, whose page and API are open then", async () => {
      const browser = browserOf(site.people.viewer);
      const answer = await browser.unlock(site.slug, PASSWORD);
      assert.equal(answer.status, 303, answer.text.slice(0, 300));
      await finds(target, site, browser, "in");
    });

    it("the cookie is out of reach of scripts and goes to no other canvas", async () => {
      const browser = browserOf(site.people.viewer);
      const other = await siteOf(target, { people: site.people, terms: { password: PASSWORD } });
      const answer = await browser.unlock(site.slug, PASSWORD);
      const lines = (answer.headers["set-cookie"] ?? []).filter((line) => line.startsWith("__service_gate="));
      assert.notEqual(lines.length, 0, "the gate sets its cookie");
      for (const line of lines) assert.match(line, /;\s*HttpOnly/i);
      assert.ok(browser.gateCookie(site.slug));
      assert.equal(browser.gateCookie(other.slug), undefined);
      await finds(target, other, browser, LOCKED);
    });

    for (const [name, password] of [
      ["a wrong password", "open sesame"],
      ["an empty one", ""],
      ["one far too long", "p".repeat(5_000)],
    ] as const) {
      it(`${name}: 403 PASSWORD_REQUIRED, the form again, and no cookie`, async () => {
        const browser = browserOf(site.people.viewer);
        const page = await browser.unlock(site.slug, password);
        hidden(page, 403);
        assert.match(page.text, /<input [^>]*type="?password\b/i);
        assert.equal(page.headers["set-cookie"], undefined);
        refused(await browser.unlock(site.slug, password, ["Accept", "application/json"]), ...LOCKED);
        await finds(target, site, browser, LOCKED);
      });
    }

    it("owner, editors and guests need no password", async () => {
      const guest = await guestOf(target, site);
      for (const person of [site.people.owner, site.people.editor, guest]) {
        await finds(target, site, browserOf(person), "in");
      }
    });

    it("a caller without a role gets the same refusal with the right password", async () => {
      for (const password of [PASSWORD, "wrong"]) {
        const browser = browserOf(site.people.stranger);
        const answer = await browser.unlock(site.slug, password);
        assert.equal(answer.status, 404, answer.text.slice(0, 300));
        assert.equal(browser.gateCookie(site.slug), undefined);
        refused(await browser.unlock(site.slug, password, ["Accept", "*/*"]), 404, "OWNER_ONLY");
      }
    });

    it("a token does not count as having entered the password, even if its person has", async () => {
      await unlocked(target, site, site.people.viewer);
      const token = await tokenOf(target, site.people.viewer);
      refused(await open(target, site.slug, token).get("/me"), ...LOCKED);
    });

    it("the management API shows that there is a password, but not the password", async () => {
      const answer = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`);
      assert.equal(answer.json.hasPassword, true);
      assert.doesNotMatch(answer.text, /sesame|argon|"password/i);
    });

    it("passwords: of any script and every length from 8 to 200 characters", async () => {
      await parallel(
        PASSWORDS,
        async ([name, right, wrong]) => {
          const at = await siteOf(target, { people: site.people, terms: { password: right } });
          const browser = browserOf(at.people.viewer);
          assert.equal((await browser.unlock(at.slug, wrong)).status, 403, name);
          assert.equal((await browser.unlock(at.slug, right)).status, 303, name);
          await finds(target, at, browser, "in");
        },
        2,
      );
    });

    for (const [name, password] of [
      ["empty", ""],
      ["of seven characters", "abcdefg"],
      ["of 201 characters", "p".repeat(201)],
      ["that is a number", 1],
    ] as const) {
      it(`a password ${name}: 400 INVALID_BODY, and the old password stays`, async () => {
        const path = `/api/canvases/${site.id}/sharing`;
        refused(await manage(target, site.people.owner, "PUT", path, { password }), 400, "INVALID_BODY");
        const browser = await unlocked(target, site, site.people.viewer);
        await finds(target, site, browser, "in");
      });
    }

    it("the pages of a locked canvas tell nothing but that it is locked", async () => {
      const browser = browserOf(site.people.viewer);
      const there = new URL("index.html", pageUrl(target, site.slug));
      await browser.canvas(site.slug);
      for (const url of [there, new URL("none", there)]) {
        const answer = await browser.send("GET", url);
        refused(answer, ...LOCKED);
        assert.ok(!answer.text.includes(PAGE));
      }
    });
  });
}
