import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { disable } from "@easel/conformance/admin";
import { type Setup, type Stage, stage } from "@easel/conformance/fixture";
import type { Answer, Header } from "@easel/conformance/http";
import { archive, remove, unpublish } from "@easel/conformance/lifecycle";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { HandOver, jar } from "../sign-in/hand-over.ts";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

/** The header that browsers send with the script of a service worker. */
const WORKER: Header = ["Service-Worker", "script"];
const FILES = {
  "index.html": "home",
  "404.html": "lost",
  "sw.js": "own worker",
  "folder.js/index.html": "folder",
};

/** Returns what a caller can see of a response, except what differs between any two. */
const seen = ({ status, text, headers: { date, "x-request-id": id, ...headers } }: Answer) => ({
  status,
  text,
  headers,
});

/** Canvases that refuse the viewer, and what is done to them. */
const CLOSED: [name: string, setup: Setup, act?: (canvas: Stage) => Promise<unknown>][] = [
  ["archived", {}, (canvas) => archive(target, canvas)],
  ["disabled", {}, (canvas) => disable(target, canvas)],
  ["deleted", {}, (canvas) => remove(target, canvas)],
  ["unpublished", {}, (canvas) => unpublish(target, canvas)],
  ["with a password", { terms: { password: "open, sesame" } }],
];

const { target } = await startDev({ after });

describe("the script of a service worker", () => {
  let site: Stage;
  let retired: ReturnType<typeof seen>;
  const ask = async (slug: string, person: Person | null, path = "sw.js") =>
    seen(await visit(target, slug, person, path, [WORKER]));
  before(async () => {
    site = await stage(target);
    await publish(target, site, FILES);
    retired = await ask("no-such-canvas", site.people.viewer);
  });

  it("that the canvas has is served", async () => {
    const { status, text, headers } = await ask(site.slug, site.people.viewer);
    assert.deepEqual([status, text, headers["cache-control"]], [200, "own worker", "private, no-cache"]);
  });

  it("that does not exist is a worker that unregisters itself, and is not stored", () => {
    assert.deepEqual(
      [retired.status, retired.headers["content-type"], retired.headers["cache-control"]],
      [200, "text/javascript; charset=utf-8", "no-store"],
    );
    assert.match(retired.text, /registration\.unregister\(\)/);
  });

  it("is the same to everyone who does not get one of the canvas", async () => {
    const { owner, viewer, stranger } = site.people;
    for (const [person, path] of [
      [owner, "old.js"],
      [viewer, "old.js"],
      [viewer, "a/b/old.js"],
      [viewer, "folder.js"],
      [viewer, ".env.js"],
      [stranger, "sw.js"],
      [null, "sw.js"],
    ] as const)
      assert.deepEqual(await ask(site.slug, person, path), retired, path);
    assert.deepEqual(await ask("Not-A-Slug", viewer), retired);
    assert.deepEqual(await ask((await stage(target)).slug, viewer), retired, "a draft, and a stranger");
  });

  for (const [name, setup, act] of CLOSED) {
    it(`is the same for a canvas that is ${name}`, async () => {
      const canvas = await stage(target, setup);
      await publish(target, canvas, FILES);
      await act?.(canvas);
      assert.deepEqual(await ask(canvas.slug, canvas.people.viewer), retired);
    });
  }

  it("without the header, other requests are refused as before", async () => {
    refused(await visit(target, site.slug, site.people.stranger, "sw.js"), 404, "OWNER_ONLY");
    assert.equal((await visit(target, site.slug, site.people.viewer, "old.js")).text, "lost");
    const other: Header[] = [["Service-Worker", "other"]];
    refused(await visit(target, site.slug, site.people.stranger, "sw.js", other), 404, "OWNER_ONLY");
  });
});

