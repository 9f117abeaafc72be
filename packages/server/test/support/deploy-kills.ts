import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import path from "node:path";
import { coreData } from "../../src/canvases/core-data.ts";
import { sweepStaged } from "../../src/canvases/staged-deploys.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { sweepVersions } from "../../src/canvases/version-files.ts";
import { readConfig } from "../../src/config/config.ts";
import { local } from "../../src/drivers/blobs/local.ts";
import { openDb } from "../../src/drivers/index.ts";
import type { Env } from "../../src/env.ts";
import { filesData } from "../../src/primitives/files/data.ts";
import { keysOf } from "../drivers/blobs-contract.ts";
import { killAmid, type Process, startProcess } from "./process.ts";
import { type Scope, temporaryDirectory } from "./service.ts";
import { formOf, manifestOf, sha256 } from "./staged.ts";
import { recount } from "./stored-bytes.ts";
import { type Files, zip } from "./zip.ts";

const FILES = 12;
const HOUR_MS = 60 * 60 * 1000;

/** The state of the client that deploys: its bundles by number, and the number of the last one whose deploy was acknowledged. */
interface Deployer {
  canvas: { id: string; slug: string } | null;
  bundles: Map<number, Files>;
  acknowledged: number;
  /** A staged deploy that was begun and not finished. */
  open: { id: string; number: number } | null;
}

type Send = (method: string, path: string, body?: object | Buffer, type?: string) => Promise<Answer>;

interface Answer {
  status: number;
  bytes: Buffer;
}

const jsonOf = ({ bytes }: Answer) => JSON.parse(bytes.toString()) as Record<string, unknown>;

