import { fail } from "../exit.ts";

/**
 * Throws a `Failure` if the SQLite of this Node lacks what the service needs. On Node 22 and 23, suppresses the warning that SQLite is
 * experimental. Must be called before the service is imported.
 */
export function requireSqlite(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major === 22 && minor < 16)
    fail(`easel dev needs Node 22.16 or newer; this is ${process.version}.`, { exit: "usage" });
  if (major > 23) return;
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: []) => {
    if (!/^SQLite is an experimental feature/.test(String(warning)))
      emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
}
