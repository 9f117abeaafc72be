import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

// Servers may be reading the bundle: it is written beside its place and then moved there, in one step.
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
