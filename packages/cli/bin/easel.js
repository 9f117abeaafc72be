#!/usr/bin/env node
import module from "node:module";

// This file has only syntax that Node 16 understands, so that old versions print the message below and no syntax error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 16)) {
  process.stderr.write(`easel needs Node 22.16 or newer; this is ${process.version}.\n`);
  process.exit(1);
}
module.enableCompileCache?.();
await import("../dist/main.js");
