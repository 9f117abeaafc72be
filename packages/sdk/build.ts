import { randomUUID } from "node:crypto";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

// The bundle is written to a temporary file and renamed, because running servers may read it at the same time.
const bundle = join(import.meta.dirname, "dist/v1.js");
const draft = `${bundle}.${randomUUID()}.tmp`;

try {
  await build({
    entryPoints: [join(import.meta.dirname, "src/global.ts")],
    outfile: draft,
    bundle: true,
    format: "iife",
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  await rename(draft, bundle);
} finally {
  await rm(draft, { force: true });
}

const bytes = await readFile(bundle);
process.stdout.write(`sdk/v1.js: ${bytes.length} bytes, ${gzipSync(bytes).length} with gzip\n`);
