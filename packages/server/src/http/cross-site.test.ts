import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { test } from "node:test";
import { baseOf } from "../config/addresses.ts";
import { readConfig } from "../config/config.ts";
import { destinationOf, initiatorOf, isNavigation, requireSameOrigin } from "./cross-site.ts";
import { Refusal } from "./refusal.ts";

for (const [site, initiator] of [
  [undefined, "unknown"],
  ["same-origin", "same"],
  ["none", "same"],
  ["same-site", "other"],
  ["cross-site", "other"],
  ["", "other"],
  ["none, cross-site", "other"],
] as const)
  test(`Sec-Fetch-Site ${site}: ${initiator}`, () =>
    assert.equal(initiatorOf(site === undefined ? {} : { "sec-fetch-site": site }), initiator));

for (const [given, destination] of [
  [undefined, "unknown"],
  ["document", "document"],
  ["iframe", "frame"],
  ["frame", "frame"],
  ["image", "part"],
  ["empty", "part"],
  ["", "part"],
] as const)
  test(`Sec-Fetch-Dest ${given}: ${destination}`, () =>
    assert.equal(destinationOf(given === undefined ? {} : { "sec-fetch-dest": given }), destination));

for (const [mode, navigates] of [
  [undefined, false],
  ["navigate", true],
  ["cors", false],
] as const)
  test(`Sec-Fetch-Mode ${mode}: ${navigates}`, () =>
    assert.equal(isNavigation(mode === undefined ? {} : { "sec-fetch-mode": mode }), navigates));

const base = baseOf(readConfig({ SERVICE_BASE_URL: "http://localhost:3000" }), 3000);

/** Headers of a request that changes something, and whether the request is allowed (docs/http/management.md). */
const rows: [headers: IncomingHttpHeaders, passes: boolean][] = [
  [{}, true],
  [{ "sec-fetch-site": "same-origin" }, true],
  [{ "sec-fetch-site": "none" }, true],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "cross-site" }, false],
  [{ "sec-fetch-site": "" }, false],
  [{ origin: "http://localhost:3000" }, true],
  [{ origin: "http://localhost:3000/" }, false],
  [{ origin: "http://localhost" }, false],
  [{ origin: "https://localhost:3000" }, false],
  [{ origin: "http://tea.localhost:3000" }, false],
  [{ origin: "http://localhost:3000.evil.example" }, false],
  [{ origin: "null" }, false],
  [{ origin: "" }, false],
  [{ referer: "http://localhost:3000/" }, true],
  [{ referer: "http://localhost:3000/auth/login?a=/c/tea/" }, true],
  [{ referer: "http://localhost:3000/canvases" }, true],
  [{ referer: "http://localhost:3000/c" }, false],
  [{ referer: "http://localhost:3000/c/tea/" }, false],
  [{ referer: "http://localhost:3000/c/tea/index.html" }, false],
  [{ referer: "http://localhost:3000/a/../c/tea/" }, false],
  [{ referer: "http://localhost:3000\\c\\tea\\" }, false],
  [{ referer: "https://evil.example/" }, false],
  [{ referer: "http://localhost:3000.evil.example/" }, false],
  [{ referer: "http://localhost:3001/" }, false],
  [{ referer: "https://localhost:3000/" }, false],
  [{ referer: "http://tea.localhost:3000/" }, false],
  [{ "sec-fetch-site": "same-origin", referer: "https://evil.example/" }, false],
  [{ referer: "" }, false],
  [{ referer: "no URL" }, false],
  [{ "sec-fetch-site": "same-origin", origin: "http://evil.example" }, false],
  [{ "sec-fetch-site": "cross-site", origin: "http://localhost:3000" }, false],
  [
    {
      "sec-fetch-site": "same-origin",
      origin: "http://localhost:3000",
      referer: "http://localhost:3000/c/tea/",
    },
    false,
  ],
  [
    { "sec-fetch-site": "same-origin", origin: "http://localhost:3000", referer: "http://localhost:3000/" },
    true,
  ],
];

for (const [headers, passes] of rows) {
  test(`${JSON.stringify(headers)} ${passes ? "passes" : "is refused"}`, () => {
    if (passes) return assert.doesNotThrow(() => requireSameOrigin(headers, base));
    assert.throws(
      () => requireSameOrigin(headers, base),
      (error) => error instanceof Refusal && error.status === 403 && error.code === "CROSS_SITE_FORBIDDEN",
    );
  });
}
