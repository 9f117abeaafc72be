import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { assetPath } from "../config/assets.ts";

const DOCS = assetPath("docs");

/** Returns the pages of the documentation, as paths below `docs/`. */
export const docPages = (): string[] =>
  existsSync(DOCS)
    ? readdirSync(DOCS, { recursive: true, encoding: "utf8" })
        .map((file) => file.split(path.sep).join("/"))
        .filter((file) => file.endsWith(".md"))
        .sort()
    : [];

/**
 * Returns the Markdown of a page of the documentation. Replaces `http://localhost:3000`, the address in its examples, by the address of
 * this service.
 */
export const docPage = (page: string, base: string): string =>
  readFileSync(path.join(DOCS, page), "utf8").replaceAll("http://localhost:3000", base);

/** Makes relative links of a text from `page` absolute. */
const withAbsoluteLinks = (text: string, page: string, base: string): string =>
  text.replaceAll(/\]\((?!https?:)([^)\s]+)\)/g, (_all, link: string) => {
    const { pathname, hash } = new URL(link.startsWith("#") ? page + link : link, `${base}/docs/${page}`);
    return `](${base}${pathname}${hash})`;
  });

/**
 * Returns the Markdown below a heading of a page, up to the next heading of the same or a higher level. Throws an error if the page has no
 * such heading.
 */
export function sectionOf(page: string, heading: string, base: string): string {
  const text = docPage(page, base);
  const [start, level = ""] = new RegExp(`^(#+) ${heading}\n`, "m").exec(text) ?? [];
  if (start === undefined) throw new Error(`docs/${page} has no heading \`${heading}\``);
  const rest = text.slice(text.indexOf(start) + start.length);
  const end = rest.search(new RegExp(`^#{1,${level.length}} `, "m"));
  return withAbsoluteLinks(end < 0 ? rest : rest.slice(0, end), page, base).trim();
}

/** Returns the first table below a heading of a page. */
export function tableOf(page: string, heading: string, base: string): string {
  const [table] = /^\|(.+\n)+/m.exec(sectionOf(page, heading, base)) ?? [];
  if (table === undefined) throw new Error(`docs/${page} has no table below \`${heading}\``);
  return table.trim();
}

/** Returns a list entry in Markdown: a link to a page with the title of the page as its text, then the first sentence of the page. */
export function linkTo(page: string, base: string): string {
  const text = docPage(page, base);
  const title = /^# (.+)$/m.exec(text)?.[1] ?? page;
  const paragraph = /^# .+\n\n([^#|`\-\n](?:.+\n)+)/m.exec(text)?.[1] ?? "";
  const plain = paragraph.replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, "$1").replaceAll("\n", " ");
  const sentence = /^.*?[.:](?= |$)/.exec(plain.trim())?.[0].replace(/[.:]$/, "");
  return `- [${title}](${base}/docs/${page})${sentence === undefined ? "" : `: ${sentence}`}`;
}
