import { existsSync } from "node:fs";
import path from "node:path";

/** Returns the path of `easel.json`. With `--proxy` it may also be in `public`, a folder that Vite copies to the build. */
export function settingsFile(folder: string, isProxied: boolean): string {
  const file = path.join(folder, "easel.json");
  const copied = path.join(folder, "public", "easel.json");
  return isProxied && !existsSync(file) && existsSync(copied) ? copied : file;
}
