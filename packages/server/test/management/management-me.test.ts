import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { freshEmail } from "@easel/conformance/target";
import { JSON_TYPE, post, whoAmI } from "../support/client.ts";
import { startDev } from "../support/engines.ts";

const LIMIT = 5;
const { target } = await startDev({ after });

describe("GET /api/me", () => {
  it("returns the account, field by field", async () => {
    const person = await target.signIn(freshEmail("account"), "Ada");
    const { status, headers, json } = await whoAmI(target.base, person.headers);
    const { id, ...account } = json;
    assert.equal(status, 200);
    assert.equal(headers["cache-control"], "private, no-store");
    assert.match(String(id), /^[A-Za-z0-9-]{1,128}$/);
    assert.deepEqual(account, {
      email: person.email,
      name: "Ada",
      avatarUrl: null,
      isAdmin: false,
      orgs: [],
      isGuest: false,
      canPublishPublic: true,
      authMode: "dev",
      urlMode: "path",
      baseUrl: target.base,
      designSkin: null,
    });
  });

  it("isAdmin follows SERVICE_ADMIN_EMAILS, canPublishPublic follows SERVICE_PUBLIC_LINKS", async (t) => {
    const own = await startDev(t, { SERVICE_ADMIN_EMAILS: "Boss@Example.com", SERVICE_PUBLIC_LINKS: "off" });
    for (const [email, isAdmin] of [
      ["boss@example.com", true],
      ["dev@example.com", false],
    ] as const) {
      const { headers } = await own.target.signIn(email);
      const { json } = await whoAmI(own.target.base, headers);
      assert.deepEqual([json.isAdmin, json.canPublishPublic], [isAdmin, false]);
    }
  });
});

describe("the rate limit of the management API", () => {
  it("429 { error: rate_limited } above the limit a minute, counted per user across routes", async (t) => {
    const { target: limited } = await startDev(t, {
      SERVICE_RATELIMIT_ENABLED: "true",
      SERVICE_RATELIMIT_MANAGEMENT_PER_MIN: String(LIMIT),
    });
    const { base } = limited;
    const [one, other] = [await limited.signIn(freshEmail("one")), await limited.signIn(freshEmail("other"))];
    const get = (path: string) => send(base, { method: "GET", path, headers: one.headers });
    const calls = [
      () => get("/api/me"),
      () => get("/api/canvases"),
      () => get("/api/none"),
      () => get("/api/canvases/none"),
      () => post(base, "/api/me", one.headers, ""),
      () => post(base, "/api/canvases", [...one.headers, JSON_TYPE], '{"title":"One too many"}'),
    ];
    for (const [index, call] of calls.entries()) {
      const { status, headers } = await call();
      assert.equal(status === 429, index >= LIMIT, `${index}: ${status}`);
      assert.equal(headers["x-ratelimit-limit"], String(LIMIT));
      assert.equal(headers["x-ratelimit-remaining"], String(Math.max(0, LIMIT - 1 - index)));
    }
    const answer = await get("/api/me");
    refused(answer, 429, "RATE_LIMITED");
    assert.equal(answer.json.error, "rate_limited");
    assert.match(String(answer.headers["retry-after"]), /^[1-9]\d?$/);
    assert.equal((await whoAmI(base, other.headers)).status, 200);
    const again = await limited.signIn(one.email);
    assert.equal((await whoAmI(base, again.headers)).status, 429, "another session of the same person");
  });
});
