import { join } from "node:path";
import { build } from "rolldown";
import { writeDeclarations } from "../../tools/declarations.ts";

const dist = join(import.meta.dirname, "dist");

await build({
  input: join(import.meta.dirname, "src/index.ts"),
  platform: "neutral",
  external: ["react", "@easel/sdk", "@easel/sdk/live"],
  transform: { target: "es2022" },
  output: { file: join(dist, "index.js"), format: "esm", sourcemap: true, comments: { legal: false } },
});
await writeDeclarations(import.meta.dirname, ["react/src/index.d.ts"], join(dist, "types"));
