import assert from "node:assert/strict";
import { before, describe, it, type TestContext } from "node:test";
import { policies } from "./adjacent/policy.ts";
import { publicScript } from "./adjacent/public-script.ts";
import { mayPublish } from "./admin.ts";
import { stage, turn } from "./fixture.ts";
import { guestOf } from "./guest.ts";
import { type Answer, type Header, send } from "./http.ts";
import { refused, unauthenticated } from "./refusal.ts";
import { freshEmail, type Person, type Target } from "./target.ts";

const ACCOUNT = [
  "authMode",
  "avatarUrl",
  "baseUrl",
  "canPublishPublic",
  "designSkin",
  "email",
  "id",
  "isAdmin",
  "isGuest",
  "name",
  "orgs",
  "urlMode",
];
const PATIENCE = 1_000;

/**
 * Tests specification 4.11: `GET /sdk/v1.js`, `GET /api/me` and the policies of `PATCH
 * /api/canvases/{id}/capabilities`.
 */
export function adjacent(target: Target): void {
  if (!target.rateLimited) describe("4.11 runtime policies", () => policies(target));
  account(target);
}

/** Tests `GET /sdk/v1.js` and `GET /api/me`, which depend on the URL mode and on the sign-in mode. */
export function account(target: Target): void {
  if (!target.rateLimited) publicScript(target);
  describe("4.11 adjacent endpoints", () => {
    let person: Person;
    before(async () => {
      person = await target.signIn(freshEmail("adjacent"));
    });
    const get = (path: string, who: Person | null, headers: Header[] = []) =>
      send(target.base, { method: "GET", path, headers: [...(who?.headers ?? []), ...headers] });

    if (target.rateLimited) {
      it("GET /sdk/v1.js is not rate-limited", async () => {
        for (let turn = 0; turn < 300; turn++) {
          assert.notEqual((await get("/sdk/v1.js", person)).status, 429);
        }
      });

      it("GET /api/me is metered: 429 { error: rate_limited }", async () => {
        let answer = await get("/api/me", person);
        for (let turn = 0; turn < PATIENCE && answer.status === 200; turn++)
          answer = await get("/api/me", person);
        assert.equal(answer.status, 429, answer.text);
        assert.equal(answer.json.error, "rate_limited");
      });

      it("GET /api/me that another page starts does not spend the person's own bucket", async () => {
        const someone = await target.signIn(freshEmail("busy"));
        const elsewhere: Header[] = [["Sec-Fetch-Site", "cross-site"]];
        let answer = await get("/api/me", someone, elsewhere);
        for (let turn = 0; turn < PATIENCE && answer.status === 200; turn++)
          answer = await get("/api/me", someone, elsewhere);
        assert.equal(answer.status, 429, answer.text);
        const canvasPage: Header[] = [["Referer", `${target.base}/c/some-canvas/`]];
        assert.equal((await get("/api/me", someone, canvasPage)).status, 429);
        assert.equal((await get("/api/me", someone)).status, 200);
      });
      return;
    }

    it("GET /sdk/v1.js without a session: the gateway's refusal", async () => {
      unauthenticated(await get("/sdk/v1.js", null), target);
    });

    it("GET /sdk/v1.js: a cacheable script, or 503 as plain text while it is not built", async () => {
      const { status, headers, text } = await get("/sdk/v1.js", person);
      assert.ok(text.length > 0);
      if (status === 503) {
        assert.match(headers["content-type"] ?? "", /^text\/plain\b/);
      } else {
        assert.equal(status, 200, text.slice(0, 300));
        assert.equal(headers["content-type"], "application/javascript; charset=utf-8");
        assert.equal(headers["cache-control"], "public, max-age=3600");
        assert.equal(headers["set-cookie"], undefined);
      }
    });

    it("GET /sdk/v1.js: the same bytes for everyone, with an ETag", async (t) => {
      const script = built(t, await get("/sdk/v1.js", person));
      if (!script) return;
      const other = await get("/sdk/v1.js", await target.signIn(freshEmail("other")));
      assert.equal(other.text, script.text);
      const etag = script.headers.etag;
      assert.ok(etag);
      assert.equal(other.headers.etag, etag);
      const again = await get("/sdk/v1.js", person, [["If-None-Match", etag]]);
      assert.deepEqual([again.status, again.text], [304, ""]);
    });

    it("GET /sdk/v1.js can be loaded from any page", async (t) => {
      const script = built(t, await get("/sdk/v1.js", person));
      if (!script) return;
      const { slug } = await stage(target, { switches: { backendEnabled: false } });
      const from: Header[] = [
        ["Sec-Fetch-Site", "cross-site"],
        ["Sec-Fetch-Dest", "script"],
        ["Referer", `${target.base}/c/${slug}/`],
      ];
      assert.equal((await get("/sdk/v1.js", person, from)).status, 200);
    });

    it("GET /sdk/v1.js: a guest gets it", async () => {
      const canvas = await stage(target, { access: "public_link" });
      const { status, text } = await get("/sdk/v1.js", await guestOf(target, canvas));
      assert.ok(status === 200 || status === 503, text.slice(0, 300));
    });

    it("GET /api/me without a session: the gateway's refusal", async () => {
      unauthenticated(await get("/api/me", null), target);
    });

    it("GET /api/me: a guest has isGuest, and no other route of the management API", async () => {
      const canvas = await stage(target);
      const guest = await guestOf(target, canvas);
      const { status, json } = await get("/api/me", guest);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json).sort(), ACCOUNT);
      const { id, email, name, isAdmin, isGuest, canPublishPublic, orgs } = json;
      assert.deepEqual(
        { id, email, name, isAdmin, isGuest, canPublishPublic, orgs },
        {
          id: `guest:${guest.invite.id}`,
          email: guest.email,
          name: guest.name,
          isAdmin: false,
          isGuest: true,
          canPublishPublic: false,
          orgs: [],
        },
      );
      for (const path of ["/api/canvases", `/api/canvases/${canvas.id}`, "/api/teams", "/api/tokens"]) {
        refused(await get(path, guest), 403, "PERMISSION_DENIED");
      }
    });

    it("GET /api/me: a guest with the address of an administrator is no administrator", async () => {
      const guest = await guestOf(target, await stage(target), target.admin);
      const { json } = await get("/api/me", guest);
      assert.deepEqual([json.isAdmin, json.isGuest], [false, true]);
      refused(await get("/api/admin/users", guest), 403, "PERMISSION_DENIED");
    });

    it("GET /api/me: whether someone may publish public links, from the next request on", async () => {
      const someone = await target.signIn(freshEmail("publisher"));
      assert.equal((await get("/api/me", someone)).json.canPublishPublic, true);
      await mayPublish(target, someone, false);
      assert.equal((await get("/api/me", someone)).json.canPublishPublic, false);
      await mayPublish(target, someone, true);
      assert.equal((await get("/api/me", someone)).json.canPublishPublic, true);
    });

    it("GET /api/me: the account", async () => {
      const answer = await get("/api/me", person);
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
      const { json } = answer;
      assert.deepEqual(Object.keys(json).sort(), ACCOUNT);
      const { email, name, isAdmin, isGuest, authMode, urlMode } = json;
      assert.deepEqual(
        { email, name, isAdmin, isGuest, authMode, urlMode },
        {
          email: person.email,
          name: person.name,
          isAdmin: false,
          isGuest: false,
          authMode: target.authMode,
          urlMode: target.urlMode,
        },
      );
      assert.equal(new URL(String(json.baseUrl)).origin, target.base);
      assert.match(String(json.id), /^[A-Za-z0-9-]{1,128}$/);
      assert.ok(Array.isArray(json.orgs));
      assert.equal(typeof json.canPublishPublic, "boolean");
      for (const field of ["avatarUrl", "designSkin"]) {
        assert.ok(json[field] === null || typeof json[field] === "string", field);
      }
    });

    it("GET /api/me: an administrator has isAdmin", async () => {
      const admin = await target.signIn(target.admin);
      assert.equal((await get("/api/me", admin)).json.isAdmin, true);
    });

    it("GET /api/me: the id equals that of GET /me, with the backend on or off", async () => {
      const canvas = await stage(target);
      const { owner } = canvas.people;
      const { id } = (await canvas.pages.owner.get("/me")).json;
      assert.equal((await get("/api/me", owner)).json.id, id);
      await turn(target, canvas, { backendEnabled: false });
      assert.equal((await get("/api/me", owner)).json.id, id);
    });
  });
}

/**
 * Returns `answer`, a response to `GET /sdk/v1.js`, if its status is 200. If the status is 503, the script has not been built: skips the
 * test and returns null. Fails for any other status.
 */
function built(t: TestContext, answer: Answer): Answer | null {
  if (answer.status !== 503) {
    assert.equal(answer.status, 200, answer.text.slice(0, 300));
    return answer;
  }
  t.skip("the SDK bundle has not been built");
  return null;
}
