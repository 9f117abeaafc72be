import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { test } from "node:test";
import { upload } from "@easel/conformance/files/form";
import { stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "../../support/engines.ts";
import { fill, smallDisk } from "../../support/small-disk.ts";
import { stored } from "./stored.ts";

const MIB = 1024 * 1024;

for (const [what, settings] of [
  ["a reserve", {}],
  ["no reserve", { SERVICE_DISK_RESERVE_BYTES: "0" }],
] as const) {
  test(`on a full disk with ${what}, uploads get 507 and leave nothing, files are read, and both work again with space`, async (t) => {
    const directory = await smallDisk(t, 40 * MIB);
    if (directory === null) return t.skip("mounting a file system needs rights that this user has not");
    const quiet = { SERVICE_DATA_DIR: directory, SERVICE_LOG_LEVEL: "silent", ...settings };
    const { target, env } = await startDev(t, quiet);
    const canvas = await stage(target, { switches: { files: true } });
    const { owner } = canvas.pages;
    const kept = await upload(owner, {}, { bytes: "kept" });
    assert.equal(kept.status, 201);
    const previous = await stored(env);

    const filler = await fill(directory, MIB);
    refused(await upload(owner, {}, { bytes: randomBytes(4 * MIB) }), 507, "INSUFFICIENT_STORAGE");
    assert.deepEqual(await stored(env), previous);
    await fill(directory, 0);
    refused(await upload(owner, {}, { bytes: randomBytes(64 * 1024) }), 507, "INSUFFICIENT_STORAGE");
    assert.deepEqual(await stored(env), previous);
    assert.equal((await owner.get(`/files/${kept.json.id}/content`)).text, "kept");
    assert.equal((await owner.get("/files")).status, 200);

    await rm(filler);
    assert.equal((await upload(owner, {}, { bytes: randomBytes(4 * MIB) })).status, 201);
    assert.equal((await owner.get(`/files/${kept.json.id}/content`)).text, "kept");
  });
}
