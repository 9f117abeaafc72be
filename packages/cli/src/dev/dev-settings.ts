import { existsSync } from "node:fs";
import path from "node:path";
import { LIMITS } from "@easel/protocol/limits";
import type { EaselJson } from "@easel/server/canvases/publishing/easel-json";
import { isAllowedSlug, slugOf } from "@easel/server/canvases/publishing/slug";

/** Returns the path of `easel.json`. With `--proxy` it may also be in `public`, a folder that Vite copies to the build. */
export function settingsFile(folder: string, isProxied: boolean): string {
  const file = path.join(folder, "easel.json");
  const copied = path.join(folder, "public", "easel.json");
  return isProxied && !existsSync(file) && existsSync(copied) ? copied : file;
}

/** Returns the slug in `easel.json`, or one derived from the folder's name. Returns `my-app` if the slug is not allowed. */
export function slugOfFolder(folder: string, settings: EaselJson | null): string {
  const derived = settings?.slug ?? slugOf(path.basename(folder));
  return isAllowedSlug(derived) ? derived : "my-app";
}

/** Returns the title of a canvas whose `easel.json` has none: the folder's name. */
export const titleOf = (folder: string): string =>
  path.basename(folder).slice(0, LIMITS.titleLength.value) || "app";
