import assert from "node:assert/strict";
import { test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { putGrant } from "../../src/organisation/connections/grants.ts";
import { putProfile } from "../../src/organisation/connections/profiles.ts";
import { MEMBERS } from "../organisation/connection-stores.ts";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { startExternalApi } from "../support/external-api.ts";
import { publish } from "../support/publish.ts";
import { enterAs, startSite } from "../support/site.ts";

const PAGE = `<!doctype html><meta charset=utf-8><title>Page</title><script src="/sdk/v1.js"></script>`;

/** Response headers with the values that a page reads. Null: the header does not reach the page. */
const READ = [
  ["content-type", "application/problem+json"],
  ["etag", '"7"'],
  ["link", "</tickets?page=2>; rel=next"],
  ["x-total-count", "40"],
  ["x-ratelimit-remaining", "9"],
  ["retry-after", "30"],
  ["x-service-connection-response", "upstream"],
  ["set-cookie", null],
  ["server", null],
  ["x-powered-by", null],
] as const;

test("a browser calls an external API", { skip: noBrowser }, async (t) => {
  const api = await startExternalApi(t, () => "");
  const site = await startSite(t, "subdomain", { settings: api.settings });
  const { env } = site;
  const canvas = await stage(site.target);
  const profile = { name: "tickets", origin: api.origin, enabled: true };
  await putProfile({ ...profile, methods: ["GET", "HEAD", "POST", "PATCH"] }, env);
  await putGrant("tickets", canvas.id, MEMBERS, env);
  await publish(site.target, canvas, { "index.html": PAGE });
  const context = await (await openBrowser(t)).newContext();
  await enterAs(context, site, canvas.people.owner);
  const page = await context.newPage();
  await page.goto(env.base.canvasUrl(canvas.slug));
  /**
   * Calls the profile `tickets` in the page. `given` is the code of the further arguments, such as `"/tickets"`. Returns the value of
   * `result`, an expression with the response `r`.
   */
  const call = (given: string, result: string) =>
    page.evaluate(`easel.connections.fetch("tickets", ${given}).then(async (r) => ${result})`);
  const failure = (expression: string) =>
    page.evaluate(
      `${expression}.then(() => "none", (error) => [error.name, error.code, error.status].join(" "))`,
    );

  await t.test("the page reads status, kept headers and body", async () => {
    api.reply = () => ({
      status: 404,
      headers: {
        ...Object.fromEntries(READ.filter(([, value]) => value !== null)),
        "set-cookie": "a=b",
        server: "api",
        "x-powered-by": "tea",
      },
      body: "naïve 🍵",
    });
    const names = JSON.stringify(READ.map(([name]) => name));
    assert.deepEqual(
      await call(`"/tickets"`, `[r.status, await r.text(), ...${names}.map((name) => r.headers.get(name))]`),
      [404, "naïve 🍵", ...READ.map(([, value]) => value)],
    );
  });

  await t.test("method, headers and body arrive, without the session", async () => {
    let body = "";
    api.reply = async (request) => {
      body = Buffer.concat(await request.toArray()).toString();
      return { status: 201 };
    };
    const init = `{ method: "patch", headers: { "content-type": "application/merge-patch+json", "x-request-id": "1" }, body: "{}" }`;
    assert.equal(await call(`"tickets/1", ${init}`, "r.status"), 201);
    const { method, headers } = api.requests.at(-1) ?? assert.fail("no request");
    assert.deepEqual(
      [method, headers["content-type"], headers["x-request-id"], body],
      ["PATCH", "application/merge-patch+json", "1", "{}"],
    );
    for (const name of ["cookie", "origin", "referer", "authorization"])
      assert.equal(headers[name], undefined, name);
  });

  await t.test("HEAD, 204 and 304 have no body", async () => {
    api.reply = ({ method, headers }) =>
      method === "HEAD"
        ? { headers: { etag: '"h"' } }
        : { status: headers["if-none-match"] === undefined ? 204 : 304 };
    assert.deepEqual(await call(`"/", { method: "HEAD" }`, `[r.status, r.headers.get("etag")]`), [
      200,
      '"h"',
    ]);
    assert.deepEqual(await call(`"/"`, "[r.status, await r.text()]"), [204, ""]);
    const init = `{ headers: { "if-none-match": '"h"' } }`;
    assert.deepEqual(await call(`"/", ${init}`, "[r.status, await r.text()]"), [304, ""]);
  });

  await t.test("no path leaves the profile", async () => {
    api.reply = ({ url = "" }) => url;
    for (const [path, sent] of [
      ["", "/"],
      ["a b?c=%2F+é", "/a%20b?c=%2F+%C3%A9"],
      ["/%2F%25é", "/%2F%25%C3%A9"],
      ["../../kv/x", "/kv/x"],
      ["%2e%2e/%2E.\\..\\kv", "/kv"],
      [".\t./.\n./kv", "/kv"],
      ["//else.example/a", "//else.example/a"],
      ["\\\\else.example", "//else.example"],
    ])
      assert.equal(await call(JSON.stringify(path), "r.text()"), sent, JSON.stringify(path));
  });

  await t.test("failures of the service are errors", async () => {
    const fetch = (given: string) => failure(`easel.connections.fetch(${given})`);
    assert.equal(await fetch(`"other", "/"`), "EaselError CONNECTION_NOT_GRANTED 404");
    const large = `{ method: "POST", body: "x".repeat(256 * 1024 + 1) }`;
    assert.equal(await fetch(`"tickets", "/", ${large}`), "QuotaExceededError REQUEST_TOO_LARGE 413");
    api.reply = () => ({ status: 302, headers: { location: "https://else.example/" } });
    assert.equal(await fetch(`"tickets", "/"`), "EaselError DESTINATION_BLOCKED 403");
    assert.equal(await fetch(`"tickets", "/", { body: "x" }`), "EaselError INVALID_BODY 400");
  });

  await t.test("an abort rejects as that of `fetch`", async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const held = Promise.withResolvers<string>();
    api.reply = () => {
      resolve();
      return held.promise;
    };
    await page.evaluate(`
        globalThis.stop = new AbortController();
        globalThis.end = easel.connections.fetch("tickets", "/", { signal: stop.signal }).catch((error) => error.name);
        undefined;`);
    await asked;
    assert.equal(await page.evaluate("(stop.abort(), end)"), "AbortError");
    held.resolve("");
  });

  await t.test("`status` says what the viewer may do", async () => {
    assert.deepEqual(
      await page.evaluate(`Promise.all(["tickets", "other"].map((name) => easel.connections.status(name)))`),
      [
        { invoke: true, methods: ["GET", "HEAD", "POST", "PATCH"] },
        { invoke: false, methods: [] },
      ],
    );
  });
});
