import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type OutputOptions } from "rolldown";

const dist = join(import.meta.dirname, "dist");

/** Bundles an entry file to `dist/{name}`. */
async function bundle(name: string, entry: string, options: OutputOptions): Promise<void> {
  const file = join(dist, name);
  const { output } = await build({
    input: join(import.meta.dirname, "src", entry),
    platform: "neutral",
    transform: { target: "es2022" },
    write: false,
    output: { file, comments: { legal: false }, ...options },
  });
  for (const part of output)
    await replace(join(dirname(file), part.fileName), part.type === "chunk" ? part.code : part.source);
}

/** Writes a file to a temporary name and renames it, because running servers may read it at the same time. */
async function replace(file: string, contents: string | Uint8Array): Promise<void> {
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
await bundle("npm/index.js", "index.ts", { format: "esm", sourcemap: true });
await bundle("npm/live.js", "live.ts", { format: "esm", sourcemap: true });

const bytes = await readFile(join(dist, "v1.js"));
process.stdout.write(`sdk/v1.js: ${bytes.length} bytes, ${gzipSync(bytes).length} with gzip\n`);
