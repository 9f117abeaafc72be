import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { printLicenses } from "../../tools/licenses.ts";

/** Writes each asset a second time, as `.br`, at the highest compression, for which the service would take long. */
function precompress(): Plugin {
  return {
    name: "precompress",
    apply: "build",
    async writeBundle({ dir = "" }, bundle) {
      const texts = Object.keys(bundle).filter((name) => name.startsWith("assets/"));
      await Promise.all(
        texts.map(async (name) => {
          const bytes = await readFile(path.join(dir, name));
          await writeFile(path.join(dir, `${name}.br`), await promisify(brotliCompress)(bytes));
        }),
      );
    },
  };
}

/** Writes the licences of the packages that the dashboard contains. */
function licenses(): Plugin {
  return {
    name: "licenses",
    apply: "build",
    async generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: await printLicenses(modules) });
    },
  };
}

/** The service that `npm run dev:dashboard` uses. */
const SERVICE = process.env.EASEL_URL ?? "http://localhost:3000";

/** The paths that the service answers; all others are screens of the dashboard. */
const OF_THE_SERVICE =
  "^/(api|auth|oauth|tokens|docs|sdk|schema|reference|c|v1|favicon.ico|skill.md|openapi.json)(/|$|\\?)";

/** Matches a file of an example that somebody can start from (`deploy/examples.ts`), and captures the name of the example. */
const EXAMPLE = /\/(?:examples|cli\/templates)\/([^/]+)\/[^/]+\?raw$/;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), precompress(), licenses()],
  build: {
    target: "es2023",
    outDir: "dist",
    // Tests add up from it what a screen loads.
    manifest: true,
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // A policy of the page allows no `data:` scripts and styles, and files have names that caches keep.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // The files of an example are loaded together.
          groups: [
            { debugName: "examples", test: EXAMPLE, name: (id) => `example-${EXAMPLE.exec(id)?.[1]}` },
          ],
        },
      },
    },
  },
  server: {
    // The service accepts changes from its own origin only.
    proxy: {
      [OF_THE_SERVICE]: { target: SERVICE, changeOrigin: true, ws: true, headers: { origin: SERVICE } },
    },
  },
});
