import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./config.ts";
import { readS3 } from "./s3-settings.ts";

const KEY = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "hunter2" };
const keys = { accessKeyId: "AKID", secretAccessKey: "hunter2", sessionToken: undefined };

const read = (url: string, more: Record<string, string> = {}) =>
  readConfig({ SERVICE_BLOBS_URL: url, ...KEY, ...more }).s3;

test("a bucket of AWS: the host of its region, and the bucket in the host name", () => {
  assert.deepEqual(read("s3://tea?region=eu-central-1"), {
    bucket: "tea",
    prefix: "",
    endpoint: "https://s3.eu-central-1.amazonaws.com",
    region: "eu-central-1",
    pathStyle: false,
    keys,
  });
  assert.equal(read("s3://tea.house", { AWS_REGION: "us-east-2" })?.pathStyle, true);
  assert.equal(read("s3://tea", { AWS_REGION: "us-east-2" })?.region, "us-east-2");
});

test("another server: its endpoint, and the bucket in the path unless the parameter says otherwise", () => {
  assert.deepEqual(read("s3://tea/cups/of/?endpoint=https://s3.example.com:9000&region=garage"), {
    bucket: "tea",
    prefix: "cups/of/",
    endpoint: "https://s3.example.com:9000",
    region: "garage",
    pathStyle: true,
    keys,
  });
  assert.equal(
    read("s3://tea?endpoint=https://db.example.com/storage/v1/s3/")?.endpoint,
    "https://db.example.com/storage/v1/s3",
  );
  const other = read("s3://tea?endpoint=http://127.0.0.1:8333&pathStyle=false");
  assert.deepEqual([other?.region, other?.pathStyle], ["us-east-1", false]);
});

test("temporary keys have a token; without keys, providers find them", () => {
  assert.equal(read("s3://tea?region=r", { AWS_SESSION_TOKEN: "token" })?.keys?.sessionToken, "token");
  assert.equal(readConfig({ SERVICE_BLOBS_URL: "s3://tea?region=r" }).s3?.keys, null);
  assert.equal(readConfig({ SERVICE_BLOBS_URL: "file:data/blobs", ...KEY }).s3, null);
});

const WRONG: [url: string, environment: Record<string, string>, mistake: RegExp][] = [
  ["s3://tea", KEY, /needs a region: add `region=`, or set AWS_REGION$/],
  ["s3:?region=r", KEY, /must name a bucket/],
  ["s3://tea:80?region=r", KEY, /must name a bucket/],
  [
    "s3://AKID:hunter2@tea?region=r",
    {},
    /must not hold a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY$/,
  ],
  ["s3://tea/a b?region=r", KEY, /in its prefix$/],
  ["s3://tea/..?region=r&endpoint=s3.example.com", KEY, /must have an address as its `endpoint`/],
  ["s3://tea?region=r&endpoint=https://s3.example.com/?a", KEY, /must have an address as its `endpoint`/],
  ["s3://tea?region=r&endpoint=https://s3.example.com/tea", KEY, /must not repeat the bucket/],
  ["s3://tea?region=r&pathstyle=true", KEY, /has an unknown parameter `pathstyle`; it may have `endpoint`/],
  ["s3://tea?region=r&pathStyle=yes", KEY, /may have `pathStyle=true` or `pathStyle=false`$/],
  ["s3://tea?region=r", { AWS_ACCESS_KEY_ID: "AKID" }, /^AWS_SECRET_ACCESS_KEY is missing/],
  ["s3://tea?region=r", { AWS_SECRET_ACCESS_KEY: "hunter2" }, /^AWS_ACCESS_KEY_ID is missing/],
];
for (const [url, environment, expected] of WRONG) {
  test(`a mistake: ${url} with ${Object.keys(environment).join(" and ") || "no key"}`, () => {
    const mistakes: string[] = [];
    assert.equal(readS3(url, environment, mistakes), null);
    assert.equal(mistakes.length, 1, mistakes.join("\n"));
    assert.match(mistakes[0] ?? "", expected);
    assert.doesNotMatch(mistakes[0] ?? "", /hunter2/);
  });
}
