import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { NAVIGATES } from "@easel/conformance/browser";
import { freshSlug, type Stage, stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { pageUrl } from "@easel/conformance/page";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

const REMEDY = /built for the root of a host.*base: "\.\/"/s;
const PROGRAM: Header = ["Accept", "*/*"];

const { target } = await startDev({ after });
const hosts = (await startDev({ after }, { SERVICE_URL_MODE: "subdomain" })).target;

describe("a page that is built for the root of a host", () => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
    await publish(target, site, { "index.html": "home", "assets/app.js": "script" });
  });
  const get = async (path: string, headers: Header[], base = target.base) => {
    const answer = await send(base, { method: "GET", path, headers });
    assert.equal(answer.status, 404);
    assert.equal(answer.headers["cache-control"], "private, no-store");
    return answer;
  };
  const from = (slug: string, rest = ""): Header => ["Referer", pageUrl(target, slug) + rest];

  for (const path of ["/assets/app.js", "/assets/app.js?v=1", "/static/js/main.js", "/about"]) {
    it(`${path}: the remedy, as JSON for programs and as a page for people`, async () => {
      const program = await get(path, [PROGRAM, from(site.slug, "sub/page.html")]);
      assert.equal(program.json.code, "NOT_FOUND");
      assert.match(String(program.json.message), REMEDY);
      const person = await get(path, [NAVIGATES, from(site.slug)]);
      assert.match(person.headers["content-type"] ?? "", /^text\/html/);
      assert.match(person.text.replaceAll("&quot;", '"'), REMEDY);
    });
  }

  it("a private canvas and a missing canvas get the same response", async () => {
    const says = async (slug: string) => (await get("/assets/app.js", [PROGRAM, from(slug)])).json.message;
    assert.equal(await says(site.slug), await says(freshSlug()));
  });

  const others: [name: string, path: string, headers: Header[]][] = [
    ["no page", "/assets/app.js", []],
    ["a page of the service", "/assets/app.js", [["Referer", `${target.base}/`]]],
    ["a page of another host", "/assets/app.js", [["Referer", "https://example.com/c/some-canvas/"]]],
    ["an unknown page of the sign-in", "/auth/none", [["Referer", pageUrl(target, "some-canvas")]]],
    ["an unknown version", "/v1/none", [["Referer", pageUrl(target, "some-canvas")]]],
  ];
  for (const [name, path, headers] of others) {
    it(`${name}: the usual 404`, async () => {
      assert.doesNotMatch((await get(path, headers)).text, REMEDY);
    });
  }

  it("in subdomain mode the base host sends no remedy", async () => {
    const answer = await get("/assets/app.js", [["Referer", pageUrl(hosts, "some-canvas")]], hosts.base);
    assert.doesNotMatch(answer.text, REMEDY);
  });
});
