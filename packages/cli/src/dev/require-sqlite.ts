import { quietSqlite } from "@easel/server/quiet-sqlite";
import { fail } from "../exit.ts";

/** Throws a `Failure` if the SQLite of this Node lacks what the service needs. Must be called before the service is imported. */
export function requireSqlite(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major === 22 && minor < 16)
    fail(`easel dev needs Node 22.16 or newer; this is ${process.version}.`, { exit: "usage" });
  quietSqlite();
}
