import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { parallel } from "@easel/conformance/parallel";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { tokenHash } from "../../src/crypto/ids.ts";
import { HandOver, jar, NAVIGATES } from "../sign-in/hand-over.ts";
import { tokenOf, whoAmI } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";
import { tamper } from "../support/tamper.ts";
import { answersIn, wire } from "../support/wire.ts";

/*
 * Tests that the base host and the hosts of canvases accept nothing from each other but the hand-over: the redirects that sign a browser in
 * at a canvas host.
 */

/** Invalid queries, for which the base host issues no code for the host of a canvas. */
const BAD_STARTS: [name: string, query: string][] = [
  ["nothing", ""],
  ["no slug", "challenge={challenge}&to=/"],
  ["no challenge", "slug={slug}&to=/"],
  ["an empty challenge", "slug={slug}&challenge="],
  ["a short challenge", "slug={slug}&challenge=abc"],
  ["a challenge with something added", "slug={slug}&challenge={challenge}A"],
  ["a challenge with a NUL", "slug={slug}&challenge={challenge}%00"],
  ["a slug with a dot", "slug=evil.example&challenge={challenge}"],
  ["a slug with a slash", "slug=evil.example/&challenge={challenge}"],
  ["a slug with an at sign", "slug=evil@{slug}&challenge={challenge}"],
  ["a slug in punycode", "slug=xn--a&challenge={challenge}"],
  ["a slug in capitals", "slug=GUESTBOOK&challenge={challenge}"],
  ["a slug with a line break", "slug={slug}%0d%0a&challenge={challenge}"],
  ["a list of slugs, the first of them bad", "slug=a.b&slug={slug}&challenge={challenge}"],
];

const { target } = await startDev({ after }, { SERVICE_URL_MODE: "subdomain" });
const { base } = target;

