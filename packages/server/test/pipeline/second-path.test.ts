import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { unlocked } from "@easel/conformance/authentication/site";
import { withoutCors } from "@easel/conformance/cors";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { type Header, send } from "@easel/conformance/http";
import { call, open, pageOrigin } from "@easel/conformance/page";
import { knock } from "@easel/conformance/realtime/handshake";
import { answered, refused, unauthenticated, wrongMethod } from "@easel/conformance/refusal";
import type { Person, Target } from "@easel/conformance/target";
import { startDev } from "../support/engines.ts";
import { NAMED, startService } from "../support/service.ts";

const scope = { after };
const MODES = ["path", "subdomain"] as const;
const services = await Promise.all(
  MODES.map((urlMode) =>
    startDev(scope, { SERVICE_URL_MODE: urlMode }, (at, settings) => startService(at, settings, NAMED)),
  ),
);
const limited = await startDev(scope, {
  SERVICE_RATELIMIT_ENABLED: "true",
  SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "20",
});

/** Returns the same service, whose runtime API is asked at its second path. */
const atSecondPath = (target: Target): Target & { ids: Map<string, string> } => ({
  ...target,
  ids: new Map(),
});

/** The headers of requests that step 4 refuses. Programs send no such headers. */
const FOREIGN: [name: string, headers: (target: Target, slug: string) => Header[]][] = [
  ["another site", () => [["Origin", "https://elsewhere.example"]]],
  ["no origin", () => [["Origin", "null"]]],
  ["the same site", () => [["Sec-Fetch-Site", "same-site"]]],
  ["a page of the canvas, by its Referer", ({ base }, slug) => [["Referer", `${base}/c/${slug}/`]]],
  ["a Referer that is no address", () => [["Referer", "not an address"]]],
];

