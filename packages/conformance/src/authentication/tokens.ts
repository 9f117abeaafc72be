import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { deactivate } from "../admin.ts";
import { NAVIGATES } from "../browser.ts";
import { manage, type Stage } from "../fixture.ts";
import { type Header, send } from "../http.ts";
import { soon } from "../lifecycle.ts";
import { call, open, pageUrl } from "../page.ts";
import { refused, unauthenticated } from "../refusal.ts";
import { freshEmail, type Person, type Target } from "../target.ts";
import { type Token, tokenOf } from "../token.ts";
import { PAGE, siteOf } from "./site.ts";

/** Each row has a name for the test, and a function that makes a header with an invalid token from a valid token. */
const FORGERIES: [name: string, forge: (token: string) => Header][] = [
  ["cut short", (token) => bearer(token.slice(0, -1))],
  ["with something added", (token) => bearer(`${token}A`)],
  [
    "with another first letter",
    (token) => bearer(token.replace(/_pat_(.)/, (_, at) => `_pat_${at === "A" ? "B" : "A"}`)),
  ],
  ["without its secret", () => bearer("easel_pat_")],
  ["made up", () => bearer(`easel_pat_${"A".repeat(43)}`)],
  ["in upper case", (token) => bearer(token.toUpperCase().replace("EASEL_PAT_", "easel_pat_"))],
  [
    "under another scheme",
    (token) => ["Authorization", `Basic ${Buffer.from(`:${token}`).toString("base64")}`],
  ],
  ["without a scheme", (token) => ["Authorization", token]],
  ["in another header", (token) => ["X-Api-Key", token]],
  ["in a cookie", (token) => ["Cookie", `easel_session=${token}`]],
];

function bearer(token: string): Header {
  return ["Authorization", `Bearer ${token}`];
}

/** Tests personal access tokens on `/api` and `/v1/c` (docs/sharing.md#sessions-and-tokens). */
export function tokens(target: Target): void {
  describe("personal access tokens", () => {
    let site: Stage;
    let token: Token;
    before(async () => {
      site = await siteOf(target);
      token = await tokenOf(target, site.people.viewer);
    });
    const api = (person: Person | null, headers: Header[] = []) =>
      send(target.base, {
        method: "GET",
        path: "/api/me",
        headers: [...(person?.headers ?? []), ...headers],
      });
    const both = async (person: Person | null, headers: Header[] = []) => [
      await api(person, headers),
      await call(target, site.slug, person, "GET", "/me", headers),
    ];
    const shut = async (person: Person | null, headers: Header[] = []) => {
      // A program with an invalid token gets 401 in every mode: a redirect to the sign-in is for people.
      const isProgram = [...(person?.headers ?? []), ...headers].some(([, value]) => /^bearer /i.test(value));
      for (const answer of await both(person, headers))
        unauthenticated(answer, isProgram ? undefined : target);
    };

    it("a token identifies its person on both APIs, without any other header", async () => {
      assert.match(token.token, /^easel_pat_[A-Za-z0-9_-]{43}$/);
      for (const answer of await both(token)) {
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json.email, site.people.viewer.email);
      }
      const scheme: Header = ["Authorization", `bearer ${token.token}`];
      assert.equal((await api(null, [scheme])).json.email, site.people.viewer.email);
    });

    it("a token has no more access than its person", async () => {
      refused(await open(target, site.slug, token).put("/kv/k", 1), 403, "PERMISSION_DENIED");
      const stranger = await tokenOf(target, site.people.stranger);
      refused(await open(target, site.slug, stranger).get("/me"), 404, "OWNER_ONLY");
    });

    it("a token is shown once: no list contains it", async () => {
      const { json, text } = await manage(target, site.people.viewer, "GET", "/api/tokens");
      const listed = (json.tokens as Record<string, unknown>[]).find(({ id }) => id === token.id);
      assert.deepEqual(Object.keys(listed ?? {}).sort(), [
        "canvas",
        "createdAt",
        "expiresAt",
        "id",
        "name",
        "scope",
        "usedAt",
      ]);
      assert.ok(!text.includes(token.token.slice("easel_pat_".length)));
      const others = await manage(target, site.people.owner, "GET", "/api/tokens");
      assert.deepEqual(others.json.tokens, []);
    });

    for (const [name, forge] of FORGERIES) {
      it(`${name} is rejected`, () => shut(null, [forge(token.token)]));
    }

    it("a token in the query is ignored", async () => {
      const path = `/me?access_token=${token.token}&token=${token.token}`;
      unauthenticated(await call(target, site.slug, null, "GET", path), target);
    });

    it("an invalid token beside a valid session: anonymous", async () => {
      await shut(site.people.viewer, [bearer(`easel_pat_${"A".repeat(43)}`)]);
    });

    it("the pages of a canvas do not accept tokens", async () => {
      const url = new URL(pageUrl(target, site.slug));
      const { pathname: path, host } = url;
      for (const accept of [[], [NAVIGATES]]) {
        const headers = [...token.headers, ...accept];
        const answer = await send(target.base, { method: "GET", path, host, headers });
        assert.ok(answer.status === 401 || answer.status === 302, `${answer.status}`);
        assert.ok(!answer.text.includes(PAGE));
      }
    });

    it("a deleted token is invalid with the next request; only its owner can delete it", async () => {
      const short = await tokenOf(target, site.people.viewer);
      const path = `/api/tokens/${short.id}`;
      refused(await manage(target, site.people.owner, "DELETE", path), 404, "NOT_FOUND");
      for (const answer of await both(short)) assert.equal(answer.status, 200);
      assert.equal((await manage(target, site.people.viewer, "DELETE", path)).status, 204);
      await shut(short);
      refused(await manage(target, site.people.viewer, "DELETE", path), 404, "NOT_FOUND");
    });

    it("an expired token is invalid", async () => {
      await soon(async (expiresAt) => {
        const body = { name: "A program", expiresAt };
        const made = await manage(target, site.people.viewer, "POST", "/api/tokens", body);
        const short: Header[] = [bearer(String(made.json.token))];
        const answers = [made, ...(await both(null, short))];
        if (Date.now() >= expiresAt) return false;
        assert.deepEqual(
          answers.map(({ status }) => status),
          [201, 200, 200],
        );
        await sleep(expiresAt - Date.now() + 100);
        await shut(null, short);
        return true;
      });
    });

    it("a token cannot be made that has expired", async () => {
      for (const expiresAt of [Date.now() - 1_000, 0, "tomorrow"]) {
        const body = { name: "late", expiresAt };
        refused(await manage(target, site.people.viewer, "POST", "/api/tokens", body), 400, "INVALID_BODY");
      }
    });

    it("the token of a deactivated person is invalid", async () => {
      const leaver = await target.signIn(freshEmail("leaver"));
      const left = await tokenOf(target, leaver);
      assert.equal((await api(left)).status, 200);
      await deactivate(target, leaver);
      await shut(left);
    });

    it("tokens and sessions cannot be managed by token", async () => {
      const acts: [method: string, path: string, body?: object][] = [
        ["POST", "/api/tokens", { name: "child" }],
        ["DELETE", `/api/tokens/${token.id}`],
        ["DELETE", "/api/sessions/none"],
      ];
      for (const [method, path, body] of acts) {
        refused(await manage(target, token, method, path, body), 403, "PERMISSION_DENIED");
      }
      for (const answer of await both(token)) assert.equal(answer.status, 200);
    });
  });
}
