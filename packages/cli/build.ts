import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { build } from "rolldown";
import manifest from "./package.json" with { type: "json" };

const DIST = path.join(import.meta.dirname, "dist");

/** Bundles `src/main.ts` and everything that it imports. Modules that are imported on use become chunks of their own. */
await rm(DIST, { recursive: true, force: true });
await mkdir(DIST, { recursive: true });
await build({
  input: { main: path.join(import.meta.dirname, "src/main.ts") },
  platform: "node",
  transform: { target: "node22", define: { VERSION: JSON.stringify(manifest.version) } },
  output: {
    dir: DIST,
    format: "esm",
    minify: true,
    chunkFileNames: "[name]-[hash].js",
    comments: { legal: false },
  },
  logLevel: "warn",
});
