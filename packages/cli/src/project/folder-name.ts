import { createReadStream } from "node:fs";
import path from "node:path";
import { LIMITS } from "@easel/protocol/limits";
import { isAllowedSlug, slugOf } from "@easel/server/slugs";
import { kindOf } from "./files.ts";

/** Names of folders that builds write to. They do not tell one app from another. */
const BUILD_FOLDERS = new Set(["dist", "build", "out", "public", "www", "site"]);

/** The number of bytes of a page in which its title is looked for. */
const MAX_HEAD_BYTES = 64 * 1024;

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Shortens a text to the title of a canvas, on one line. */
const asTitle = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, LIMITS.titleLength.value);

/** Returns the name of a folder; that of the folder around it for a build, such as `dist`. Returns an empty text for `/`. */
function baseName(folder: string): string {
  const name = path.basename(folder);
  return BUILD_FOLDERS.has(name.toLowerCase()) ? baseName(path.dirname(folder)) : asTitle(name);
}

/** Returns the title of the page of a folder, or an empty text. */
async function pageTitle(folder: string): Promise<string> {
  const file = path.join(folder, "index.html");
  if ((await kindOf(file)) !== "file") return "";
  const head = Buffer.concat(await Array.fromAsync(createReadStream(file, { end: MAX_HEAD_BYTES - 1 })));
  const [, title = ""] = /<title[^>]*>([^<]*)</i.exec(head.toString("utf8")) ?? [];
  return asTitle(title.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? ""));
}

/** Returns the slug of the first name that makes one that is allowed, or undefined. */
export const firstSlug = (names: readonly string[]): string | undefined =>
  names.map(slugOf).find(isAllowedSlug);

/**
 * Returns the title and the slug of an app whose `easel.json` has none: from the folder's name, or from the title of its page if the name
 * makes no allowed slug. `slug` is undefined if neither makes one.
 */
export async function nameOfFolder(folder: string): Promise<{ title: string; slug: string | undefined }> {
  const [name, page] = [baseName(folder), await pageTitle(folder)];
  return { title: name || page || "App", slug: firstSlug([name, page, `${name} app`]) };
}
