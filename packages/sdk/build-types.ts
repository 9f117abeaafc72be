import { writeFile } from "node:fs/promises";
import path from "node:path";
import { writeDeclarations } from "../../tools/declarations.ts";

const npm = path.join(import.meta.dirname, "dist/npm");

// `@easel/sdk/global` has types only. Its module is empty, so that a page can import it without a bundler too.
await writeDeclarations(
  import.meta.dirname,
  ["sdk/src/index.d.ts", "sdk/src/window.d.ts", "sdk/src/live.d.ts"],
  path.join(npm, "types"),
);
await writeFile(path.join(npm, "global.js"), "export {};\n");
