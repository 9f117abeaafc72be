import { zip } from "../../support/zip.ts";
import { type Attack, repeat } from "../attack.ts";

const ZIP = { "content-type": "application/zip" };
const MANIFEST = JSON.stringify({ format: "easel-data", version: 1 });
const LINES = 50_000;
const EXPORTS = 100;

const importOf = () =>
  zip({
    "manifest.json": MANIFEST,
    "kv/shared.jsonl": Array.from(
      { length: LINES },
      (_, index) => `{"key":"k${index % 500}","value":${index}}`,
    ).join("\n"),
    "collections/notes.jsonl": "0\n".repeat(LINES),
  });

/** Attacks by exports and imports of data. */
export const transfers: Attack[] = [
  {
    name: "100 exports",
    run: (hostile) =>
      repeat(hostile, EXPORTS, () =>
        hostile.ask({ method: "GET", path: `/api/canvases/${hostile.site.own.id}/export` }),
      ),
  },
  {
    name: "exports that nobody reads",
    run: (hostile) =>
      repeat(hostile, EXPORTS, () =>
        hostile.ask({
          method: "GET",
          path: `/api/canvases/${hostile.site.own.id}/export`,
          readsBytes: 1,
          abortAfterMs: 5_000,
        }),
      ),
  },
  {
    name: "imports that the client leaves",
    async run(hostile) {
      const body = await importOf();
      await repeat(hostile, 10, (index) =>
        hostile.ask({
          method: "POST",
          path: `/api/canvases/${hostile.site.own.id}/import?existing=replace`,
          headers: ZIP,
          body,
          abortAfterMs: 500 + (index % 4) * 500,
        }),
      );
    },
  },
];
