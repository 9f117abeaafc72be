import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, it, test } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { WorkLists } from "../../src/async/background.ts";
import { TaskPool } from "../../src/async/task-pool.ts";
import { resumeCompressions } from "../../src/canvases/publishing/compressions.ts";
import { sweepVersions } from "../../src/canvases/version-files.ts";
import { ServedFiles } from "../../src/content/served-files.ts";
import { onSqlite, startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { manifestOf, stager } from "../support/staged.ts";
import type { TestEnv } from "../support/test-env.ts";

const page = (word: string) => `<p>${`${word} and more `.repeat(200)}`;

/** Replaces the pool in which a service compresses: tasks wait until `open`. Returns the people in the order in which tasks ran. */
function held(env: TestEnv) {
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const order: string[] = [];
  class Held extends TaskPool {
    override run<Result>(
      person: string,
      task: (signal: AbortSignal) => Promise<Result>,
      signal?: AbortSignal,
    ) {
      const waiting = async (each: AbortSignal) => {
        await promise;
        order.push(person);
        return task(each);
      };
      return super.run(person, waiting, signal);
    }
  }
  const pool = new Held({ running: 1, runningEach: 1, waitingEach: 1 });
  env.compressions = new WorkLists(pool, assert.ifError);
  return { open, order };
}

await onSqlite("compression after publishing", (target, env) => {
  let site: Stage;
  let other: Stage;
  before(async () => {
    [site, other] = [await stage(target), await stage(target)];
  });
  const encoding = async ({ slug, people }: Stage, path = "") =>
    (await visit(target, slug, people.viewer, path, [["Accept-Encoding", "br"]])).headers["content-encoding"];

  it("150 files of one person delay neither the deploy nor the page nor the variants of another", async () => {
    const { open, order } = held(env);
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`${n}.html`, page(`many ${n}`)]));
    await publish(target, site, { ...many, "index.html": page("hostile") });
    await publish(target, other, { "index.html": page("small") });
    for (const each of [site, other]) assert.equal(await encoding(each), undefined);
    assert.equal((await visit(target, other.slug, other.people.viewer)).text, page("small"));
    open();
    await env.compressions.settled();
    assert.equal(order.length, 152);
    const { json } = await manage(target, other.people.owner, "GET", "/api/me");
    assert.ok(order.indexOf(String(json.id)) <= 2, String(order.indexOf(String(json.id))));
    for (const each of [site, other]) assert.equal(await encoding(each), "br");
  });

  it("a node that has served a file before its variants were there serves them afterwards, with another ETag", async () => {
    const { open } = held(env);
    const version = await publish(target, site, { "index.html": page("two nodes") });
    const node = new ServedFiles(env);
    const find = async () => (await node.find(version, ["index.html", "", ""])).get("index.html") ?? [];
    assert.deepEqual(
      (await find()).map((file) => file.encoding),
      ["identity"],
    );
    assert.equal(node.cached(version, "index.html"), undefined);
    const get = (headers: [string, string][]) =>
      visit(target, site.slug, site.people.viewer, "", [["Accept-Encoding", "br"], ...headers]);
    const plain = await get([]);
    const etag = String(plain.headers.etag);
    assert.equal((await get([["If-None-Match", etag]])).status, 304);
    open();
    await env.compressions.settled();
    assert.deepEqual(
      (await find()).map((file) => file.encoding),
      ["identity", "br", "gzip"],
    );
    assert.equal(node.cached(version, "index.html")?.length, 3);
    const packed = await get([["If-None-Match", etag]]);
    assert.deepEqual(
      [packed.status, packed.headers["content-encoding"], packed.headers.vary],
      [200, "br", "Accept-Encoding"],
    );
    assert.notEqual(packed.headers.etag, etag);
    // A download that began with the uncompressed file goes on with it.
    const rest = await get([
      ["Range", "bytes=3-"],
      ["If-Range", etag],
    ]);
    assert.deepEqual([rest.status, rest.headers.etag, rest.text], [206, etag, page("two nodes").slice(3)]);
  });

  it("a version that is removed is no longer compressed", async () => {
    const { open, order } = held(env);
    const gone = await publish(target, site, { "index.html": page("gone") });
    await publish(target, site, { "index.html": "short" });
    await env.db.run`update versions set state = 'removing' where id = ${gone}`;
    await sweepVersions(0, env);
    const asItWas = (await env.db.all`select blob_key from bundle_blobs where canvas_id = ${site.id}`).length;
    open();
    await env.compressions.settled();
    assert.ok(order.length <= 1);
    assert.equal(
      (await env.db.all`select blob_key from bundle_blobs where canvas_id = ${site.id}`).length,
      asItWas,
    );
  });

  it("a staged deploy is compressed once it is published", async () => {
    const deploys = stager(target, site.people.owner, site.id);
    const files = { "index.html": page("staged") };
    const { json } = await deploys.begin(files);
    assert.equal(manifestOf(files).length, 1);
    assert.equal((await deploys.upload(json.id, files["index.html"])).status, 204);
    await env.compressions.settled();
    assert.deepEqual(
      await env.db.all`select compressed from bundle_blobs where canvas_id = ${site.id} and compressed = 2`,
      [],
    );
    assert.equal((await deploys.finish(json.id)).status, 200);
    await env.compressions.settled();
    assert.equal(await encoding(site), "br");
  });

  it("large texts are compressed as streams; variants that save nothing are not stored", async () => {
    await publish(target, site, {
      "large.txt": "text ".repeat(100_000),
      "noise.txt": randomBytes(4_000),
      "tiny.txt": "text",
    });
    await env.compressions.settled();
    assert.equal(await encoding(site, "large.txt"), "br");
    for (const path of ["noise.txt", "tiny.txt"]) assert.equal(await encoding(site, path), undefined);
  });
});

test("a service that starts makes the variants that the last one has not made", async (t) => {
  const { target, env } = await startDev(t);
  const site = await stage(target);
  const { open } = held(env);
  await publish(target, site, { "index.html": page("restart"), "a.html": page("other") });
  // The process ends: what it has not done is known to the database only.
  const pool = new TaskPool({ running: 1, runningEach: 1, waitingEach: 1 });
  const next = { ...env, compressions: new WorkLists(pool, assert.ifError) };
  await resumeCompressions(next);
  await next.compressions.settled();
  const get = (path: string) =>
    visit(target, site.slug, site.people.viewer, path, [["Accept-Encoding", "br"]]);
  for (const path of ["", "a.html"]) assert.equal((await get(path)).headers["content-encoding"], "br");
  // A service that stops waits for what runs.
  open();
});
