import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isHashedName } from "./caching.ts";

const HASHED = [
  // names that Vite and Rollup give to files
  "assets/index.BxY12_ab.css",
  "assets/index-C4xQ-z9L.js",
  "assets/vendor-a1B2c3D4.js.map",
  "_astro/inter-latin.Dx4kZ8qR.woff2",
  // names that esbuild gives to files
  "app-3F7QAZ2X.js",
  "chunk-Q5KT4ZP2.css",
  // names that webpack, Parcel and Next give to files
  "app-3f9c1b2a.js",
  "main.3f9c1b2a.chunk.js",
  "static/css/main.e6c13ad2.css.map",
  "787.1f0e3dad99908345f743.js",
  "_next/static/chunks/4bd1b696-182b6b13bdad92e3.js",
  "lib.3f9c1b2a.min.js",
];

const NOT_HASHED = [
  // names with dates, counters and years
  "photo-20240101.jpg",
  "data-20240101.js",
  "report-2024dec1.js",
  "invoice-1feb2024.js",
  "menu-cafe2024.css",
  "level-00000001.js",
  // names with words and versions
  "app-settings.js",
  "page-HomePage.js",
  "chart-Version2.js",
  "level-Forest01.js",
  "view-MyPage12.js",
  "trip-MyTrip24.js",
  "lib-DSC_0001.js",
  "lib-v1_2_3_4.js",
  "x-my_V2_b3.js",
  "x-a-B-2-c4.js",
  "MAIN-LEVEL234.js",
  "jquery-3.7.1.min.js",
  "three.module.js",
  "font-ExtraBold.woff2",
  "style.facade.css",
  "deadbeef.css",
  "lib-deadbeef.js",
  // names that are only a hash, have it at another place, or have one that is too short
  "3f9c1b2a.js",
  "BxY12_ab.js",
  "3f9c1b2a-app.js",
  "app-3f9c1b2a/main.js",
  "app-3f9c1b.js",
  // types of files that people replace without changing the name
  "index-BxY12_ab.html",
  "photo-3f9c1b2a.jpg",
  "avatar-64f1c0aa9be1d2c3b4a59687.png",
  "data.3f9c1b2a.json",
  "report.3f9c1b2a.pdf",
  "app-3f9c1b2a.js.txt",
  "",
];

describe("names with a hash of the content", () => {
  for (const path of HASHED) it(`${path}: yes`, () => assert.equal(isHashedName(path), true));
  for (const path of NOT_HASHED)
    it(`${path || "nothing"}: no`, () => assert.equal(isHashedName(path), false));
});
