import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { readableFrom, withoutCors } from "../cors.ts";
import { cast, freshSlug, type Stage, stage } from "../fixture.ts";
import { call, JSON_TYPE, pageOrigin } from "../page.ts";
import type { Person, Target } from "../target.ts";

interface Row {
  status: number;
  name: string;
  method: string;
  path: string;
  at: "lit" | "dark" | "unknown";
  by: "owner" | "viewer" | "stranger" | "nobody";
  body?: string;
}

const ROWS: Row[] = [
  { status: 200, name: "an answer", method: "GET", path: "/me", at: "lit", by: "owner" },
  { status: 401, name: "no session", method: "GET", path: "/me", at: "lit", by: "nobody" },
  { status: 401, name: "no session, unknown slug", method: "GET", path: "/me", at: "unknown", by: "nobody" },
  { status: 404, name: "unknown slug", method: "GET", path: "/me", at: "unknown", by: "owner" },
  { status: 404, name: "OWNER_ONLY", method: "GET", path: "/me", at: "lit", by: "stranger" },
  { status: 403, name: "CAPABILITY_DISABLED", method: "GET", path: "/kv", at: "dark", by: "owner" },
  {
    status: 403,
    name: "PERMISSION_DENIED",
    method: "PUT",
    path: "/kv/k",
    at: "lit",
    by: "viewer",
    body: "1",
  },
  { status: 404, name: "no such key", method: "GET", path: "/kv/none", at: "lit", by: "owner" },
  { status: 404, name: "unknown path", method: "GET", path: "/no-such-path", at: "lit", by: "owner" },
  { status: 405, name: "wrong method", method: "POST", path: "/me", at: "lit", by: "owner" },
  { status: 400, name: "bad body", method: "PUT", path: "/kv/k", at: "lit", by: "owner", body: "{" },
  { status: 400, name: "bad path", method: "GET", path: "/kv/%ff", at: "lit", by: "owner" },
  { status: 413, name: "long key", method: "DELETE", path: `/kv/${"k".repeat(513)}`, at: "lit", by: "owner" },
];

/** Tests that every response has CORS headers in subdomain mode, and that no response has any in path mode. */
export function cors(target: Target): void {
  const subdomain = target.urlMode === "subdomain";
  describe(`CORS headers in ${target.urlMode} mode`, () => {
    let stages: Record<Row["at"], Pick<Stage, "slug">>;
    let people: Record<Row["by"], Person | null>;
    before(async () => {
      const those = await cast(target);
      const switches = { backendEnabled: false };
      const lit = await stage(target, { people: those });
      const dark = await stage(target, { people: those, switches });
      stages = { lit, dark, unknown: { slug: freshSlug() } };
      people = { ...those, nobody: null };
    });

    for (const { status, name, method, path, at, by, body } of ROWS) {
      it(`${status} ${name}: ${subdomain ? "readable by its page" : "no CORS header"}`, async () => {
        const { slug } = stages[at];
        const origin = pageOrigin(target, slug);
        const type = body === undefined ? [] : [JSON_TYPE];
        const answer = await call(
          target,
          slug,
          people[by],
          method,
          path,
          [["Origin", origin], ...type],
          body,
        );
        // In oidc mode a request without a session is redirected instead of refused with 401.
        const expected = status === 401 && target.authMode === "oidc" ? 302 : status;
        assert.equal(answer.status, expected, answer.text);
        if (subdomain) readableFrom(answer, origin);
        else withoutCors(answer);
      });
    }

    if (subdomain) {
      it("the page may read the rate headers", async () => {
        const { slug } = stages.lit;
        const answer = await call(target, slug, people.owner, "GET", "/me", [
          ["Origin", pageOrigin(target, slug)],
        ]);
        const exposed = String(answer.headers["access-control-expose-headers"]).toLowerCase();
        const names = exposed.split(",").map((name) => name.trim());
        for (const name of [
          "retry-after",
          "x-ratelimit-limit",
          "x-ratelimit-remaining",
          "x-ratelimit-reset",
        ]) {
          assert.ok(names.includes(name), `${name} in ${exposed}`);
        }
      });
    }
  });
}
