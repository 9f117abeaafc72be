import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { LIMITS } from "@easel/protocol/limits";
import { CLOSE_CODES } from "@easel/protocol/realtime";
import type * as sdk from "../src/index.ts";
import type { PageEasel } from "../src/window.ts";
import { fakeSocket } from "./fake-socket.ts";
import { fakeFetch, page } from "./support.ts";

const sdkFolder = join(import.meta.dirname, "..");
const file = join(sdkFolder, "dist/v1.js");

/** Runs the built file of the SDK on a page at `location`. Returns the global object that it defines. */
function load(
  { url }: { url: string },
  fetch = fakeFetch(() => Response.json({})).fetch,
  { WebSocket } = fakeSocket(),
  before = "",
) {
  const window = createContext({
    location: { href: url },
    fetch,
    URL,
    URLSearchParams,
    WebSocket,
    TextEncoder,
    queueMicrotask,
  });
  runInContext("var window = globalThis", window);
  const names = () => Object.keys(window);
  const earlier = names();
  runInContext(before + readFileSync(file, "utf8"), window);
  assert.deepEqual(
    names().filter((name) => !earlier.includes(name)),
    ["easel"],
  );
  return runInContext("window.easel", window) as PageEasel;
}

before(() => {
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(sdkFolder, "build.ts")], {
    encoding: "utf8",
  });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
  const bytes = readFileSync(file);
  assert.equal(stdout, `sdk/v1.js: ${bytes.length} bytes, ${gzipSync(bytes).length} with gzip\n`);
  assert.ok(statSync(file).mtimeMs >= started - 1000);
});

test("the bundle is small", () => assert.ok(gzipSync(readFileSync(file)).length < 14.5 * 1024));

test("the bundle holds the limits and close codes that it uses, without the tables of the protocol", () => {
  const bundle = readFileSync(file, "utf8");
  for (const text of [LIMITS.bundleRatio.of, CLOSE_CODES.accessLost.when]) assert.ok(!bundle.includes(text));
});

test("the bundle defines `easel` and nothing else, and loads outside a canvas too", async () => {
  const easel = load({ url: "about:blank" });
  assert.deepEqual(Object.keys(easel).sort(), [
    "CapabilityDisabledError",
    "EaselError",
    "NotAuthenticatedError",
    "NotFoundError",
    "PublishFailedError",
    "QuotaExceededError",
    "UpdatePartialError",
    "ai",
    "canvases",
    "connections",
    "files",
    "isCapabilityDisabled",
    "isEaselError",
    "isNotAuthenticated",
    "isNotFound",
    "isPublishFailed",
    "isQuotaExceeded",
    "isUpdatePartial",
    "kv",
    "me",
    "people",
    "realtime",
    "submissions",
  ]);
  await assert.rejects(easel.me(), (error) => error instanceof easel.EaselError && error.status === 0);
});

test("the bundle uses the page's fetch", async () => {
  const { fetch, calls } = fakeFetch(() => Response.json({ value: 1 }));
  assert.equal(await load(page, fetch).kv.user.get("a"), 1);
  assert.equal(calls[0]?.url, "https://easel.example/v1/c/tea/kv/user/a?optional=true");
  assert.equal(calls[0]?.init.credentials, "include");
});

test("the bundle reads the page's address by the URL mode in the prepended line", async () => {
  const rows = [
    ["", "https://tea.easel.example/v1/c/cup/me"],
    [`globalThis.easel={urlMode:"path"};\n`, "https://tea.easel.example/v1/c/cup/me"],
    [`globalThis.easel={urlMode:"subdomain"};\n`, "https://easel.example/v1/c/tea/me"],
  ];
  for (const [line, url] of rows) {
    const { fetch, calls } = fakeFetch(() => Response.json({}));
    await load({ url: "https://tea.easel.example/c/cup/" }, fetch, undefined, line).me();
    assert.equal(calls[0]?.url, url);
  }
});

test("the bundle uses the page's WebSocket", async () => {
  const socket = fakeSocket();
  const { realtime } = load(page, undefined, socket);
  const [user] = await realtime.channel("pens").presence();
  assert.equal(user?.name, "Ada");
  assert.deepEqual(socket.frames, [{ type: "presence", channel: "pens" }]);
});

test("errors keep their names in the minified bundle", async () => {
  const rows: [status: number, code: string, name: keyof ReturnType<typeof load>][] = [
    [401, "NOT_AUTHENTICATED", "NotAuthenticatedError"],
    [403, "CAPABILITY_DISABLED", "CapabilityDisabledError"],
    [404, "NOT_FOUND", "NotFoundError"],
    [413, "VALUE_TOO_LARGE", "QuotaExceededError"],
    [502, "PUBLISH_FAILED", "PublishFailedError"],
    [502, "UPDATE_PARTIAL", "UpdatePartialError"],
    [429, "RATE_LIMITED", "EaselError"],
  ];
  for (const [status, code, name] of rows) {
    const easel = load(page, fakeFetch(() => Response.json({ code, message: "m" }, { status })).fetch);
    await assert.rejects(easel.me(), (error) => {
      assert.ok(error instanceof easel.EaselError && error instanceof (easel[name] as typeof sdk.EaselError));
      assert.equal(error.name, name);
      assert.match(String(error.stack), new RegExp(`^${name}: m`));
      return true;
    });
  }
});
