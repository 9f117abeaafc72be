import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it, test } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import type { Header } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import type { Page } from "playwright-core";
import { HandOver, jar } from "../sign-in/hand-over.ts";
import { noFullBrowser, openBrowser } from "../support/browser.ts";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { atEnd, type Scope } from "../support/service.ts";
import { enterAs, startSite } from "../support/site.ts";

const FILES = { "index.html": "home", "plan.js": "globalThis.plan = 'secret'" };
const LISTED = "http://intranet.localhost:8080";

/** Values of Sec-Fetch-Site and Sec-Fetch-Dest, and whether the content is sent. */
const REQUESTS: [site: string | null, destination: string | null, sent: boolean][] = [
  [null, null, true],
  [null, "script", true],
  ["none", "document", true],
  ["none", "empty", true],
  ["same-origin", "script", true],
  ["same-origin", "empty", true],
  ["same-site", "document", true],
  ["same-site", "iframe", true],
  ["cross-site", "document", true],
  ["cross-site", "frame", true],
  ["same-site", null, true],
  ["same-site", "script", false],
  ["same-site", "style", false],
  ["same-site", "image", false],
  ["same-site", "font", false],
  ["same-site", "worker", false],
  ["same-site", "object", false],
  ["same-site", "embed", false],
  ["same-site", "empty", false],
  ["same-site", "", false],
  ["cross-site", "script", false],
  ["cross-site", "empty", false],
  ["elsewhere", "script", false],
];

const fetchMetadata = (site: string | null, destination: string | null): Header[] => [
  ...(site === null ? [] : [["Sec-Fetch-Site", site] satisfies Header]),
  ...(destination === null ? [] : [["Sec-Fetch-Dest", destination] satisfies Header]),
];

const apart = await startDev(
  { after },
  {
    SERVICE_URL_MODE: "subdomain",
    SERVICE_FRAME_ANCESTORS: `${LISTED}, https://Portal.Example:443/`,
  },
);

describe("canvas content in subdomain mode", () => {
  const { target } = apart;
  const { base } = target;
  const way = new HandOver(base);
  let canvas: Stage;
  let cookie: Header;
  before(async () => {
    canvas = await stage(target);
    await publish(target, canvas, FILES);
    cookie = jar(await way.through(canvas.slug, canvas.people.viewer.headers));
  });

  for (const [site, destination, sent] of REQUESTS) {
    it(`Sec-Fetch-Site: ${site}, Sec-Fetch-Dest: ${destination}: ${sent ? 200 : 403}`, async () => {
      for (const method of ["GET", "HEAD"]) {
        for (const path of ["/", "/plan.js", "/sdk/v1.js"]) {
          const headers = [cookie, ...fetchMetadata(site, destination)];
          const answer = await way.at(canvas.slug, path, headers, method);
          assert.equal(answer.status, sent ? 200 : 403, `${method} ${path}`);
          assert.equal(answer.headers["cross-origin-resource-policy"], "same-origin");
          if (!sent && method === "GET") refused(answer, 403, "CROSS_SITE_FORBIDDEN");
        }
      }
    });
  }

  it("a refused request reveals neither the caller's access nor the content", async () => {
    const metadata = fetchMetadata("same-site", "script");
    for (const slug of [canvas.slug, "nowhere"]) {
      for (const path of ["/", "/plan.js", "/none", "/sdk/v1.js", "/__enter?to=/"]) {
        for (const headers of [metadata, [cookie, ...metadata]])
          refused(await way.at(slug, path, headers), 403, "CROSS_SITE_FORBIDDEN");
      }
    }
    refused(await way.at(canvas.slug, "/__gate", [cookie, ...metadata], "POST"), 403, "CROSS_SITE_FORBIDDEN");
  });

  it("every response may be framed only by pages of its own host, the base host and the listed origins", async () => {
    const policy = `frame-ancestors 'self' ${base} ${LISTED} https://portal.example`;
    const { etag } = (await way.at(canvas.slug, "/plan.js", [cookie])).headers;
    for (const [path, status, more] of [
      ["/", 200, []],
      ["/plan.js", 200, []],
      ["/plan.js", 304, [["If-None-Match", String(etag)]]],
      ["/plan.js", 206, [["Range", "bytes=0-1"]]],
    ] as [string, number, Header[]][]) {
      const answer = await way.at(canvas.slug, path, [cookie, ...more]);
      assert.deepEqual([answer.status, answer.headers["content-security-policy"]], [status, policy], path);
    }
  });
});

