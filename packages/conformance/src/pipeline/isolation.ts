import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { readableFrom, unreadable, variesByOrigin, withoutCors } from "../cors.ts";
import { freshSlug, type Stage, stage } from "../fixture.ts";
import type { Header } from "../http.ts";
import { call, JSON_TYPE, pageOrigin } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";

/**
 * The values from which a test row builds the headers of a request. `slug` and `own` are the slug and the origin of the canvas to which the
 * request is sent. `other` and `foreign` are the slug and the origin of another canvas.
 */
interface Place {
  base: string;
  slug: string;
  other: string;
  own: string;
  foreign: string;
}

interface Row {
  name: string;
  headers: (place: Place) => Header[];
  code: ErrorCode | "passes";
}

const PATH_ROWS: Row[] = [
  { name: "neither header", headers: () => [], code: "passes" },
  ...site("same-origin", "passes"),
  ...site("none", "passes"),
  ...site("same-site", "CROSS_SITE_FORBIDDEN"),
  ...site("cross-site", "CROSS_SITE_FORBIDDEN"),
  ...site("Same-Origin", "CROSS_SITE_FORBIDDEN"),
  ...site("same-origin-ish", "CROSS_SITE_FORBIDDEN"),
  ...site("same-origin, cross-site", "CROSS_SITE_FORBIDDEN"),
  ...site("garbage", "CROSS_SITE_FORBIDDEN"),
  {
    name: "Sec-Fetch-Site twice",
    headers: () => [
      ["Sec-Fetch-Site", "same-origin"],
      ["Sec-Fetch-Site", "cross-site"],
    ],
    code: "CROSS_SITE_FORBIDDEN",
  },
  ...referer("passes", {
    "the page": ({ base, slug }) => `${base}/c/${slug}/`,
    "the page without its slash": ({ base, slug }) => `${base}/c/${slug}`,
    "the page with a query": ({ base, slug }) => `${base}/c/${slug}?q=/c/x/`,
    "beneath the page": ({ base, slug }) => `${base}/c/${slug}/a/b.html?q=1`,
    "dots that stay beneath the page": ({ base, slug }) => `${base}/c/${slug}/a/../b`,
    "dots that lead to the page": ({ base, slug, other }) => `${base}/c/${other}/../${slug}/`,
    "the right path on another origin, since only the path counts": ({ slug }) =>
      `https://elsewhere.example/c/${slug}/`,
  }),
  ...referer("CROSS_CANVAS_FORBIDDEN", {
    "another canvas": ({ base, other }) => `${base}/c/${other}/`,
    "a longer slug": ({ base, slug }) => `${base}/c/${slug}x`,
    "a page of a longer slug": ({ base, slug }) => `${base}/c/${slug}x/`,
    "a shorter slug": ({ base, slug }) => `${base}/c/${slug.slice(0, -1)}/`,
    "dots to another canvas": ({ base, slug, other }) => `${base}/c/${slug}/../${other}/`,
    "encoded dots to another canvas": ({ base, slug, other }) => `${base}/c/${slug}/%2e%2E/${other}/`,
    "backslash dots to another canvas": ({ base, slug, other }) => `${base}/c/${slug}\\..\\${other}/`,
    "the slug in upper case": ({ base, slug }) => `${base}/c/${slug.toUpperCase()}/`,
    "the slug in the query only": ({ base, slug }) => `${base}/?/c/${slug}/`,
    "the slug in the fragment only": ({ base, slug }) => `${base}/#/c/${slug}/`,
    "the slug as the host": ({ slug }) => `http://c/${slug}/`,
    "beneath another folder": ({ base, slug }) => `${base}/x/c/${slug}/`,
    "the base": ({ base }) => `${base}/`,
    "all canvases": ({ base }) => `${base}/c/`,
    "the API of the canvas": ({ base, slug }) => `${base}/v1/c/${slug}/me`,
    "an opaque address": () => "about:blank",
    "not an address": () => "not an address",
    "an address without a host": () => "http://",
  }),
  {
    name: "a cross-site request with its own Referer",
    headers: ({ base, slug }) => [
      ["Sec-Fetch-Site", "cross-site"],
      ["Referer", `${base}/c/${slug}/`],
    ],
    code: "CROSS_SITE_FORBIDDEN",
  },
  {
    name: "a same-origin request of another canvas",
    headers: ({ base, other }) => [
      ["Sec-Fetch-Site", "same-origin"],
      ["Referer", `${base}/c/${other}/`],
    ],
    code: "CROSS_CANVAS_FORBIDDEN",
  },
  ...origins("passes", {
    "the base: Origin has no say in path mode": ({ base }) => base,
    "a foreign one: Origin has no say in path mode": () => "https://elsewhere.example",
    "null: Origin has no say in path mode": () => "null",
  }),
];