for (const { target: first } of services)
  describe(`the runtime API below the management API, canvases by ${first.urlMode}`, () => {
    const target = atSecondPath(first);

    it("serves the service's own pages and programs, with sessions and access tokens", async () => {
      const { slug, people, pages } = await stage(target);
      answered(await pages.owner.put("/kv/a", 1), { ok: true });
      answered(await pages.viewer.get("/kv/a"), { value: 1 });
      answered(await call(target, slug, people.owner, "DELETE", "/kv/a"), { ok: true });
      // The same data as at the first path.
      answered(await open(first, slug, people.owner).put("/kv/b", 2), { ok: true });
      answered(await pages.owner.get("/kv/b"), { value: 2 });
      assert.equal((await knock(target, slug, people.viewer)).status, 101);
      assert.equal((await knock(target, slug, people.viewer, { headers: [] })).status, 101);
    });

    const foreign = FOREIGN.concat(
      first.urlMode === "subdomain"
        ? [["a page of the canvas", (_, slug) => [["Origin", pageOrigin(first, slug)]]]]
        : [],
    );
    for (const [name, headersOf] of foreign)
      it(`${name}: 403 CROSS_SITE_FORBIDDEN after the check of access, and without CORS`, async () => {
        const { slug, people, pages } = await stage(target);
        const headers = headersOf(first, slug);
        for (const method of ["GET", "PUT"]) {
          const answer = await call(
            target,
            slug,
            people.owner,
            method,
            "/kv/a",
            headers,
            method === "PUT" ? "1" : undefined,
          );
          refused(answer, 403, "CROSS_SITE_FORBIDDEN");
          withoutCors(answer);
          assert.equal(answer.headers["cross-origin-resource-policy"], "same-origin");
          refused(await call(target, slug, people.stranger, method, "/kv/a", headers), 404, "OWNER_ONLY");
        }
        refused(await pages.owner.get("/kv/a"), 404, "NOT_FOUND");
        refused(await knock(target, slug, people.owner, { headers }), 403, "CROSS_SITE_FORBIDDEN");
      });

    it("answers no preflight, and no page of the canvas may read or embed a response", async () => {
      const { slug, people } = await stage(target);
      const headers: Header[] = [
        ["Origin", pageOrigin(first, slug)],
        ["Access-Control-Request-Method", "PUT"],
      ];
      const preflight = await call(target, slug, people.owner, "OPTIONS", "/kv/a", headers);
      assert.equal(preflight.status, 404);
      withoutCors(preflight);
      const own = await open(target, slug, people.owner).get("/me");
      withoutCors(own);
      assert.equal(own.headers["cross-origin-resource-policy"], "same-origin");
      assert.equal(own.headers["x-frame-options"], "DENY");
    });

    it("finds the canvas by its id only: 401 without a session, 404 for what is no id of a canvas", async () => {
      const { id, slug, people } = await stage(target);
      const at = (canvas: string, person: Person | null, path = "/me") =>
        send(target.base, {
          method: "GET",
          path: `/api/canvases/${canvas}/runtime${path}`,
          headers: person?.headers ?? [],
        });
      assert.equal((await at(id, people.viewer)).status, 200);
      for (const other of [slug, `${id}x`, "x", "%00", id.toUpperCase()])
        if (other !== id) refused(await at(other, people.owner), 404, "NOT_FOUND");
      for (const each of [id, "x"]) unauthenticated(await at(each, null));
      refused(await at(id, people.viewer, ""), 404, "NOT_FOUND");
      refused(await at(id, people.viewer, "/no-such-path"), 404, "NOT_FOUND");
      refused(await at(id, people.viewer, "/kv/%ff"), 400, "INVALID_BODY");
      unauthenticated(await at(id, null, "/kv/%ff"));
      wrongMethod(await call(target, slug, people.viewer, "POST", "/me"), ["GET"]);
      assert.equal((await manage(target, people.owner, "DELETE", `/api/canvases/${id}`)).status, 204);
      refused(await at(id, people.owner), 404, "NOT_FOUND");
    });

    it("a canvas keeps its path when its slug changes", async () => {
      const { id, slug, people, pages } = await stage(target);
      const change = { slug: `${slug}-new` };
      assert.equal((await manage(target, people.owner, "PATCH", `/api/canvases/${id}`, change)).status, 200);
      answered(await pages.owner.put("/kv/a", 1), { ok: true });
    });

    it("a guest uses the canvas of the invitation", async () => {
      const canvas = await stage(target);
      const other = await stage(target);
      const guest = await guestOf(target, canvas);
      assert.equal((await open(target, canvas.slug, guest).get("/me")).json.kind, "guest");
      refused(await open(target, other.slug, guest).get("/me"), 404, "NOT_INVITED");
    });

    it("a password that was entered on the page of the canvas counts", async () => {
      const canvas = await stage(target, { terms: { password: "open, sesame" } });
      const { id, slug, people } = canvas;
      refused(await open(target, slug, people.viewer).get("/me"), 403, "PASSWORD_REQUIRED");
      const browser = await unlocked(first, canvas, people.viewer, "open, sesame");
      const url = new URL(`/api/canvases/${id}/runtime/me`, target.base);
      const me = await browser.send("GET", url);
      assert.equal(me.json.canvasRole, "viewer", me.text);
    });

    it("scopes of access tokens are as at the first path", async () => {
      const { id, slug, people } = await stage(target);
      const other = await stage(target, { people });
      const make = async (body: object): Promise<Person> => {
        const made = await manage(target, people.owner, "POST", "/api/tokens", {
          name: "A program",
          ...body,
        });
        return { ...people.owner, headers: [["Authorization", `Bearer ${made.json.token}`]] };
      };
      const read = await make({ scope: "read" });
      assert.equal((await call(target, slug, read, "GET", "/kv")).status, 200);
      refused(await call(target, slug, read, "PUT", "/kv/a", [], "1"), 403, "PERMISSION_DENIED");
      refused(await knock(target, slug, read, { headers: [] }), 403, "PERMISSION_DENIED");
      const deploy = await make({ scope: "deploy" });
      refused(await call(target, slug, deploy, "GET", "/kv"), 403, "PERMISSION_DENIED");
      const bound = await make({ canvasId: id });
      assert.equal((await call(target, slug, bound, "PUT", "/kv/a", [], "1")).status, 200);
      refused(await call(target, other.slug, bound, "GET", "/kv"), 403, "PERMISSION_DENIED");
      assert.equal((await knock(target, slug, bound, { headers: [] })).status, 101);
    });
  });

describe("the runtime API below the management API, limited", () => {
  const first = limited.target;
  const target = atSecondPath(first);
  const left = async (canvas: Stage, at: Target, headers?: Header[]) => {
    const { slug, people } = canvas;
    const answer = headers
      ? await call(at, slug, people.owner, "GET", "/me", headers)
      : await open(at, slug, people.owner).get("/me");
    return Number(answer.headers["x-ratelimit-remaining"]);
  };

  it("both paths count in one bucket of the person and the canvas, and foreign pages in another", async () => {
    const canvas = await stage(target);
    const before = await left(canvas, target);
    assert.equal(await left(canvas, first), before - 1);
    assert.ok(Number.isFinite(await left(canvas, target, [["Origin", "https://elsewhere.example"]])));
    assert.equal(await left(canvas, target), before - 2);
  });

  it("the call log has refused calls with the same route", async () => {
    const canvas = await stage(target);
    refused(await canvas.pages.viewer.put("/kv/a", 1), 403, "PERMISSION_DENIED");
    const { entries } = (await manage(target, canvas.people.owner, "GET", `/api/canvases/${canvas.id}/log`))
      .json as { entries: { method: string; route: string; code: string }[] };
    assert.deepEqual(
      entries.map(({ method, route, code }) => [method, route, code]),
      [["PUT", "/kv/a", "PERMISSION_DENIED"]],
    );
  });
});
