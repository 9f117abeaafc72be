import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { FORM_TYPE, formOf } from "@easel/conformance/files/form";
import { until } from "@easel/conformance/patience";
import { coreData } from "../../../src/canvases/core-data.ts";
import { sweepBlobs } from "../../../src/canvases/sweep.ts";
import { readConfig } from "../../../src/config/config.ts";
import { local } from "../../../src/drivers/blobs/local.ts";
import { openDb } from "../../../src/drivers/index.ts";
import type { Env } from "../../../src/env.ts";
import { filesData } from "../../../src/primitives/files/data.ts";
import { keysOf } from "../../drivers/blobs-contract.ts";
import { killAmid, signIn, startProcess } from "../../support/process.ts";
import { temporaryDirectory } from "../../support/service.ts";

const KILLS = 1;
const UPLOADERS = 6;
const HOUR_MS = 60 * 60 * 1000;
const API = "/v1/c/guestbook/files";

/** The bytes of the files whose upload was acknowledged, by id. */
type Known = Map<string, Buffer>;

interface Service {
  base: string;
  headers: { cookie: string };
}

/** Uploads files, and sometimes deletes one, until the service is killed. */
async function write({ base, headers }: Service, known: Known, acknowledged: () => void): Promise<void> {
  const own: string[] = [];
  for (;;) {
    const bytes = randomBytes(randomInt(1, 200_000));
    try {
      const form = { "content-type": FORM_TYPE, ...headers };
      const made = await fetch(base + API, { method: "POST", headers: form, body: formOf({}, { bytes }) });
      assert.equal(made.status, 201);
      const { id } = (await made.json()) as { id: string };
      known.set(id, bytes);
      own.push(id);
      acknowledged();
      const gone = randomInt(3) === 0 ? own.shift() : undefined;
      if (gone === undefined) continue;
      // Until the deletion is acknowledged, the file may or may not exist after a kill.
      known.delete(gone);
      assert.equal((await fetch(`${base}${API}/${gone}`, { method: "DELETE", headers })).status, 200);
      acknowledged();
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

/** Sends half of a form and never the rest. Resolves when the service is killed. */
async function stall({ base, headers }: Service): Promise<void> {
  const form = formOf({}, { bytes: randomBytes(300_000) });
  const body = new ReadableStream({ start: (controller) => controller.enqueue(form.subarray(0, 150_000)) });
  const request = {
    method: "POST",
    headers: { "content-type": FORM_TYPE, ...headers },
    body,
    duplex: "half",
  };
  await assert.rejects(fetch(base + API, request as RequestInit));
}

/** Requires that every acknowledged file is stored with its bytes, and that every listed file is readable. */
async function check({ base, headers }: Service, known: Known): Promise<void> {
  const { files } = (await (await fetch(base + API, { headers })).json()) as {
    files: { id: string; size: number }[];
  };
  const listed = new Set(files.map(({ id }) => id));
  for (const id of known.keys()) assert.ok(listed.has(id), `file ${id} was acknowledged`);
  for (const { id, size } of files) {
    const content = await fetch(`${base}${API}/${id}/content`, { headers });
    assert.equal(content.status, 200);
    const bytes = Buffer.from(await content.arrayBuffer());
    assert.equal(bytes.length, size);
    assert.ok(known.get(id)?.equals(bytes) ?? true, `file ${id} has other bytes`);
  }
}

test("files survive kill -9, and the sweep leaves nothing else", {
  timeout: 600_000,
}, async (t) => {
  const directory = await temporaryDirectory(t);
  const root = path.join(directory, "blobs");
  const staged = () => readdir(path.join(root, "staging"));
  const known: Known = new Map();
  for (let kill = 0; kill <= KILLS; kill++) {
    const process = await startProcess(t, directory);
    const service = { base: process.base, headers: await signIn(process.base) };
    await check(service, known);
    if (kill === KILLS) {
      await process.end("SIGKILL");
      break;
    }
    // The first files of the examples may be written meanwhile.
    const before = new Set(await staged());
    await killAmid(process, randomInt(2 * UPLOADERS, 8 * UPLOADERS), async (acknowledged) => {
      const stalled = stall(service);
      await until("an upload is being written", async () =>
        (await staged()).some((name) => !before.has(name)),
      );
      const writers = Array.from({ length: UPLOADERS }, () => write(service, known, acknowledged));
      await Promise.all([stalled, ...writers]);
    });
  }
  assert.ok(known.size > 0);

  assert.ok((await staged()).length >= KILLS);
  const config = readConfig({ SERVICE_DATABASE_URL: `sqlite:${path.join(directory, "easel.db")}` });
  const [db, blobs] = [await openDb(config, assert.ifError), await local(root)];
  try {
    const later = Date.now() + 2 * HOUR_MS;
    await sweepBlobs({ db, blobs, canvasData: [coreData, filesData], clock: () => later } as unknown as Env);
    await blobs.tidy(later);
    assert.deepEqual(await db.all`select id from blob_claims`, []);
    assert.deepEqual(await staged(), []);
    const rows = await db.all<{ blob_key: string }>`
      select blob_key from files union select blob_key from bundle_blobs`;
    assert.deepEqual(await keysOf(blobs), rows.map(({ blob_key }) => blob_key).sort());
    const sums = await db.all`
      select files.canvas_id from files join file_bytes on file_bytes.canvas_id = files.canvas_id
      group by files.canvas_id having sum(size) <> max(bytes)`;
    assert.deepEqual(sums, []);
  } finally {
    await Promise.all([db.close(), blobs.close()]);
  }
});
