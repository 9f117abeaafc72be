import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { ASSETS, assetPath } from "@easel/server/build/assets";
import { build } from "rolldown";
import { printLicenses } from "./build-licenses.ts";
import manifest from "./package.json" with { type: "json" };
import { TEMPLATES } from "./src/init/template-names.ts";

const DIST = path.join(import.meta.dirname, "dist");

await rm(DIST, { recursive: true, force: true });
await mkdir(DIST, { recursive: true });

// Bundles `src/main.ts` and everything that it imports. Modules that are imported dynamically become separate chunks.
const { output } = await build({
  input: {
    main: path.join(import.meta.dirname, "src/main.ts"),
    "checkpoint-worker": path.join(import.meta.dirname, "../server/src/drivers/db/checkpoint-worker.ts"),
  },
  // `easel dev` always uses SQLite and a bus in memory, so the drivers of PostgreSQL and Redis are not bundled.
  external: ["postgres", "@redis/client"],
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

const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
await writeFile(path.join(DIST, "LICENSES.txt"), await printLicenses(modules));

// The script of the bar that `easel dev` adds to pages.
await build({
  input: path.join(import.meta.dirname, "bar/bar.ts"),
  platform: "browser",
  transform: { target: "es2022" },
  output: { file: path.join(DIST, "bar.js"), format: "iife", minify: true, comments: { legal: false } },
  logLevel: "warn",
});

// The files that the service of `easel dev` reads. It needs no examples, no dashboard and no pictures.
for (const [name, file] of Object.entries(ASSETS)) {
  if (name === "examples" || name === "dashboard") continue;
  const source = assetPath(name as keyof typeof ASSETS);
  await cp(source, path.join(DIST, "assets", file), {
    recursive: true,
    filter: (each) => path.relative(source, each) !== "images",
  });
}

// The templates of `easel init`: a minimal page and examples. A README is left out, because a deploy would publish it.
for (const name of TEMPLATES) {
  const source = path.join(import.meta.dirname, name === "minimal" ? "templates" : "../../examples", name);
  const filter = (file: string) => path.basename(file) !== "README.md";
  await cp(source, path.join(DIST, "templates", name), { recursive: true, filter });
}
