import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationOf, initiatorOf, isNavigation } from "./fetch-metadata.ts";

for (const [site, initiator] of [
  [undefined, "unknown"],
  ["same-origin", "own"],
  ["none", "own"],
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