describe("the base host and the hosts of canvases", () => {
  const way = new HandOver(base);
  let site: Stage;
  let other: Stage;
  before(async () => {
    site = await stage(target);
    other = await stage(target, { people: site.people });
    for (const each of [site, other]) await publish(target, each, { "index.html": each.slug });
  });
  const canvasOrigin = (slug = site.slug) => base.replace("://", `://${slug}.`);
  const shows = async (slug: string, ...pairs: string[]) => {
    const answer = await way.at(slug, "/", [jar(...pairs)]);
    assert.deepEqual([answer.status, answer.text], [200, slug]);
  };
  const shut = async (slug: string, ...pairs: string[]) => {
    unauthenticated(await way.at(slug, "/", [jar(...pairs)]));
    assert.equal((await way.at(slug, "/", [...NAVIGATES, jar(...pairs)])).status, 302);
  };

  for (const [name, query] of BAD_STARTS) {
    it(`no code for ${name}: 404`, async () => {
      const filled = query.replace("{slug}", site.slug).replace("{challenge}", tokenHash("x"));
      const answer = await send(base, {
        method: "GET",
        path: `/auth/canvas?${filled}`,
        headers: site.people.viewer.headers,
      });
      refused(answer, 404, "NOT_FOUND");
    });
  }

  it("a cookie of one canvas is invalid at another, and at the base host", async () => {
    const cookie = await way.through(site.slug, site.people.viewer.headers);
    const value = cookie.split("=")[1];
    await shows(site.slug, cookie);
    await shut(other.slug, cookie);
    for (const pair of [cookie, `easel_session=${value}`]) {
      unauthenticated(await whoAmI(base, [jar(pair)]));
      const path = `/v1/c/${site.slug}/me`;
      unauthenticated(await send(base, { method: "GET", path, headers: [jar(pair)] }));
    }
  });

  it("the session cookie is invalid at the host of a canvas", async () => {
    const token = tokenOf(site.people.owner);
    await shut(site.slug, `easel_session=${token}`);
    await shut(site.slug, `easel_content=${token}`);
    await shut(site.slug, `__Host-easel_session=${token}`);
  });

  it("a changed cookie is invalid", async () => {
    const cookie = await way.through(site.slug, site.people.viewer.headers);
    await tamper(cookie.replace("easel_content=", ""), async (changed) => {
      unauthenticated(await way.at(site.slug, "/", [jar(`easel_content=${changed}`)]));
    });
    await shows(site.slug, cookie);
  });

  it("one valid cookie of several suffices, in any position", async () => {
    const cookie = await way.through(site.slug, site.people.viewer.headers);
    const bad = ["easel_content=", "easel_content=a.b.c", `${cookie}A`];
    for (const pairs of [
      [cookie, ...bad],
      [...bad, cookie],
    ])
      await shows(site.slug, ...pairs);
    await shut(site.slug, ...bad);
  });

  it("`{base}/c/{slug}` redirects to the canvas's own host: 308", async () => {
    for (const [path, to] of [
      ["", "/"],
      ["/", "/"],
      ["/a%20b.txt", "/a%20b.txt"],
      ["/x/?y=1&z=/", "/x/?y=1&z=/"],
      ["?y=1", "/?y=1"],
      ["//evil.example/", "//evil.example/"],
      ["/../../", "/../../"],
    ] as const) {
      const answer = await send(base, { method: "GET", path: `/c/${site.slug}${path}`, headers: NAVIGATES });
      assert.deepEqual([answer.status, answer.headers.location], [308, canvasOrigin() + to], path);
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  });

  for (const folder of ["/c", "/%63", "/%43", "/C", "//c", "/c/.", "/./c", "/c%2f", "/x/../c", "/c;a"]) {
    it(`the base host serves no page of a canvas, also not at ${folder}/{slug}/`, async () => {
      const link = await stage(target, { people: site.people, access: "public_link" });
      await publish(target, link, { "index.html": "<script>evil()</script>" });
      for (const headers of [[], NAVIGATES, site.people.viewer.headers]) {
        for (const method of ["GET", "HEAD"]) {
          const path = `${folder}/${link.slug}/`;
          const answer = await send(base, { method, path, headers });
          assert.notEqual(answer.status, 200, `${method} ${path}`);
          assert.doesNotMatch(answer.text, /evil/);
          assert.equal(answer.headers.etag, undefined);
        }
      }
      const gate = await send(base, { method: "POST", path: `${folder}/${link.slug}/__gate` });
      assert.notEqual(gate.status, 303);
    });
  }

  const lines = samples("redirect")?.flatMap(({ bytes }) => bytes.toString("utf8").split("\n"));
  it("`to` never leads to another origin, for every entry of a corpus of open redirects", {
    skip: lines === undefined && ABSENT,
  }, async () => {
    const { origin } = new URL(canvasOrigin());
    const begun = await way.begin(site.slug);
    const tries = [
      ...(lines ?? []),
      "//evil.example",
      "/\\evil.example",
      `${base}/`,
      `${canvasOrigin(other.slug)}/`,
    ];
    assert.ok(tries.length > 500);
    const landing = (to: string, from: string) => {
      const url = URL.parse(to, from);
      assert.ok(url !== null && url.origin === origin, `${to} at ${from}`);
      assert.equal(url.username + url.password, "");
      assert.doesNotMatch(to, /^\/[/\\]/);
      return to;
    };
    await parallel(tries, async (line) => {
      const asked = new URL(begun.url);
      asked.searchParams.set("to", line);
      const passed = await way.pass(asked, site.people.viewer.headers);
      assert.equal(passed.url.origin, origin, line);
      landing(passed.url.searchParams.get("to") ?? "", canvasOrigin());
      // A client may change the query of the redirect before it follows the redirect.
      const search = new URL(passed.url);
      search.searchParams.set("to", line);
      const entered = await way.enter(site.slug, search, begun.secret);
      assert.equal(entered.status, 303, line);
      landing(String(entered.headers.location), canvasOrigin());
    });
  });

  it("a canvas host passes only paths of its own to the base host", async () => {
    for (const path of [
      "//evil.example/",
      "/\\evil.example",
      "/%2f%2fevil.example",
      "/.//evil.example",
      "/@evil.example",
    ]) {
      const begun = await way.begin(site.slug, path);
      const { url } = await way.pass(begun.url, site.people.viewer.headers);
      const entered = await way.enter(site.slug, url, begun.secret);
      const to = new URL(String(entered.headers.location), canvasOrigin());
      assert.equal(to.origin, canvasOrigin(), path);
    }
  });

  it("a request target in absolute form does not change where a redirect leads", async () => {
    const link = await stage(target, { people: site.people, access: "public_link" });
    await publish(target, link, { "index.html": "<script>evil()</script>" });
    const cookie = `Cookie: ${site.people.owner.headers[0]?.[1]}\r\n`;
    const { host } = new URL(base);
    const own = new URL(canvasOrigin(link.slug)).host;
    const get = async (url: string, name: string) => {
      const request = `GET ${url} HTTP/1.1\r\nHost: ${name}\r\n${cookie}Connection: close\r\n\r\n`;
      return answersIn(await wire(base, request))[0];
    };
    for (const url of [`http://${host}/c/${link.slug}/`, `http://${own}/c/${link.slug}/`]) {
      const answer = await get(url, host);
      assert.ok(answer !== undefined && answer.status !== 200, url);
      assert.doesNotMatch(answer.body, /evil/);
    }
    for (const path of ["/api/me", "/api/canvases", `/v1/c/${link.slug}/me`, "/auth/login"]) {
      const answer = await get(`http://${own}${path}`, own);
      assert.notEqual(answer?.status, 200, path);
    }
  });

  it("the management API accepts no cookie of a canvas host and no request of its pages", async () => {
    const cookie = await way.through(site.slug, site.people.owner.headers);
    unauthenticated(
      await manage(target, { ...site.people.owner, headers: [jar(cookie)] }, "GET", "/api/canvases"),
    );
    const answer = await send(base, {
      method: "DELETE",
      path: `/api/canvases/${site.id}`,
      headers: [...site.people.owner.headers, ["Origin", canvasOrigin()]],
    });
    refused(answer, 403, "CROSS_SITE_FORBIDDEN");
  });
});