test("in path mode pages of other origins cannot load content either", async (t) => {
  const { target } = await startDev(t, { SERVICE_FRAME_ANCESTORS: LISTED });
  const canvas = await stage(target);
  await publish(target, canvas, FILES);
  for (const [site, destination] of REQUESTS) {
    const metadata = fetchMetadata(site, destination);
    const answer = await visit(target, canvas.slug, canvas.people.viewer, "plan.js", metadata);
    assert.deepEqual(
      [answer.status, answer.headers["cross-origin-resource-policy"]],
      [200, "same-origin"],
      `${site} ${destination}`,
    );
    const policy = String(answer.headers["content-security-policy"]);
    assert.ok(policy.endsWith(`; frame-ancestors 'self' ${target.base} ${LISTED}`), policy);
  }
});

/**
 * Script that loads the files of a canvas in every way that is open to pages of other origins. Returns which of them loaded, and their
 * effects.
 */
const TAKE_IN = `async (root) => {
  const take = (tag, fields) => new Promise((end) => {
    const element = Object.assign(document.createElement(tag), fields);
    element.onload = () => end(tag + " loads");
    element.onerror = () => end(tag + " fails");
    document.body.append(element);
  });
  const style = await take("link", { rel: "stylesheet", href: root + "plan.css" });
  const taken = [
    await take("script", { src: root + "plan.js" }),
    style,
    await take("img", { src: root + "plan.svg" }),
    await fetch(root + "plan.js", { mode: "no-cors", credentials: "include" }).then(() => "fetch loads", () => "fetch fails"),
    await import(root + "plan.js?module").then(() => "import loads", () => "import fails"),
  ];
  return { taken, plan: globalThis.plan, colour: getComputedStyle(document.body).color };
}`;

/** Adds a frame to a page and returns the heading in it; null where the browser blocks it. */
async function shownIn(page: Page, url: string): Promise<string | null> {
  await page.evaluate(`new Promise((end) => {
    const frame = Object.assign(document.createElement("iframe"), { src: ${JSON.stringify(url)}, onload: end });
    document.body.append(frame);
  })`);
  const frame = page.frames().at(-1);
  return frame?.url() === url ? frame.locator("h1").innerText() : null;
}

/** Starts a server with an empty page under every host name; returns its port. */
async function startElsewhere(scope: Scope): Promise<number> {
  const server = http.createServer((_request, response) =>
    response.writeHead(200, { "content-type": "text/html", connection: "close" }).end("<body>"),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(scope, () => once(server.close(), "close"));
  return (server.address() as AddressInfo).port;
}

test("in a browser, a canvas can load nothing of another canvas that the user has opened", {
  skip: noFullBrowser,
}, async (t) => {
  const port = await startElsewhere(t);
  const settings = { SERVICE_FRAME_ANCESTORS: `http://intranet.localhost:${port}` };
  const site = await startSite(t, "subdomain", { settings });
  const { target, base, env } = site;
  const [victim, hostile, link] = [
    await stage(target),
    await stage(target, { access: "whole_org" }),
    await stage(target, { access: "public_link" }),
  ];
  const files = {
    "index.html": `<!doctype html><title>Plan</title><body><h1>Plan</h1><script src="/sdk/v1.js"></script>`,
    "plan.js": "globalThis.plan = 'secret'",
    "plan.css": "body { color: rgb(1, 2, 3) }",
    "plan.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`,
  };
  for (const each of [victim, hostile, link]) await publish(target, each, files);
  const context = await (await openBrowser(t, "full")).newContext();
  await enterAs(context, site, victim.people.owner);
  const page = await context.newPage();
  const addressOf = ({ slug }: Stage) => env.base.canvasUrl(slug);
  const takes = (from: Stage) => page.evaluate(`(${TAKE_IN})(${JSON.stringify(addressOf(from))})`);

  await page.goto(addressOf(victim));
  const own = { taken: ["script", "link", "img", "fetch", "import"].map((each) => `${each} loads`) };
  assert.deepEqual(await takes(victim), { ...own, plan: "secret", colour: "rgb(1, 2, 3)" });
  assert.equal(await shownIn(page, addressOf(victim)), "Plan");
  assert.equal(await page.evaluate("easel.me().then(({ email }) => email)"), victim.people.owner.email);

  await page.goto(addressOf(hostile));
  const none = { taken: own.taken.map((each) => each.replace("loads", "fails")) };
  assert.deepEqual(await takes(victim), { ...none, plan: undefined, colour: "rgb(0, 0, 0)" });
  assert.equal(await shownIn(page, addressOf(victim)), null);
  assert.equal(await page.evaluate("easel.me().then(({ email }) => email)"), victim.people.owner.email);

  // `/healthz` is an example of the base host's pages. It has no content security policy of its own, which might block the frame.
  await page.goto(`${base}/healthz`);
  assert.equal(await shownIn(page, addressOf(victim)), "Plan");
  // Browsers send no cookies to frames on other sites, so only public content can appear in these frames.
  await page.goto(`http://intranet.localhost:${port}/`);
  assert.equal(await shownIn(page, addressOf(link)), "Plan");
  await page.goto(`http://elsewhere.localhost:${port}/`);
  assert.equal(await shownIn(page, addressOf(link)), null);
});