const SUBDOMAIN_ROWS: Row[] = [
  { name: "no Origin", headers: () => [], code: "passes" },
  ...origins("passes", { "its own": ({ own }) => own }),
  ...origins("CROSS_CANVAS_FORBIDDEN", {
    "another canvas": ({ foreign }) => foreign,
    "the base": ({ base }) => base,
    null: () => "null",
    nothing: () => "",
    "its own in other case": ({ own }) => own.toUpperCase(),
    "its own with the slug in other case": ({ own, slug }) => own.replace(slug, slug.toUpperCase()),
    "its own with a slash": ({ own }) => `${own}/`,
    "its own with a path": ({ own, slug }) => `${own}/c/${slug}`,
    "its own with a host after it": ({ own }) => `${own}.elsewhere.example`,
    "its own with a user before it": ({ own }) => own.replace("://", "://user@"),
    "its own as a user": ({ own }) => `${own}@elsewhere.example`,
    "its own with the other scheme": ({ own }) =>
      own.startsWith("https") ? own.replace("https", "http") : own.replace("http", "https"),
    "its own with another port": ({ own }) => own.replace(/(:\d+)?$/, ":1"),
    "a longer slug": ({ own }) => own.replace("://", "://x"),
    "a host beneath its own": ({ own }) => own.replace("://", "://x."),
    "a dot after its host": ({ own }) => own.replace(/(:\d+)?$/, ".$1"),
    "its own twice": ({ own }) => `${own}, ${own}`,
    "a foreign site": () => "https://elsewhere.example",
  }),
  {
    name: "its own Origin and a second, foreign one",
    headers: ({ own }) => [
      ["Origin", own],
      ["Origin", "https://elsewhere.example"],
    ],
    code: "CROSS_CANVAS_FORBIDDEN",
  },
  ...site("same-site", "passes"),
  ...site("cross-site", "passes"),
  ...referer("passes", {
    "another canvas: Referer has no say in subdomain mode": ({ foreign }) => `${foreign}/`,
    "not an address: Referer has no say in subdomain mode": () => "not an address",
  }),
];

/**
 * Tests that a page may call only the API of its own canvas (specification 4.1, step 4). Path mode and subdomain mode have different rules.
 */
export function isolation(target: Target): void {
  const subdomain = target.urlMode === "subdomain";
  describe(`step 4: isolation in ${target.urlMode} mode`, () => {
    let canvas: Stage;
    let place: Place;
    before(async () => {
      canvas = await stage(target);
      const [slug, other] = [canvas.slug, freshSlug()];
      const [own, foreign] = [pageOrigin(target, slug), pageOrigin(target, other)];
      place = { base: target.base, slug, other, own, foreign };
    });

    for (const [index, { name, headers, code }] of (subdomain ? SUBDOMAIN_ROWS : PATH_ROWS).entries()) {
      it(`${name}: ${code}`, async () => {
        const from = headers(place);
        const path = `/kv/row-${index}`;
        const owner = canvas.people.owner;
        const read = await call(target, canvas.slug, owner, "GET", "/me", from);
        const write = await call(target, canvas.slug, owner, "PUT", path, [...from, JSON_TYPE], "1");
        const stored = await call(target, canvas.slug, owner, "GET", path);
        if (code === "passes") {
          assert.deepEqual(
            [read.status, write.status, stored.status],
            [200, 200, 200],
            read.text + write.text,
          );
        } else {
          refused(read, 403, code);
          refused(write, 403, code);
          refused(stored, 404, "NOT_FOUND");
        }
        for (const answer of [read, write]) {
          if (!subdomain) withoutCors(answer);
          else if (from.length === 1 && from[0]?.[1] === place.own) readableFrom(answer, place.own);
          else unreadable(answer);
          if (subdomain) variesByOrigin(answer);
        }
      });
    }
  });
}

function site(value: string, code: Row["code"]): Row[] {
  return [{ name: `Sec-Fetch-Site: ${value}`, headers: () => [["Sec-Fetch-Site", value]], code }];
}

function referer(code: Row["code"], values: Record<string, (place: Place) => string>): Row[] {
  return single("Referer", code, values);
}

function origins(code: Row["code"], values: Record<string, (place: Place) => string>): Row[] {
  return single("Origin", code, values);
}

function single(header: string, code: Row["code"], values: Record<string, (place: Place) => string>): Row[] {
  return Object.entries(values).map(([name, value]) => ({
    name: `${header} is ${name}`,
    headers: (place) => [[header, value(place)]],
    code,
  }));
}
