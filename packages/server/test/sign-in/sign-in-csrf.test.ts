import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { FORM, JSON_TYPE, whoAmI } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";
import { zip } from "../support/zip.ts";

const { target, env } = await startDev({ after });
const { base } = target;
const { host, port } = new URL(base);

/** Headers that a browser adds to a request from a page of another origin. */
const FOREIGN: [name: string, headers: Header[]][] = [
  ["Sec-Fetch-Site: cross-site", [["Sec-Fetch-Site", "cross-site"]]],
  ["Sec-Fetch-Site: same-site", [["Sec-Fetch-Site", "same-site"]]],
  ["an unknown Sec-Fetch-Site", [["Sec-Fetch-Site", "other"]]],
  ["another site's Origin", [["Origin", "https://example.com"]]],
  ["Origin: null", [["Origin", "null"]]],
  ["the Origin of another port", [["Origin", `http://localhost:${Number(port) - 1}`]]],
  ["the Origin of another scheme", [["Origin", `https://${host}`]]],
  ["an Origin that begins alike", [["Origin", `${base}.example.com`]]],
  ["an Origin with a path", [["Origin", `${base}/`]]],
  [
    "an own Origin on a foreign site",
    [
      ["Origin", base],
      ["Sec-Fetch-Site", "cross-site"],
    ],
  ],
  ["a canvas page's Referer", [["Referer", `${base}/c/some-canvas/`]]],
  [
    "a canvas page's Referer and an own Origin",
    [
      ["Referer", `${base}/c/some-canvas/a?b`],
      ["Origin", base],
    ],
  ],
  ["the Referer /c", [["Referer", `${base}/c`]]],
  ["a Referer by a way around", [["Referer", `${base}/api/../c/some-canvas/`]]],
  ["a Referer that is no URL", [["Referer", "/c/some-canvas/"]]],
  ["an empty Referer", [["Referer", ""]]],
  [
    "a Referer with an encoded letter, which is served alike",
    [
      ["Referer", `${base}/%63/some-canvas/`],
      ["Origin", base],
    ],
  ],
];

/** Headers of requests from the service's own pages and from clients other than browsers. */
const OWN: [name: string, headers: Header[]][] = [
  ["nothing", []],
  ["Sec-Fetch-Site: same-origin", [["Sec-Fetch-Site", "same-origin"]]],
  ["Sec-Fetch-Site: none", [["Sec-Fetch-Site", "none"]]],
  [
    "the own Origin",
    [
      ["Origin", base],
      ["Sec-Fetch-Site", "same-origin"],
    ],
  ],
  [
    "the Referer of an own page",
    [
      ["Referer", `${base}/auth/login?returnTo=/c/x/`],
      ["Origin", base],
    ],
  ],
];

describe("cross-site requests", () => {
  let site: Stage;
  let person: Person;
  let acts: [method: string, path: string, type: Header, body: string | Buffer][];
  before(async () => {
    site = await stage(target);
    person = site.people.owner;
    const version = await publish(target, site, { "index.html": "home" });
    const canvas = `/api/canvases/${site.id}`;
    acts = [
      ["POST", "/auth/logout", JSON_TYPE, ""],
      ["POST", "/auth/dev/session", JSON_TYPE, JSON.stringify({ email: freshEmail("foreign") })],
      ["POST", "/auth/login", FORM, `email=${freshEmail("foreign")}`],
      ["POST", "/api/canvases", JSON_TYPE, '{"title":"Foreign"}'],
      [
        "PUT",
        `${canvas}/bundle`,
        ["Content-Type", "application/zip"],
        await zip({ "index.html": "foreign" }),
      ],
      ["POST", `${canvas}/versions/${version}/publish`, JSON_TYPE, ""],
      ["PUT", `${canvas}/sharing`, JSON_TYPE, '{"access":"whole_org"}'],
      ["PATCH", `${canvas}/capabilities`, JSON_TYPE, '{"kv":false}'],
      ["DELETE", canvas, JSON_TYPE, ""],
      ["POST", "/api/none", JSON_TYPE, "{}"],
    ];
  });

  /** Returns the state that these requests would change. */
  const state = async () => ({
    canvases: await env.db
      .all`select id, updated_at, version_id, access, kv, deleted_at from canvases order by id`,
    sessions: await env.db.all`select id from sessions order by id`,
    people: await env.db.all`select email from users order by email`,
  });

  for (const [name, headers] of FOREIGN) {
    it(`${name}: every act is 403 CROSS_SITE_FORBIDDEN and changes nothing`, async () => {
      const asItWas = await state();
      for (const [method, path, type, body] of acts) {
        const answer = await send(base, {
          method,
          path,
          headers: [...person.headers, type, ...headers],
          body,
        });
        refused(answer, 403, "CROSS_SITE_FORBIDDEN");
        assert.equal(answer.headers["set-cookie"], undefined, path);
      }
      assert.deepEqual(await state(), asItWas);
    });

    it(`${name}: reading is allowed, but no other page can read the response`, async () => {
      const answer = await whoAmI(base, [...person.headers, ...headers]);
      assert.equal(answer.status, 200);
      const cors = Object.keys(answer.headers).filter((each) => each.startsWith("access-control-"));
      assert.deepEqual(cors, []);
    });
  }

  it("a preflight of another origin is granted nothing", async () => {
    const headers: Header[] = [
      ["Origin", "https://example.com"],
      ["Access-Control-Request-Method", "PUT"],
    ];
    for (const [, path] of acts) {
      const answer = await send(base, { method: "OPTIONS", path, headers: [...person.headers, ...headers] });
      assert.equal(answer.headers["access-control-allow-origin"], undefined, path);
      assert.equal(answer.headers["access-control-allow-methods"], undefined, path);
    }
  });

  for (const [name, headers] of OWN) {
    it(`${name}: allowed`, async () => {
      for (const [method, path, type, body] of acts.slice(1)) {
        const answer = await send(base, {
          method,
          path,
          headers: [...person.headers, type, ...headers],
          body,
        });
        assert.notEqual(answer.status, 403, answer.text);
      }
      const leaving = await target.signIn(freshEmail("leaving"));
      const out = await send(base, {
        method: "POST",
        path: "/auth/logout",
        headers: [...leaving.headers, ...headers],
      });
      assert.equal(out.status, 204);
    });
  }
});