describe("a canvas host whose slug has passed to another canvas", async () => {
  const { target: subdomain, env } = await startDev({ after }, { SERVICE_URL_MODE: "subdomain" });
  const way = new HandOver(subdomain.base);
  const DOCUMENT: Header = ["Sec-Fetch-Dest", "document"];
  const CLEARS = '"storage"';
  let former: Stage;
  let canvas: Stage;
  let session: string;
  /** The cookie of a browser that has loaded the page of the former canvas. */
  let mark: string;
  const at = (slug: string, pairs: string[], headers: Header[] = [], path = "/") =>
    way.at(slug, path, [jar(...pairs), ...headers]);
  const marksOf = ({ headers }: Answer) =>
    (headers["set-cookie"] ?? []).flatMap((each) => each.match(/^easel_canvas=[^;]+/)?.[0] ?? []);
  before(async () => {
    former = await stage(subdomain);
    await publish(subdomain, former, FILES);
    session = await way.through(former.slug, former.people.viewer.headers);
    [mark = assert.fail()] = marksOf(await at(former.slug, [session], [DOCUMENT]));
    canvas = await stage(subdomain, { people: former.people });
    await publish(subdomain, canvas, { "index.html": "new", "404.html": "lost", "a.js": "a" });
    const free = `former-${former.slug}`;
    await env.db.run`update canvases set slug = ${free} where id = ${former.id}`;
    await env.db.run`update canvases set slug = ${former.slug} where id = ${canvas.id}`;
  });

  it("clears storage and workers of the former one, with every kind of request, also after the session", async () => {
    const { slug } = former;
    const rows: [pairs: string[], headers: Header[], path: string, status: number][] = [
      [[session, mark], [DOCUMENT], "/", 200],
      [[session, mark], [], "/", 200],
      [[session, mark], [["Sec-Fetch-Dest", "script"]], "/a.js", 200],
      [[session, mark], [["Sec-Fetch-Dest", "serviceworker"], WORKER], "/a.js", 200],
      [[session, mark], [DOCUMENT], "/missing", 404],
      [[session, "easel_canvas=forged.x", mark], [DOCUMENT], "/", 200],
    ];
    for (const [pairs, headers, path, status] of rows) {
      const answer = await at(slug, pairs, headers, path);
      assert.deepEqual([answer.status, answer.headers["clear-site-data"]], [status, CLEARS], path);
      const next = marksOf(answer);
      assert.equal(next.length, 1);
      assert.equal((await at(slug, [session, ...next], headers, path)).headers["clear-site-data"], undefined);
    }
    await env.db.run`delete from sessions`;
    const again = await way.through(slug, (await subdomain.signIn(canvas.people.viewer.email)).headers);
    assert.equal((await at(slug, [again, mark], [DOCUMENT])).headers["clear-site-data"], CLEARS);
    session = again;
  });

  it("clears nothing for a cookie that is missing, forged, or of another host", async () => {
    const { slug } = former;
    const [, value = ""] = mark.split("=");
    const [id, signature] = value.split(".");
    for (const pair of [
      "easel_canvas=",
      `easel_canvas=${canvas.id}.${signature}`,
      `${mark}.x`,
      `easel_canvas=${id}`,
    ]) {
      const answer = await at(slug, [session, pair], [DOCUMENT]);
      assert.deepEqual([answer.status, answer.headers["clear-site-data"]], [200, undefined]);
      assert.equal(marksOf(answer).length, 1);
    }
    const other = await stage(subdomain);
    await publish(subdomain, other, FILES);
    const entered = await way.through(other.slug, other.people.viewer.headers);
    assert.equal((await at(other.slug, [entered, mark], [DOCUMENT])).headers["clear-site-data"], undefined);
  });

  it("sets the cookie with a page only, and reveals nothing to people without access", async () => {
    const { slug } = former;
    assert.deepEqual(marksOf(await at(slug, [session], [["Sec-Fetch-Dest", "script"]], "/a.js")), []);
    const refusal = await at(slug, [mark], [DOCUMENT]);
    assert.equal(refusal.headers["clear-site-data"], undefined);
    assert.deepEqual(marksOf(refusal), []);
    const retired = seen(await at("no-such-canvas", [mark], [WORKER], "/sw.js"));
    for (const pairs of [[mark], [session, mark]])
      assert.deepEqual(seen(await at(slug, pairs, [WORKER], "/sw.js")), retired);
  });
});

it("in path mode, no response clears storage", async () => {
  const site = await stage(target);
  await publish(target, site, FILES);
  const { headers } = await visit(target, site.slug, site.people.viewer, "", [
    ["Sec-Fetch-Dest", "document"],
  ]);
  assert.doesNotMatch(String(headers["set-cookie"]), /easel_canvas/);
  assert.equal(headers["clear-site-data"], undefined);
});
