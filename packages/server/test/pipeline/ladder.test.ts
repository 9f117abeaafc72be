import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { devTarget, type Person } from "@easel/conformance/target";
import { sql } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { startExample } from "../support/service.ts";

/* Tests the order of refusals (specification 4.1, step 3) over HTTP. Each state of the canvas is written to the database directly. */

const OPEN = "open";
const ago = () => Date.now() - 1;

type State = (env: Env) => Promise<unknown>;
/** A caller (null: an anonymous one), and the response that they get from the runtime API and for the page. */
type Outcome = [who: "owner" | "editor" | "viewer" | "stranger" | null, api: string, page: string];

const states: [what: string, state: State, ...Outcome[]][] = [
  [
    "deleted",
    ({ db }) => db.run`update canvases set deleted_at = ${ago()}`,
    ["owner", "404 NOT_FOUND", "404"],
  ],
  [
    "archived",
    ({ db }) => db.run`update canvases set archived_at = ${ago()}`,
    ["owner", "404 ARCHIVED", "404"],
    ["stranger", "404 ARCHIVED", "404"],
  ],
  [
    "disabled",
    ({ db }) => db.run`update canvases set disabled_at = ${ago()}`,
    ["owner", "403 DISABLED", "403"],
    ["stranger", "403 DISABLED", "403"],
  ],
  [
    "private",
    ({ db }) => db.run`update canvases set access = ${"private"}`,
    ["owner", OPEN, OPEN],
    ["editor", OPEN, OPEN],
    ["viewer", OPEN, OPEN],
    ["stranger", "404 OWNER_ONLY", "404"],
    [null, "401", "302"],
  ],
  [
    "whole_org",
    ({ db }) => db.run`update canvases set access = ${"whole_org"}`,
    ["stranger", OPEN, OPEN],
    [null, "401", "302"],
  ],
  [
    "expired",
    ({ db }) => db.run`update canvases set expires_at = ${ago()}`,
    ["owner", OPEN, OPEN],
    ["editor", OPEN, OPEN],
    ["viewer", "404 SHARE_EXPIRED", "404"],
    ["stranger", "404 OWNER_ONLY", "404"],
  ],
  [
    "with a password",
    ({ db }) => db.run`update canvases set password_hash = ${"a hash"}`,
    ["owner", OPEN, OPEN],
    ["editor", OPEN, OPEN],
    ["viewer", "403 PASSWORD_REQUIRED", "403"],
  ],
  [
    "public_link",
    ({ db }) => db.run`update canvases set access = ${"public_link"}`,
    ["owner", OPEN, OPEN],
    ["editor", OPEN, OPEN],
    ["viewer", "403 STATIC_ONLY", OPEN],
    ["stranger", "403 STATIC_ONLY", OPEN],
    [null, "403 STATIC_ONLY", OPEN],
  ],
  [
    "public_link, expired",
    ({ db }) => db.run`update canvases set access = ${"public_link"}, expires_at = ${ago()}`,
    ["stranger", "404 SHARE_EXPIRED", "404"],
    [null, "401", "302"],
  ],
  [
    "public_link, unpublished",
    ({ db }) => db.run`update canvases set access = ${"public_link"}, revoked_at = ${ago()}`,
    ["owner", OPEN, "404"],
    ["stranger", "403 STATIC_ONLY", "404"],
    [null, "401", "302"],
  ],
  [
    "public_link, draft",
    ({ db }) => db.run`update canvases set access = ${"public_link"}, version_id = ${null}`,
    ["owner", OPEN, "404"],
    ["stranger", "403 STATIC_ONLY", "404"],
    [null, "401", "302"],
  ],
  [
    "public_link of an owner who may not",
    ({ db }) =>
      db.batch([
        sql`update canvases set access = ${"public_link"}`,
        sql`update users set can_publish_public = ${0}`,
      ]),
    ["owner", OPEN, OPEN],
    ["viewer", "403 STATIC_ONLY", OPEN],
    ["stranger", "404 OWNER_ONLY", "404"],
    [null, "401", "302"],
  ],
  [
    "unpublished",
    ({ db }) => db.run`update canvases set revoked_at = ${ago()}`,
    ["owner", OPEN, "404"],
    ["viewer", OPEN, "404"],
  ],
];

const { base, env } = await startExample({ after }, "guestbook");
const target = devTarget(base, "path");
const people = new Map<string, Person>();
for (const [who, email] of [
  ["owner", "dev@example.com"],
  ["editor", "editor@example.com"],
  ["viewer", "the-viewer@example.com"],
  ["stranger", "the-stranger@example.com"],
] as const) {
  people.set(who, await target.signIn(email));
}

describe("the refusal ladder over HTTP", () => {
  /** Resets the example canvas to private, with a viewer on its people list. */
  async function reset(): Promise<void> {
    const { db } = env;
    await db.run`update users set can_publish_public = 1`;
    await db.run`
      update canvases set access = ${"private"}, deleted_at = null, archived_at = null, disabled_at = null,
        expires_at = null, password_hash = null, revoked_at = null,
        version_id = (select max(id) from versions where canvas_id = canvases.id)`;
    await db.run`insert into canvas_people (canvas_id, email, role) select id, 'the-viewer@example.com', 'viewer'
      from canvases where slug = 'guestbook' on conflict do nothing`;
  }

  async function ask(at: string, who: string | null, accept: string): Promise<string> {
    const headers = new Headers(who === null ? [] : people.get(who)?.headers);
    headers.set("accept", accept);
    const answer = await fetch(base + at, { headers, redirect: "manual" });
    const text = await answer.text();
    if (answer.ok) return OPEN;
    const code = accept === "text/html" || answer.status < 400 ? undefined : JSON.parse(text).code;
    return [answer.status, code].filter(Boolean).join(" ");
  }

  for (const [what, state, ...outcomes] of states) {
    it(`${what}: ${outcomes.map(([who, api]) => `${who ?? "nobody"} ${api}`).join(", ")}`, async () => {
      await reset();
      await state(env);
      for (const [who, api, page] of outcomes) {
        assert.equal(await ask("/v1/c/guestbook/me", who, "application/json"), api, `the API for ${who}`);
        assert.equal(await ask("/c/guestbook/", who, "text/html"), page, `the page for ${who}`);
      }
    });
  }
});
