import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS, type LimitName } from "./limits.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/** The values that the specifications prescribe for these limits. */
const SPECIFIED: Partial<Record<LimitName, number>> = {
  kvKeyBytes: 512,
  valueBytes: 64 * KiB,
  kvKeysShared: 10_000,
  kvKeysUser: 1_000,
  fileBytes: 25 * MiB,
  filesBytesPerCanvas: 1024 * MiB,
  fileNameLength: 255,
  connectionsPerCanvas: 30,
  channelsPerConnection: 64,
  channelNameBytes: 128,
  changeBytes: 4 * KiB,
  frameBytes: 16 * KiB,
  publishesPerMinute: 100,
  pageMax: 1_000,
  pageDefault: 100,
  jsonDepth: 1_000,
  bundleBytes: 50 * MiB,
  bundleEntries: 5_000,
  bundleUnpackedBytes: 250 * MiB,
  bundleRatio: 100,
  titleLength: 200,
  tags: 20,
  tagLength: 64,
};

for (const [name, value] of Object.entries(SPECIFIED)) {
  test(`${name} is ${value}`, () => assert.equal(LIMITS[name as LimitName].value, value));
}
