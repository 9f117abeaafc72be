import { cp } from "node:fs/promises";
import path from "node:path";
import { build } from "rolldown";
import { bundle } from "../../tools/bundle.ts";
import manifest from "./package.json" with { type: "json" };
import { TEMPLATES } from "./src/init/template-names.ts";

const DIST = path.join(import.meta.dirname, "dist");

await bundle(DIST, {
  name: "main",
  source: path.join(import.meta.dirname, "src/main.ts"),
  target: "node22",
  // `easel dev` always uses SQLite and a bus in memory, so the drivers of PostgreSQL and Redis are not bundled.
  external: ["postgres", "@redis/client"],
  define: { VERSION: JSON.stringify(manifest.version) },
  // The service of `easel dev` has no examples and no dashboard.
  without: ["examples", "dashboard"],
});

// The script of the bar that `easel dev` adds to pages.
await build({
  input: path.join(import.meta.dirname, "bar/bar.ts"),
  platform: "browser",
  transform: { target: "es2022" },
  output: { file: path.join(DIST, "bar.js"), format: "iife", minify: true, comments: { legal: false } },
  logLevel: "warn",
});

// The templates of `easel init`: a minimal page and examples. A README is left out, because a deploy would publish it.
for (const name of TEMPLATES) {
  const source = path.join(import.meta.dirname, name === "minimal" ? "templates" : "../../examples", name);
  const filter = (file: string) => path.basename(file) !== "README.md";
  await cp(source, path.join(DIST, "templates", name), { recursive: true, filter });
}
