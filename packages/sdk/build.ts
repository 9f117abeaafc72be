import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";

const dist = join(import.meta.dirname, "dist");

/** Bundles an entry file to `dist/{name}`. */
async function bundle(name: string, entry: string, options: BuildOptions): Promise<void> {
  const { outputFiles = [] } = await build({
    entryPoints: [join(import.meta.dirname, "src", entry)],
    outfile: join(dist, name),
    bundle: true,
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
    write: false,
    ...options,
  });
  for (const { path, contents } of outputFiles) await replace(path, contents);
}

/** Writes a file to a temporary name and renames it, because running servers may read it at the same time. */
async function replace(file: string, contents: Uint8Array): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(draft, contents);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

await bundle("v1.js", "global.ts", { format: "iife", minify: true });
await bundle("npm/index.js", "index.ts", { format: "esm", sourcemap: "linked", platform: "neutral" });

const bytes = await readFile(join(dist, "v1.js"));
process.stdout.write(`sdk/v1.js: ${bytes.length} bytes, ${gzipSync(bytes).length} with gzip\n`);
