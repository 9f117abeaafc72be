import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { disable, mayPublish } from "../admin.ts";
import { amend, freshSlug, type Stage, stage } from "../fixture.ts";
import { type Header, send } from "../http.ts";
import { archive, expire, publish, remove, unpublish } from "../lifecycle.ts";
import { pageUrl } from "../page.ts";
import { parallel } from "../parallel.ts";
import { unauthenticated } from "../refusal.ts";
import type { Target } from "../target.ts";

type Change = (target: Target, canvas: Stage) => Promise<unknown>;
const published: Change = (target, canvas) => publish(target, canvas, "home");
const privately: Change = (target, canvas) => amend(target, canvas, { access: "private" });

/**
 * Each row has a name for the test, whether the SDK loads, and the changes that the test makes to a new canvas with a Public link. If
 * `loads` is true, the page of the changed canvas can load the SDK for an anonymous visitor.
 */
const STATES: [name: string, loads: boolean, ...changes: Change[]][] = [
  ["published", true, published],
  ["with a password", true, published, (target, canvas) => amend(target, canvas, { password: "assam tea" })],
  ["without a version", false],
  ["private", false, published, privately],
  ["Whole org", false, published, (target, canvas) => amend(target, canvas, { access: "whole_org" })],
  ["expired", false, published, expire],
  ["unpublished", false, published, unpublish],
  ["archived", false, published, archive],
  ["disabled", false, published, disable],
  ["deleted", false, published, remove],
  ["of an owner who may not", false, published, (to, { people }) => mayPublish(to, people.owner, false)],
];

/**
 * Tests that an anonymous visitor of a canvas with a Public link can load `GET /sdk/v1.js`. All other requests for it need a session
 * (specification 4.1, step 1).
 */
export function publicScript(target: Target): void {
  describe("GET /sdk/v1.js for an anonymous page of a Public link", () => {
    let canvases: Stage[];
    before(async () => {
      canvases = await parallel(
        STATES,
        async ([, , ...changes]) => {
          const canvas = await stage(target, { access: "public_link" });
          for (const change of changes) await change(target, canvas);
          return canvas;
        },
        8,
      );
    });
    const get = (headers: Header[]) =>
      send(target.base, { method: "GET", path: "/sdk/v1.js", headers: [["Accept", "*/*"], ...headers] });

    for (const [index, [name, loads]] of STATES.entries()) {
      it(`${name}: ${loads ? "the script" : "the gateway's refusal"}`, async () => {
        const page = pageUrl(target, canvases[index]?.slug ?? "");
        const answers = await Promise.all(
          [page, `${page}?a=1`, `${page}sub/app.js`].map((from) => get([["Referer", from]])),
        );
        for (const answer of answers) {
          if (!loads) unauthenticated(answer, target);
          else assert.ok([200, 503].includes(answer.status), answer.text.slice(0, 300));
          assert.equal(answer.headers["set-cookie"], undefined);
        }
      });
    }

    it("a Referer that is no page of a canvas: the gateway's refusal", async () => {
      const [open] = canvases as [Stage];
      const foreign: Header[] = [
        ["Referer", ""],
        ["Referer", "about:blank"],
        ["Referer", target.base],
        ["Referer", `${target.base}/`],
        ["Referer", `${target.base}/v1/c/${open.slug}/`],
        ["Referer", `https://example.com/c/${open.slug}/`],
        ["Referer", `https://${open.slug}.example.com/`],
        ["Referer", `${target.base}.example.com/c/${open.slug}/`],
        ["Referer", pageUrl(target, freshSlug())],
        ["Origin", new URL(pageUrl(target, open.slug)).origin],
      ];
      for (const header of foreign) unauthenticated(await get([header]), target);
    });
  });
}
