import { createHash } from "node:crypto";
import { zip } from "../../support/zip.ts";
import { type Attack, type Hostile, repeat } from "../attack.ts";
import { textOf } from "../site.ts";

const ZIP = { "content-type": "application/zip" };
const JSON_TYPE = { "content-type": "application/json" };
const COMPRESSIBLE_FILES = 150;
const COMPRESSIBLE_LENGTH = 60_000;
const LONG_PATHS = 2_000;
const WIDTH = 8;

/** Creates canvases of the hostile person. Returns as many ids as the service allowed. */
async function canvases(hostile: Hostile, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count && !hostile.signal.aborted; index++) {
    const made = await hostile.json({
      method: "POST",
      path: "/api/canvases",
      headers: JSON_TYPE,
      body: JSON.stringify({ title: "Another" }),
    });
    if (typeof made?.id === "string") ids.push(made.id);
  }
  return ids.length === 0 ? [hostile.site.own.id] : ids;
}

/** A few bundles of distinct compressible files, which are deployed again and again. */
const bundles = (count: number): Promise<Buffer[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      zip(
        Object.fromEntries([
          ["index.html", "<p>Hostile.</p>"],
          ...Array.from({ length: COMPRESSIBLE_FILES }, (_, index) => [
            `${index}.txt`,
            textOf(COMPRESSIBLE_LENGTH),
          ]),
        ]),
      ),
    ),
  );

const longPath = (index: number) => `${index}/${"long-name-".repeat(40)}.txt`;

/** Attacks by deploys. */
export const deploys: Attack[] = [
  {
    name: "deploys of 150 compressible files",
    async run(hostile) {
      const [ids, zips] = [await canvases(hostile, WIDTH), await bundles(4)];
      await repeat(hostile, WIDTH, (index) =>
        hostile.ask({
          method: "PUT",
          path: `/api/canvases/${ids[index % ids.length]}/bundle`,
          headers: ZIP,
          body: zips[index % zips.length] as Buffer,
        }),
      );
    },
  },
  {
    name: "deploys that are aborted",
    async run(hostile) {
      const zips = await bundles(2);
      await repeat(hostile, WIDTH, (index) =>
        hostile.ask({
          method: "PUT",
          path: `/api/canvases/${hostile.site.own.id}/bundle`,
          headers: ZIP,
          body: zips[index % zips.length] as Buffer,
          abortAfterMs: 50 + (index % 10) * 50,
        }),
      );
    },
  },
  {
    name: "staged deploys with long paths",
    async run(hostile) {
      const sha256 = createHash("sha256").update("x").digest("hex");
      const files = [
        { path: "index.html", sha256, size: 1 },
        ...Array.from({ length: LONG_PATHS }, (_, index) => ({ path: longPath(index), sha256, size: 1 })),
      ];
      const at = `/api/canvases/${hostile.site.own.id}/deploys`;
      await repeat(hostile, 4, async (index) => {
        const begun = await hostile.json({
          method: "POST",
          path: at,
          headers: JSON_TYPE,
          body: JSON.stringify({ files }),
        });
        if (begun === null) return;
        if (index % 2 === 0) return hostile.ask({ method: "DELETE", path: `${at}/${begun.id}` });
        await hostile.ask({
          method: "PUT",
          path: `${at}/${begun.id}/blobs/${sha256}`,
          headers: { "content-type": "application/octet-stream" },
          body: "x",
        });
        return hostile.ask({
          method: "POST",
          path: `${at}/${begun.id}/finish`,
          headers: JSON_TYPE,
          body: "{}",
        });
      });
    },
  },
];
