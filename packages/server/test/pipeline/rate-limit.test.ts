import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freshSlug, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { remove } from "@easel/conformance/lifecycle";
import { open } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

const LIMITED = { SERVICE_RATELIMIT_ENABLED: "on", SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "3" };

describe("rate limits", () => {
  it("unknown and deleted slugs share a bucket, apart from those of canvases", async (t) => {
    const { target } = await startDev(t, LIMITED);
    const { pages, people } = await stage(target, { access: "whole_org" });
    for (let each = 0; each < 3; each++) assert.equal((await pages.stranger.get("/me")).status, 200);
    const deleted = await stage(target, { access: "whole_org" });
    // A version is published first, because only the slug of a canvas that has had a version stays reserved after the deletion.
    await publish(target, deleted, { "index.html": "home" });
    await remove(target, deleted);
    const probe = (slug = freshSlug()) => open(target, slug, people.stranger).get("/me");
    const statuses: number[] = [];
    for (let each = 0; each < 10; each++) statuses.push((await probe()).status);
    assert.deepEqual(statuses, [404, 404, 404, ...Array(7).fill(429)]);
    refused(await probe(deleted.slug), 429, "RATE_LIMITED");
    refused(await pages.stranger.get("/me"), 429, "RATE_LIMITED");
    assert.equal((await pages.viewer.get("/me")).status, 200);
  });

  it("X-RateLimit-Reset is a time, Retry-After a duration", async (t) => {
    const { target, env } = await startDev(t, LIMITED);
    const { pages } = await stage(target);
    env.clock = () => 1_700_000_000_000;
    let answer = await pages.owner.get("/me");
    for (let each = 0; each < 3; each++) answer = await pages.owner.get("/me");
    refused(answer, 429, "RATE_LIMITED");
    const wait = Number(answer.headers["retry-after"]);
    assert.ok(wait >= 1 && wait <= 60, `${wait}`);
    assert.equal(answer.headers["x-ratelimit-reset"], String(1_700_000_000 + wait));
  });

  it("anonymous callers of an IPv6 /64 share a bucket", async (t) => {
    const { target } = await startDev(t, { ...LIMITED, SERVICE_PROXY_TRUSTED_IPS: "127.0.0.1" });
    const canvas = await stage(target, { access: "public_link" });
    await publish(target, canvas, { "index.html": "home" });
    const { slug } = canvas;
    const ask = (address: string) =>
      send(target.base, { method: "GET", path: `/v1/c/${slug}/me`, headers: [["X-Forwarded-For", address]] });
    for (const last of ["1", "2:0:3", "ffff"])
      refused(await ask(`2001:db8:1:2::${last}`), 403, "STATIC_ONLY");
    refused(await ask("2001:db8:1:2::4"), 429, "RATE_LIMITED");
    refused(await ask("2001:db8:1:3::1"), 403, "STATIC_ONLY");
  });
});
