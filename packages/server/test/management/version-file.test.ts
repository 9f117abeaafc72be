import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { TaskPool } from "../../src/async/task-pool.ts";
import { onSqlite } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

const PAGE = "<!doctype html><script>alert(1)</script>";
const SCRIPT = "0123456789";
const LARGE = randomBytes(2 * 1024 * 1024);

await onSqlite("a file of a version", (target, env) => {
  let site: Stage;
  let other: Stage;
  let first: string;
  let second: string;
  before(async () => {
    site = await stage(target);
    other = await stage(target, { people: site.people });
    first = await publish(target, site, { "index.html": PAGE, "a/app.js": SCRIPT, 'ä "b.bin': LARGE });
    second = await publish(target, site, { "index.html": "second" });
    await publish(target, other, { "index.html": "other" });
  });

  type Role = keyof Stage["people"];
  interface Given {
    version?: string;
    role?: Role;
    headers?: Header[];
    method?: string;
    canvas?: string;
  }
  const get = (
    path: string,
    { version = first, role = "editor", headers = [], method = "GET", canvas = site.id }: Given = {},
  ) =>
    send(target.base, {
      method,
      path: `/api/canvases/${canvas}/versions/${version}/file?path=${encodeURIComponent(path)}`,
      headers: [...site.people[role].headers, ...headers],
    });
  const etag = `"${hash("sha256", SCRIPT, "hex")}"`;

  it("the bytes of any stored version, for owner and editors", async () => {
    for (const role of ["owner", "editor"] as const) {
      assert.equal((await get("a/app.js", { role })).text, SCRIPT);
      assert.equal((await get("index.html", { role, version: second })).text, "second");
    }
    const { bytes } = await get('ä "b.bin');
    assert.ok(bytes.equals(LARGE));
    refused(await get("a/app.js", { role: "viewer" }), 403, "PERMISSION_DENIED");
    refused(await get("a/app.js", { role: "stranger" }), 404, "NOT_FOUND");
  });

  it("no browser executes it: an attachment without a type that runs, in a sandbox", async () => {
    for (const path of ["index.html", "a/app.js"]) {
      const { status, headers } = await get(path);
      assert.partialDeepStrictEqual(headers, {
        "content-type": "application/octet-stream",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
        "cache-control": "private, no-store",
        "accept-ranges": "bytes",
      });
      assert.equal(status, 200);
      assert.match(headers["content-disposition"] ?? "", /^attachment; /);
    }
    const { headers } = await get('ä "b.bin');
    assert.match(
      headers["content-disposition"] ?? "",
      /filename="\? \\"b\.bin"; filename\*=UTF-8''%C3%A4%20%22b\.bin/i,
    );
  });

  const RANGES: [headers: Header[], status: number, text: string, range: string | undefined][] = [
    [[], 200, SCRIPT, undefined],
    [[["Range", "bytes=2-4"]], 206, "234", "bytes 2-4/10"],
    [[["Range", "bytes=-3"]], 206, "789", "bytes 7-9/10"],
    [
      [
        ["Range", "bytes=2-4"],
        ["If-Range", etag],
      ],
      206,
      "234",
      "bytes 2-4/10",
    ],
    [
      [
        ["Range", "bytes=2-4"],
        ["If-Range", '"other"'],
      ],
      200,
      SCRIPT,
      undefined,
    ],
    [[["Range", "bytes=2-4,6-7"]], 200, SCRIPT, undefined],
    [[["If-None-Match", etag]], 304, "", undefined],
    [[["If-None-Match", '"other"']], 200, SCRIPT, undefined],
  ];
  for (const [headers, status, text, range] of RANGES)
    it(`${headers.map((each) => each.join(": ").replace(etag, "the tag")).join(", ") || "nothing asked"}: ${status}`, async () => {
      const answer = await get("a/app.js", { headers });
      assert.deepEqual([answer.status, answer.text], [status, text]);
      assert.equal(answer.headers["content-range"], range);
      assert.equal(answer.headers.etag, etag);
      if (status !== 304) assert.equal(answer.headers["content-length"], String(text.length));
    });

  it("a range outside of it: 416 with its size; HEAD: its size without bytes", async () => {
    const outside = await get("a/app.js", { headers: [["Range", "bytes=10-"]] });
    refused(outside, 416, "RANGE_NOT_SATISFIABLE");
    assert.equal(outside.headers["content-range"], "bytes */10");
    const { status, text, headers } = await get("a/app.js", { method: "HEAD" });
    assert.deepEqual([status, text, headers["content-length"], headers.etag], [200, "", "10", etag]);
  });

  it("what is not there: 404, also a version of another canvas and a deleted one; no path: 400", async () => {
    for (const path of ["none", "a", "a/", "../index.html", "/index.html", "A/app.js", "x".repeat(3000)])
      refused(await get(path), 404, "NOT_FOUND");
    for (const version of ["none", "%00", encodeURIComponent("' or 1=1")])
      refused(await get("index.html", { version }), 404, "NOT_FOUND");
    refused(await get("index.html", { canvas: other.id }), 404, "NOT_FOUND");
    refused(await get(""), 400, "INVALID_BODY");
    refused(await get("a\0b"), 400, "INVALID_BODY");
    const gone = await publish(target, site, { "gone.txt": "gone", "index.html": "" });
    await publish(target, site, { "index.html": "live" });
    assert.equal((await get("gone.txt", { version: gone })).text, "gone");
    await manage(target, site.people.owner, "DELETE", `/api/canvases/${site.id}/versions/${gone}`);
    refused(await get("gone.txt", { version: gone }), 404, "NOT_FOUND");
  });

  it("does not wait for downloads of zips", async () => {
    const { downloads } = env;
    env.downloads = new TaskPool({ running: 0, runningEach: 0, waitingEach: 0 });
    try {
      const answers = await Promise.all(Array.from({ length: 30 }, () => get("a/app.js")));
      for (const { text } of answers) assert.equal(text, SCRIPT);
      const zip = `/api/canvases/${site.id}/bundle`;
      refused(await manage(target, site.people.owner, "GET", zip), 503, "UNAVAILABLE");
    } finally {
      env.downloads = downloads;
    }
  });
});
