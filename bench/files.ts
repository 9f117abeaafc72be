import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { outputOf, pinned, type Server, startNode, startServer } from "./child.ts";
import { startEasel } from "./easel.ts";
import { allowFiles, openPage } from "./page.ts";
import { figure, median, type Table } from "./table.ts";
import type { Transfers } from "./transfers.ts";

const SIZE = 25 * 1024 * 1024;
const AT_ONCE = 8;
const COUNT = 24;
const ROUNDS = 5;
const SAMPLE_MS = 20;
const BOUNDARY = "easel-bench";
const BEFORE = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bench.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
const AFTER = `\r\n--${BOUNDARY}--\r\n`;

interface Result {
  megabytesPerSecond: number;
  last: string;
  /** The highest resident memory of the server during the transfers, in bytes. */
  peak: number;
}

/** Compares uploads and downloads of 25 MiB with a bare server that streams the same bytes to and from disk. */
export async function files(): Promise<Table> {
  const easel = await startEasel(0);
  const bare = await startServer(0, "bench/bare-files.ts", []);
  try {
    await allowFiles(easel.url, 1e12);
    const page = await openPage(easel.url);
    const form = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
    const up = page.target("/files");
    const upload = { method: "POST", before: BEFORE, after: AFTER } as const;
    const idle = [residentBytes(bare), residentBytes(easel)];
    const first = await run(easel, { ...upload, ...up, headers: { ...up.headers, ...form } }, 1);
    // The bare server sends the body of its first upload in downloads, so this body is the file alone, without the parts of a form.
    await run(bare, { method: "POST", path: "/", headers: form, before: "", after: "" }, 1);
    const { id } = JSON.parse(first.last) as { id: string };
    const down = page.target(`/files/${id}/content`);

    const pairs = { upload: [] as Result[][], download: [] as Result[][] };
    for (let round = 0; round <= ROUNDS; round++) {
      const uploads = [
        await run(bare, { ...upload, path: "/", headers: form }),
        await run(easel, { ...upload, ...up, headers: { ...up.headers, ...form } }),
      ];
      const downloads = [
        await run(bare, { method: "GET", path: "/", headers: {} }),
        await run(easel, { method: "GET", ...down }),
      ];
      if (round === 0) continue;
      pairs.upload.push(uploads);
      pairs.download.push(downloads);
    }
    return {
      title: "files: 25 MiB, eight at a time, against a bare server that streams them to and from disk",
      conditions: `Medians of ${ROUNDS} alternating rounds of ${COUNT} transfers. ${pinned ? "Server on core 0, load on core 1." : "NOT PINNED."} Node ${process.version}.`,
      columns: ["", "bare", "this", "ratio", "target"],
      rows: [
        ...row("upload", pairs.upload, idle, "≥ 0.60"),
        ...row("download", pairs.download, idle, "≥ 0.80"),
      ],
    };
  } finally {
    await easel.stop();
    await bare.stop();
  }
}

function row(name: string, pairs: Result[][], idle: number[], target: string): string[][] {
  const rate = (at: number) => median(pairs.map((pair) => pair[at]?.megabytesPerSecond ?? Number.NaN));
  const ratio = median(
    pairs.map(([bare, easel]) => (easel?.megabytesPerSecond ?? 0) / (bare?.megabytesPerSecond ?? 0)),
  );
  const growth = (at: number) =>
    Math.max(...pairs.map((pair) => ((pair[at]?.peak ?? Number.NaN) - (idle[at] ?? Number.NaN)) / 2 ** 20));
  return [
    [`${name} MB/s`, figure(rate(0)), figure(rate(1)), figure(ratio, 2), target],
    [`${name}, memory over idle, MiB`, figure(growth(0)), figure(growth(1)), "", "< 64"],
  ];
}

type Run = Pick<Transfers, "method" | "path" | "headers"> & Partial<Transfers>;

/**
 * Runs transfers in a separate process, and samples the memory of the server at the same time. Syncs the disk first, because the server
 * would otherwise wait for unwritten data of earlier runs when it syncs a file.
 */
async function run(server: Server, options: Run, count = COUNT): Promise<Result> {
  spawnSync("sync");
  const transfers = {
    port: server.port,
    size: SIZE,
    count,
    atOnce: AT_ONCE,
    before: "",
    after: "",
    ...options,
  };
  const child = startNode(1, "bench/transfers.ts", []);
  child.stdin?.end(JSON.stringify(transfers));
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentBytes(server));
  }, SAMPLE_MS);
  try {
    return { ...JSON.parse(await outputOf(child)), peak };
  } finally {
    clearInterval(sampling);
  }
}

/** Returns the resident memory of a server process in bytes; NaN on systems without `/proc`. */
function residentBytes({ pid }: Server): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}
