import { execFileSync } from "node:child_process";
import { rm, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { atEnd, type Scope, temporaryDirectory } from "./service.ts";

/** Mounts a file system of `size` bytes. Returns its directory; null when this user is not allowed to mount. */
export async function smallDisk(scope: Scope, size: number): Promise<string | null> {
  const directory = await temporaryDirectory(scope);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", directory], { stdio: "ignore" });
  } catch {
    return null;
  }
  atEnd(scope, async () => execFileSync("umount", [directory]));
  return directory;
}

/**
 * Fills the file system except for `left` bytes, and returns the path of the file that fills it. A service that runs meanwhile may use some
 * of these bytes.
 */
export async function fill(directory: string, left: number): Promise<string> {
  const file = path.join(directory, "filler");
  await rm(file, { force: true });
  const { bavail, bsize } = await statfs(directory);
  await writeFile(file, Buffer.alloc(bavail * bsize - left)).catch((error) => {
    if (error.code !== "ENOSPC") throw error;
  });
  return file;
}
