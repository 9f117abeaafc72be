/**
 * Suppresses the warning of Node 24 and older that SQLite is experimental. The service supports these versions, and the person who starts the
 * service can do nothing about it. Must be called before `node:sqlite` is imported.
 */
export function quietSqlite(): void {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: []) => {
    if (!/^SQLite is an experimental feature/.test(String(warning)))
      emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
}
