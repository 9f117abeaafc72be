import { createHash } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEasel } from "./easel.ts";
import { call, createCanvas, signIn, textOf, zipOf } from "./published.ts";
import { figure, median, type Table } from "./table.ts";

const FILES = 1_000;
const SIZE = 10_000;
const ROUNDS = 3;
const CHANGES = 5;
const TARGET_MS = 150;
const WRITES_AT_ONCE = 4;
const UPLOADS_AT_ONCE = 8;

type Files = Record<string, string>;

/**
 * Measures how long deploys take: the first one of 1,000 files, and later ones with one changed file. For comparison, also measures how
 * long it takes to write the same files to a folder and sync them.
 */
export async function deploys(): Promise<Table> {
  const easel = await startEasel("any");
  const folder = await mkdtemp(join(tmpdir(), "easel-bench-files-"));
  try {
    const session = await signIn(easel.url);
    const zipped = { first: [] as number[], changed: [] as number[] };
    const staged = { first: [] as number[], changed: [] as number[] };
    const bare = { first: [] as number[], changed: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      const ids = [await createCanvas(easel.url, session), await createCanvas(easel.url, session)];
      const files = bundleOf();
      for (let change = 0; change <= CHANGES; change++) {
        const part = change === 0 ? "first" : "changed";
        const changed = change === 0 ? files : { [`${change}.html`]: textOf(SIZE) };
        Object.assign(files, changed);
        const zip = await zipOf(files);
        const path = (index: number) => `/api/canvases/${ids[index]?.id}`;
        bare[part].push(await timed(() => write(changed, folder)));
        zipped[part].push(await timed(() => call(easel.url, session, "PUT", `${path(0)}/bundle`, zip)));
        const contents = byHash(files);
        staged[part].push(await timed(() => stage(easel.url, session, path(1), files, contents)));
      }
    }
    const row = (name: string, part: "first" | "changed", times: typeof bare) => {
      const [base, own] = [median(bare[part]), median(times[part])];
      const target = part === "changed" ? `< ${TARGET_MS}` : "";
      return [name, figure(base, 1), figure(own, 1), figure(own / base, 2), target];
    };
    return {
      title: "static: a deploy of 1,000 files of 10 KB, in ms, against writing and syncing the same files",
      conditions: `Medians of ${ROUNDS} first deploys, and of ${ROUNDS * CHANGES} with one changed file. Not pinned: a deploy uses several threads. Node ${process.version}.`,
      columns: ["", "bare", "this", "ratio", "target"],
      rows: [
        row("zipped, first", "first", zipped),
        row("zipped, one file changed", "changed", zipped),
        row("staged, first", "first", staged),
        row("staged, one file changed", "changed", staged),
      ],
    };
  } finally {
    await easel.stop();
    await rm(folder, { recursive: true });
  }
}

const bundleOf = (): Files => ({
  "index.html": textOf(SIZE),
  ...Object.fromEntries(Array.from({ length: FILES - 1 }, (_, index) => [`${index}.html`, textOf(SIZE)])),
});

const byHash = (files: Files): Map<string, string> =>
  new Map(
    Object.values(files).map((content) => [createHash("sha256").update(content).digest("hex"), content]),
  );

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function inParallel<Item>(items: Item[], width: number, work: (item: Item) => Promise<unknown>) {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Writes files to a folder, and syncs the files and the folder to disk. */
async function write(files: Files, folder: string): Promise<void> {
  await inParallel(Object.entries(files), WRITES_AT_ONCE, async ([name, content]) => {
    const file = await open(join(folder, name), "w");
    await file.writeFile(content);
    await file.sync();
    await file.close();
  });
  const directory = await open(folder, "r");
  await directory.sync();
  await directory.close();
}

/** Makes a staged deploy: sends the list of files, uploads the contents that the service does not have, and publishes the version. */
async function stage(
  base: string,
  session: string,
  canvas: string,
  files: Files,
  contents: Map<string, string>,
): Promise<void> {
  const hashes = [...contents.keys()];
  const listed = Object.entries(files).map(([path, content], index) => {
    return { path, sha256: hashes[index], size: content.length };
  });
  const begun = await call(base, session, "POST", `${canvas}/deploys`, JSON.stringify({ files: listed }));
  const { id, missing } = (await begun.json()) as { id: string; missing: string[] };
  await inParallel(missing, UPLOADS_AT_ONCE, (hash) =>
    call(
      base,
      session,
      "PUT",
      `${canvas}/deploys/${id}/blobs/${hash}`,
      Buffer.from(contents.get(hash) ?? ""),
    ),
  );
  await call(base, session, "POST", `${canvas}/deploys/${id}/finish`, "{}");
}
