import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { freshSlug, type Stage, stage } from "../fixture.ts";
import type { Header } from "../http.ts";
import { pageOrigin } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { knock } from "./handshake.ts";

/**
 * The values from which the rows of the tables below make their headers. `slug` and `own` are the slug and the origin of the tested canvas;
 * `foreign` is the origin of another canvas.
 */
interface Place {
  base: string;
  slug: string;
  own: string;
  foreign: string;
}

type Row = [name: string, code: ErrorCode | "passes", headers: (place: Place) => Header[]];

const site = (value: string, code: Row[1]): Row => [
  `Sec-Fetch-Site: ${value}`,
  code,
  () => [["Sec-Fetch-Site", value]],
];

const PATH_ROWS: Row[] = [
  ["nothing said", "passes", () => []],
  site("same-origin", "passes"),
  site("none", "passes"),
  site("same-site", "CROSS_SITE_FORBIDDEN"),
  site("cross-site", "CROSS_SITE_FORBIDDEN"),
  site("Same-Origin", "CROSS_SITE_FORBIDDEN"),
  site("websocket", "CROSS_SITE_FORBIDDEN"),
  [
    "Sec-Fetch-Site twice",
    "CROSS_SITE_FORBIDDEN",
    () => [
      ["Sec-Fetch-Site", "same-origin"],
      ["Sec-Fetch-Site", "cross-site"],
    ],
  ],
  ["its own Origin", "passes", ({ base }) => [["Origin", base]]],
  ["the Origin of another site", "CROSS_SITE_FORBIDDEN", () => [["Origin", "https://elsewhere.example"]]],
  ["Origin: null", "CROSS_SITE_FORBIDDEN", () => [["Origin", "null"]]],
  ["its own Referer", "passes", ({ base, slug }) => [["Referer", `${base}/c/${slug}/`]]],
  [
    "the Referer of another canvas",
    "CROSS_CANVAS_FORBIDDEN",
    ({ base }) => [["Referer", `${base}/c/${freshSlug()}/`]],
  ],
  [
    "the Referer of a longer slug",
    "CROSS_CANVAS_FORBIDDEN",
    ({ base, slug }) => [["Referer", `${base}/c/${slug}x/`]],
  ],
  [
    "a Referer whose dots lead to another canvas",
    "CROSS_CANVAS_FORBIDDEN",
    ({ base, slug }) => [["Referer", `${base}/c/${slug}/../${freshSlug()}/`]],
  ],
  ["a Referer that is no address", "CROSS_CANVAS_FORBIDDEN", () => [["Referer", "not an address"]]],
];

const SUBDOMAIN_ROWS: Row[] = [
  ["no Origin", "passes", () => []],
  ["its own Origin", "passes", ({ own }) => [["Origin", own]]],
  ["the Origin of another canvas", "CROSS_CANVAS_FORBIDDEN", ({ foreign }) => [["Origin", foreign]]],
  ["the Origin of the base", "CROSS_CANVAS_FORBIDDEN", ({ base }) => [["Origin", base]]],
  ["Origin: null", "CROSS_CANVAS_FORBIDDEN", () => [["Origin", "null"]]],
  ["an empty Origin", "CROSS_CANVAS_FORBIDDEN", () => [["Origin", ""]]],
  ["its own Origin as ws:", "CROSS_CANVAS_FORBIDDEN", ({ own }) => [["Origin", own.replace("http", "ws")]]],
  ["its own Origin with a slash", "CROSS_CANVAS_FORBIDDEN", ({ own }) => [["Origin", `${own}/`]]],
  ["its own Origin in other case", "CROSS_CANVAS_FORBIDDEN", ({ own }) => [["Origin", own.toUpperCase()]]],
  [
    "its own Origin with another port",
    "CROSS_CANVAS_FORBIDDEN",
    ({ own }) => [["Origin", own.replace(/(:\d+)?$/, ":1")]],
  ],
  [
    "its own Origin and a second, foreign one",
    "CROSS_CANVAS_FORBIDDEN",
    ({ own, foreign }) => [
      ["Origin", own],
      ["Origin", foreign],
    ],
  ],
  ["a foreign site", "CROSS_CANVAS_FORBIDDEN", () => [["Origin", "https://elsewhere.example"]]],
  [
    "a foreign site in the old header only",
    "passes",
    () => [["Sec-WebSocket-Origin", "https://elsewhere.example"]],
  ],
  site("cross-site", "passes"),
];

/**
 * Tests that a page can open the realtime connection of its own canvas, but not that of another canvas. The service refuses the handshake
 * of a foreign page with 403 (specification 4.1, step 4).
 */
export function origins(target: Target): void {
  describe(`the origin of a handshake in ${target.urlMode} mode`, () => {
    let canvas: Stage;
    let dark: Stage;
    before(async () => {
      canvas = await stage(target);
      dark = await stage(target, { people: canvas.people, switches: { backendEnabled: false } });
    });
    const placeOf = (slug: string): Place => ({
      base: target.base,
      slug,
      own: pageOrigin(target, slug),
      foreign: pageOrigin(target, freshSlug()),
    });

    for (const [name, code, headers] of target.urlMode === "path" ? PATH_ROWS : SUBDOMAIN_ROWS) {
      it(`${name}: ${code}`, async () => {
        // The origin is checked before the capability, so the refusal is the same if the capability is off.
        for (const { slug, people } of code === "passes" ? [canvas] : [canvas, dark]) {
          const answer = await knock(target, slug, people.owner, { headers: headers(placeOf(slug)) });
          if (code === "passes") assert.equal(answer.status, 101, answer.text);
          else refused(answer, 403, code);
        }
      });
    }

    it("access comes before isolation", async () => {
      const headers: Header[] = [
        ["Origin", pageOrigin(target, freshSlug())],
        ["Sec-Fetch-Site", "cross-site"],
      ];
      const { slug, people } = canvas;
      refused(await knock(target, slug, people.stranger, { headers }), 404, "OWNER_ONLY");
      refused(await knock(target, freshSlug(), people.owner, { headers }), 404, "NOT_FOUND");
    });
  });
}
