import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { before, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { uploadsOf } from "../../../src/canvases/publishing/upload.ts";
import { sweepBlobs } from "../../../src/canvases/sweep.ts";
import { keysOf } from "../../drivers/blobs-contract.ts";
import { onSqlite } from "../../support/engines.ts";
import { visit } from "../../support/publish.ts";
import { forge, zip, zip64Field } from "../../support/zip.ts";
import { listed, publish, share, update } from "./share-form.ts";

const HOUR_MS = 60 * 60 * 1000;
const INDEX = { name: "index.html", content: "hostile" };

const HOSTILE: [name: string, bytes: Buffer][] = [
  ["a path above the bundle", forge([INDEX, { name: "../up.txt" }])],
  [
    "a proof to a certificate authority",
    forge([INDEX, { name: ".well-known/acme-challenge/token" }, { name: ".well-known/acme-challenge/" }]),
  ],
  ["a link", forge([INDEX, { name: "link", mode: 0o120777 }])],
  ["an encrypted entry", forge([INDEX, { name: "a.txt", flags: 0x801 }])],
  ["names that differ only in case", forge([INDEX, { name: "INDEX.html" }])],
  ["a name that is not UTF-8", forge([INDEX, { name: Buffer.from([0xff]) }])],
  ["headers that disagree", forge([{ ...INDEX, local: { name: "other.html" } }])],
  ["entries that overlap", forge([INDEX, { name: "b.html", offset: 0 }])],
  ["a damaged file after a sound one", forge([INDEX, { name: "a.txt", crc: 1 }])],
  ["8 MiB from 8 KiB", forge([INDEX, { name: "a.bin", content: Buffer.alloc(2 ** 23), method: 8 }])],
  [
    "a size of 2^62",
    forge([
      { ...INDEX, size: 0xffffffff, compressedSize: 0xffffffff, extra: zip64Field(2n ** 62n, 2n ** 62n) },
    ]),
  ],
  ["half a zip", forge([INDEX]).subarray(0, -30)],
  ["words", Buffer.from("no zip, only words")],
];

await onSqlite(
  "bundles of authoring",
  (target, env) => {
    let site: Stage;
    let made: AuthoredCanvas;
    before(async () => {
      site = await stage(target, { switches: { authoring: true }, access: "whole_org" });
      made = share(await publish(site.pages.viewer, {}, { "index.html": "as it was" }));
    });
    const page = async ({ url }: AuthoredCanvas) => {
      const [slug = ""] = new URL(url).pathname.split("/").slice(2);
      return (await visit(target, slug, site.people.viewer)).text;
    };
    /** Returns the state that a refused bundle must not change. First removes the blobs to which nothing refers. */
    async function state() {
      await sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
      return {
        versions: await env.db.all`select id, state from versions order by id`,
        files: await env.db
          .all`select version_id, path, blob_key from version_files order by version_id, path`,
        known: await env.db.all`select blob_key, uses from bundle_blobs order by blob_key`,
        blobs: await keysOf(env.blobs),
        uploads: await readdir(uploadsOf(env)),
        page: await page(made),
      };
    }

    for (const [name, bytes] of HOSTILE) {
      it(`${name}: 502 UPDATE_PARTIAL or PUBLISH_FAILED, and the live version stays alone`, async () => {
        const asItWas = await state();
        assert.deepEqual([asItWas.uploads, asItWas.page], [[], "as it was"]);
        refused(await update(site.pages.viewer, made.id, {}, bytes), 502, "UPDATE_PARTIAL");
        const failed = await publish(site.pages.viewer, {}, bytes);
        refused(failed, 502, "PUBLISH_FAILED");
        assert.deepEqual(await state(), asItWas);
        const draft = (await listed(site.pages.viewer)).find(({ id }) => id === failed.json.id);
        assert.deepEqual([draft?.publicationStatus, draft?.version], ["draft", null]);
      });
    }

    it("a single HTML file is published as index.html", async () => {
      const text = "<!doctype html><title>One</title>";
      const one = share(await publish(site.pages.viewer, {}, Buffer.from(text)));
      assert.equal(await page(one), text);
      share(await update(site.pages.viewer, one.id, {}, Buffer.from(`${text}<p>Two`)));
      assert.equal(await page(one), `${text}<p>Two`);
    });

    it("the only page of a zip is its start page", async () => {
      const one = share(await publish(site.pages.viewer, {}, await zip({ "report.html": "the report" })));
      assert.equal(await page(one), "the report");
    });
  },
  { SERVICE_AUTHORING: "on" },
);
