#!/usr/bin/env node
// Plain JavaScript without static imports, so that older Node versions, which cannot load TypeScript, print the message below.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 10)) {
  process.stderr.write(
    `easel-server needs Node 24.10 or newer, and this is ${process.version}. Install one from https://nodejs.org; in a checkout of Easel, ` +
      "`npm ci` installs one that `npm start` and `npx easel-server` use.\n",
  );
  process.exit(1);
}
// npm's shell does not forward signals: stop when that shell has exited.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  watch.unref();
}
// Before the first import: without it Node compiles and strips the types of every source again.
const { enableCompileCache } = await import("node:module");
enableCompileCache();
const { quietSqlite } = await import("./src/drivers/db/quiet-sqlite.ts");
quietSqlite();
await import("./src/main.ts");
