import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { resumeCompressions } from "../../src/canvases/publishing/compressions.ts";
import { sweep } from "../../src/canvases/sweep.ts";
import { startDev } from "../support/engines.ts";
import { publish, upload, visit } from "../support/publish.ts";
import { S3_VARIABLES, startS3 } from "../support/s3-server.ts";
import { ENGINES } from "../support/service.ts";
import { sha256, stager } from "../support/staged.ts";
import { zip } from "../support/zip.ts";
import { keysOf } from "./blobs-contract.ts";

const HOUR_MS = 60 * 60 * 1000;
const server = await startS3({ after });
const { target, env } = await startDev(
  { after },
  { SERVICE_BLOBS_URL: server.url(), ...S3_VARIABLES, SERVICE_LOG_LEVEL: "fatal" },
);

describe("a service with its blobs on S3", () => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
  });

  /** Lets the sweep run as if two hours had passed on all clocks. */
  const sweepLater = async () => {
    for (const object of server.objects.values()) object.modified -= 2 * HOUR_MS;
    await sweep({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
  };

  it("a staged deploy serves its files, and the sweep removes what the next ones replace", async () => {
    const deploys = stager(target, site.people.owner, site.id);
    const files = { "index.html": "<p>one", "large.bin": Buffer.alloc(2 * 1024 * 1024, 7) };
    const begun = await deploys.begin(files);
    assert.equal(begun.status, 201, begun.text);
    for (const content of Object.values(files))
      assert.equal((await deploys.upload(begun.json.id, content)).status, 204);
    assert.equal((await deploys.finish(begun.json.id)).status, 200);
    assert.equal((await visit(target, site.slug, site.people.viewer)).text, "<p>one");
    const part = await visit(target, site.slug, site.people.viewer, "large.bin", [["Range", "bytes=5-7"]]);
    assert.deepEqual([part.status, part.text], [206, "\x07\x07\x07"]);
    await env.compressions.settled();
    await sweepLater();
    assert.ok((await keysOf(env.blobs)).includes(sha256(files["large.bin"])));
    await env.db
      .run`delete from version_files where version_id in (select id from versions where canvas_id = ${site.id})`;
    await env.db.run`update bundle_blobs set uses = 0, unused_at = 0 where canvas_id = ${site.id}`;
    await sweepLater();
    assert.deepEqual(await keysOf(env.blobs), []);
    assert.deepEqual(server.names(), ["markers/instance", "markers/ticks"]);
  });

  it("while S3 is away, what needs it gets 503 UNAVAILABLE, and all else works; then all works again", async () => {
    await publish(target, site, { "index.html": "<p>two", "later.txt": "later" });
    await env.compressions.settled();
    const page = () => visit(target, site.slug, site.people.viewer, "later.txt");
    const ready = () => send(target.base, { method: "GET", path: "/readyz" });
    // A refusal that is not sent again, so that nothing waits.
    server.fault = () => ({ status: 403, code: "AccessDenied" });
    const bundle = await zip({ "index.html": "<p>three" });
    for (const answer of [
      await page(),
      await upload(target, site.people.owner, site.id, bundle),
      await ready(),
    ]) {
      refused(answer, 503, "UNAVAILABLE");
      assert.equal(answer.headers["retry-after"], "1");
    }
    const me = await send(target.base, {
      method: "GET",
      path: "/api/me",
      headers: site.people.owner.headers,
    });
    assert.equal(me.status, 200);
    server.fault = () => undefined;
    const now = env.clock() + 1_000;
    env.clock = () => now;
    assert.equal((await page()).text, "later");
    assert.equal((await ready()).status, 200);
    assert.equal((await upload(target, site.people.owner, site.id, bundle)).status, 200);
  });

  it("files whose blobs are away are compressed when they are back", async () => {
    const states = () => env.db.all<{ compressed: number; br: string | null }>`
      select compressed, br_key as br from bundle_blobs where canvas_id = ${site.id} and size = ${text.length}`;
    const text = "words of a page ".repeat(500);
    server.fault = ({ method, name }) =>
      method === "GET" && name.startsWith("blobs/") ? { status: 403, code: "AccessDenied" } : undefined;
    await publish(target, site, { "index.html": "<p>four", "words.txt": text });
    await env.compressions.settled();
    const [before] = await states();
    server.fault = () => undefined;
    await resumeCompressions(env);
    await env.compressions.settled();
    const [after] = await states();
    assert.equal(before?.br, null);
    assert.notEqual(after?.br, null);
    assert.notEqual(before?.compressed, after?.compressed);
  });
});

for (const { name, skip, migratedDatabase } of ENGINES) {
  it(`a service on ${name} marks a bucket whose server ignores conditions, and another database is refused`, {
    skip,
  }, async (t) => {
    const bucket = await startS3(t, { conditional: false });
    const settings = { SERVICE_BLOBS_URL: bucket.url(), ...S3_VARIABLES, SERVICE_LOG_LEVEL: "fatal" };
    const first = await startDev(t, { ...settings, SERVICE_DATABASE_URL: await migratedDatabase(t) });
    const row = await first.env.db.get<{ id: string }>`select id from instance`;
    assert.equal(String(bucket.objects.get("markers/instance")?.bytes), row?.id);
    await assert.rejects(
      async () => startDev(t, { ...settings, SERVICE_DATABASE_URL: await migratedDatabase(t) }),
      /They do not belong together/,
    );
  });
}
