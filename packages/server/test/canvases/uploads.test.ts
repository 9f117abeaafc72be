import assert from "node:assert/strict";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { until } from "@easel/conformance/patience";
import { startSweeping } from "../../src/canvases/sweep.ts";
import { atEnd, startService, temporaryDirectory } from "../support/service.ts";

const HOUR_MS = 60 * 60 * 1000;

test("files that a killed process left are removed at the next start and by later sweeps, recent ones are kept", async (t) => {
  const directory = await temporaryDirectory(t);
  const places = ["uploads", "blobs/staging"].map((name) => path.join(directory, name));
  const leave = async (place: string) => {
    for (const name of ["old", "fresh"]) await writeFile(path.join(place, name), "half");
    const then = new Date(Date.now() - 2 * HOUR_MS);
    await utimes(path.join(place, "old"), then, then);
  };
  const isSwept = () =>
    until("the old files are gone", async () => {
      const left = await Promise.all(places.map((place) => readdir(place)));
      return left.every((names) => !names.includes("old"));
    });
  for (const place of places) {
    await mkdir(place, { recursive: true });
    await leave(place);
  }
  const { env } = await startService(t, { SERVICE_DATA_DIR: directory });
  await isSwept();

  t.mock.timers.enable({ apis: ["setInterval"] });
  atEnd(t, startSweeping(env));
  for (const place of places) await leave(place);
  t.mock.timers.tick(HOUR_MS);
  t.mock.timers.reset();
  await isSwept();
  for (const place of places) assert.deepEqual(await readdir(place), ["fresh"]);
});
