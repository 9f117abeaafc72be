import { LIMITS } from "@easel/protocol/limits";
import { hyphenated, isAllowedSlug, withoutUmlauts } from "@easel/server/slug-rules";
import type { Content } from "./content.ts";

/** Names of folders that builds write to. They do not tell one app from another. */
const BUILD_FOLDERS = new Set(["dist", "build", "out", "public", "www", "site", "index"]);

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Shortens a text to the title of a canvas, on one line. */
const asTitle = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, LIMITS.titleLength.value)
    .toWellFormed();

/** Returns the title of a page, or an empty text. `html` is the start of the page. */
export function titleIn(html: string): string {
  const [, title = ""] = /<title[^>]*>([^<]*)</i.exec(html) ?? [];
  return asTitle(title.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? ""));
}

/** Returns the slug that the service makes of a title in Latin letters. Returns an empty text for other scripts, which it transliterates. */
export function slugIn(title: string): string {
  const latin = withoutUmlauts(title).normalize("NFD").replace(/\p{M}/gu, "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
  if (!/^[\u0000-\u007f]*$/.test(latin)) return "";
  const slug = hyphenated(latin);
  return isAllowedSlug(slug) ? slug : "";
}

/** The title and the address of a new canvas. An empty slug lets the service derive it from the title. */
export interface Naming {
  title: string;
  slug: string;
}

/** Returns the names of a new canvas: those in `easel.json`, or derived from the title of the page or the name of the folder. */
export function namingOf({
  name,
  pageTitle,
  settings,
}: Pick<Content, "name" | "pageTitle" | "settings">): Naming {
  const folder = BUILD_FOLDERS.has(name.toLowerCase()) ? "" : asTitle(name);
  const title = settings?.title ?? (pageTitle || folder || "Untitled");
  const slugs = [folder, title].map(slugIn);
  return { title, slug: settings?.slug ?? slugs.find((slug) => slug !== "") ?? "" };
}

/** Returns two addresses to try instead of one that is taken. `random` is below 1. */
export function otherSlugs(slug: string, random = Math.random()): string[] {
  const stem = slug.replace(/-\d+$/, "").slice(0, 48).replace(/-$/, "");
  const number = Number(/-(\d{1,4})$/.exec(slug)?.[1] ?? 1) + 1;
  const letters = Math.floor(random * 36 ** 4)
    .toString(36)
    .padStart(4, "0");
  return [`${stem}-${number}`, `${stem}-${letters}`];
}
