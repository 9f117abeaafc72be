import { existsSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { ASSETS, assetPath } from "@easel/server/build/assets";
import { build } from "rolldown";
import { printLicenses } from "./licenses.ts";

/** The thread of SQLite. It is a file of its own, beside the chunks (`drivers/db/checkpoints.ts`). */
const THREAD = path.join(import.meta.dirname, "../packages/server/src/drivers/db/checkpoint-worker.ts");

/** A program that contains the service. */
interface Program {
  /** The name of its file, without the ending. */
  name: string;
  /** Its source file. */
  source: string;
  /** The oldest Node that runs it, such as `node24`. */
  target: string;
  /** The packages that it does not contain. */
  external: string[];
  /** Expressions that replace names in the sources. */
  define?: Record<string, string>;
  /** What it does not need of the files that the service reads at run time. */
  without?: (keyof typeof ASSETS)[];
}

/**
 * Bundles a program with all that it imports into the folder `dist`, which is emptied first. Modules that are imported dynamically become
 * chunks that are loaded when they are needed. Beside them are the files that the service reads (`config/assets.ts`), and the licences of the packages
 * that the bundle contains.
 */
export async function bundle(
  dist: string,
  { name, source, target, external, define = {}, without = [] }: Program,
): Promise<void> {
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  const { output } = await build({
    input: { [name]: source, "checkpoint-worker": THREAD },
    external,
    platform: "node",
    transform: { target, define },
    output: {
      dir: dist,
      format: "esm",
      minify: true,
      chunkFileNames: "[name]-[hash].js",
      comments: { legal: false },
    },
    logLevel: "warn",
  });
  const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
  await writeFile(path.join(dist, "LICENSES.txt"), await printLicenses(modules));
  for (const asset of Object.keys(ASSETS) as (keyof typeof ASSETS)[])
    if (!without.includes(asset)) await copyAsset(asset, path.join(dist, "assets", ASSETS[asset]));
}

/** Copies a file or folder that the service reads, without pictures, tests, and what is there compressed as well. */
async function copyAsset(name: keyof typeof ASSETS, target: string): Promise<void> {
  const source = assetPath(name);
  const isRead = (file: string) =>
    path.relative(source, file) !== "images" && !file.endsWith(".test.ts") && !existsSync(`${file}.br`);
  await cp(source, target, { recursive: true, filter: isRead });
}
