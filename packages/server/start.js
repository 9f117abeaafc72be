// Plain JavaScript, so that older Node versions, which cannot load TypeScript, print the message below.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 10)) {
  process.stderr.write(
    `The service needs Node 24.10 or newer and this is ${process.version}. A newer Node comes with the dependencies on Linux, macOS and ` +
      "Windows: run `npm ci` and then `npm start`. Elsewhere install Node 24.10 or newer.\n",
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
