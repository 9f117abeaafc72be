#!/usr/bin/env node
import module from "node:module";

// Plain JavaScript that any Node with modules can load, so that old versions print the message below.
const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 22) {
  process.stderr.write(`easel needs Node 22 or newer; this is ${process.version}.\n`);
  process.exit(1);
}
module.enableCompileCache?.();
await import("../dist/main.js");