/** Signs in, and returns a function that sends requests. */
async function signedIn(base: string): Promise<Send> {
  const signIn = await fetch(`${base}/auth/dev/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "deployer@example.com" }),
  });
  const cookie = signIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  return async (method, at, body, given) => {
    const isJson = body !== undefined && !Buffer.isBuffer(body);
    const type = given ?? (isJson ? "application/json" : "application/octet-stream");
    const answer = await fetch(base + at, {
      method,
      headers: { cookie, ...(body === undefined ? {} : { "content-type": type }) },
      body: isJson ? JSON.stringify(body) : (body ?? null),
    });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
}

/** Returns a new bundle, most of whose files are those of the last one, and its number. */
function nextBundle(deployer: Deployer): [number: number, files: Files] {
  const number = deployer.bundles.size + 1;
  const last = deployer.bundles.get(number - 1) ?? {};
  const files: Files = { ...last, "index.html": `${number}` };
  for (let index = 0; index < FILES; index++) {
    const at = `${index}.txt`;
    if (last[at] === undefined || randomInt(3) === 0)
      files[at] = `${randomBytes(600).toString("hex")} ${"text ".repeat(200)}`;
  }
  deployer.bundles.set(number, files);
  return [number, files];
}

/** Uploads the files that the open staged deploy still lacks, and publishes it. */
async function finish(send: Send, deployer: Deployer, counted: () => void): Promise<void> {
  const { open, canvas } = deployer;
  if (open === null) return;
  const at = `/api/canvases/${canvas?.id}/deploys/${open.id}`;
  const contents = new Map(
    Object.values(deployer.bundles.get(open.number) ?? {}).map((content) => [sha256(content), content]),
  );
  for (;;) {
    const answer = await send("POST", `${at}/finish`);
    counted();
    if (answer.status === 200) break;
    assert.equal(answer.status, 409, answer.bytes.toString());
    const { code, missing } = jsonOf(answer) as { code: string; missing: string[] };
    assert.equal(code, "BLOBS_MISSING");
    assert.notEqual(missing.length, 0);
    if (missing.length > 2) {
      const [type, form] = await formOf(missing.slice(1).map((hash) => [hash, contents.get(hash) ?? ""]));
      const sent = await send("POST", `${at}/blobs`, form, type);
      assert.equal(sent.status, 200, sent.bytes.toString());
      assert.deepEqual(jsonOf(sent).refused, []);
      counted();
      continue;
    }
    for (const hash of missing) {
      const sent = await send("PUT", `${at}/blobs/${hash}`, Buffer.from(contents.get(hash) ?? ""));
      assert.equal(sent.status, 204, sent.bytes.toString());
      counted();
    }
  }
  deployer.acknowledged = open.number;
  deployer.open = null;
}

/** Deploys bundles, as a zip and as a staged deploy alternately, until the service is killed. */
async function deploy(send: Send, deployer: Deployer, counted: () => void): Promise<void> {
  const at = `/api/canvases/${deployer.canvas?.id}`;
  try {
    for (;;) {
      const [zipped, files] = nextBundle(deployer);
      const uploaded = await send("PUT", `${at}/bundle`, await zip(files));
      assert.equal(uploaded.status, 200, uploaded.bytes.toString());
      deployer.acknowledged = zipped;
      counted();

      const [number, staged] = nextBundle(deployer);
      const begun = await send("POST", `${at}/deploys`, { files: manifestOf(staged) });
      assert.equal(begun.status, 201, begun.bytes.toString());
      deployer.open = { id: String(jsonOf(begun).id), number };
      counted();
      await finish(send, deployer, counted);
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
  }
}

/** Requires that the served version is the acknowledged one or a later one, and that every file has the right bytes. */
async function check(send: Send, deployer: Deployer): Promise<void> {
  const { canvas, bundles, acknowledged } = deployer;
  if (acknowledged === 0 && bundles.size === 0) return;
  const index = await send("GET", `/c/${canvas?.slug}/`);
  if (acknowledged === 0 && index.status === 404) return;
  assert.equal(index.status, 200);
  const served = Number(index.bytes.toString());
  assert.ok(served >= acknowledged && served <= bundles.size, `${served}, not ${acknowledged} or later`);
  for (const [name, content] of Object.entries(bundles.get(served) ?? assert.fail())) {
    const { status, bytes } = await send("GET", `/c/${canvas?.slug}/${name}`);
    assert.equal(status, 200, name);
    assert.equal(bytes.toString(), content.toString(), `${name} of ${served}`);
  }
  deployer.acknowledged = served;
}

/** Runs the sweeps as if two hours had passed. Requires that only the stored versions are left, and that their bytes are counted. */
async function requireTidy(directory: string, databaseUrl: string): Promise<void> {
  const config = readConfig({ SERVICE_DATABASE_URL: databaseUrl });
  const [db, blobs] = [await openDb(config, assert.ifError), await local(path.join(directory, "blobs"))];
  const later = Date.now() + 2 * HOUR_MS;
  const env = { db, blobs, config, canvasData: [coreData, filesData], clock: () => later } as unknown as Env;
  try {
    await sweepVersions(later, env);
    await sweepStaged(env);
    await sweepBlobs({ ...env, clock: () => later + 2 * HOUR_MS });
    assert.deepEqual(await db.all`select id from versions where state <> 'stored'`, []);
    assert.deepEqual(await db.all`select id from staged_deploys`, []);
    assert.deepEqual(await db.all`select deploy_id from staged_blobs`, []);
    assert.deepEqual(await db.all`select id from blob_claims`, []);
    // The examples have uploaded files at first.
    const keys = await db.all<{ key: string }>`
      select blob_key as key from bundle_blobs union select blob_key from files`;
    assert.deepEqual(await keysOf(blobs), keys.map(({ key }) => key).sort());
    assert.deepEqual(
      await db.all`select canvas_id, blob_key, uses from bundle_blobs order by canvas_id, blob_key`,
      await db.all`select canvas_id, blob_key, count(*) as uses from (
          select canvas_id, blob_key from version_files join versions on versions.id = version_id
          union all select canvas_id, br_key from bundle_blobs where br_key is not null
          union all select canvas_id, gzip_key from bundle_blobs where gzip_key is not null) as used
        group by canvas_id, blob_key order by canvas_id, blob_key`,
    );
    for (const { id, bytes } of await db.all<{ id: string; bytes: number }>`
      select canvas_id as id, bytes from bundle_bytes`)
      assert.equal(Number(bytes), await recount(id, env));
  } finally {
    await Promise.all([db.close(), blobs.close()]);
  }
}

/**
 * Kills a service with SIGKILL during zipped and staged deploys, `kills` times. Asserts after each start that the old or the new version is
 * served completely, and that an open staged deploy can be finished. Returns the number of versions that were published.
 */
export async function surviveDeployKills(
  scope: Scope,
  kills: number,
  databaseUrl: (directory: string) => string | Promise<string>,
): Promise<number> {
  const directory = await temporaryDirectory(scope);
  const url = await databaseUrl(directory);
  const settings = { SERVICE_DATABASE_URL: url };
  const deployer: Deployer = { canvas: null, bundles: new Map(), acknowledged: 0, open: null };
  const start = async (): Promise<[Process, Send]> => {
    const service = await startProcess(scope, directory, settings);
    return [service, await signedIn(service.base)];
  };
  for (let kill = 0; kill < kills; kill++) {
    const [service, send] = await start();
    if (deployer.canvas === null) {
      const made = jsonOf(await send("POST", "/api/canvases", { title: "Deployed amid kills" }));
      deployer.canvas = { id: String(made.id), slug: String(made.slug) };
    }
    await check(send, deployer);
    await finish(send, deployer, () => {});
    await check(send, deployer);
    await killAmid(service, randomInt(1, 2 * FILES), (acknowledged) => deploy(send, deployer, acknowledged));
  }
  await requireTidy(directory, url);
  const [service, send] = await start();
  deployer.open = null;
  await check(send, deployer);
  await service.end("SIGKILL");
  return deployer.acknowledged;
}
