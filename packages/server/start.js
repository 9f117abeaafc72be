// Plain JavaScript, so that also a Node that cannot read the sources can say so.
const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 26) {
  process.stderr.write(
    `Easel runs on Node 26 and this is ${process.version}. It comes with the dependencies on Linux, macOS and Windows: ` +
      "run `npm ci` and then `npm start`. Elsewhere install Node 26 or newer.\n",
  );
  process.exit(1);
}
// The shell that npm starts does not pass signals on, and ends alone.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  watch.unref();
}
await import("./src/main.ts");
