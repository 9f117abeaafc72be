import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { assetPath } from "../config/assets.ts";

/**
 * The pages of the documentation in the order of the navigation. Each is the path of a Markdown file below `docs/`, without its ending.
 * `../` leads to a file in the root of the repository; such a page has an address of its own.
 */
export const GROUPS: { title: string; pages: string[] }[] = [
  {
    title: "Start",
    pages: ["../README", "dashboard", "first-canvas", "tutorial", "recipes", "how-it-works", "help"],
  },
  { title: "Build", pages: ["agents", "choosing", "sdk", "stylesheet", "vite", "react", "easel-json"] },
  { title: "Command line", pages: ["cli", "dev", "ci"] },
  { title: "Share", pages: ["sharing", "publishing"] },
  {
    title: "HTTP",
    pages: ["http/runtime", "http/realtime", "http/management", "http/errors", "http/limits", "contract"],
  },
  {
    title: "Operate",
    pages: [
      "install",
      "operating",
      "backups",
      "monitoring",
      "growing",
      "identity",
      "people",
      "mail",
      "settings",
      "../SECURITY",
      "threat-model",
      "asvs",
    ],
  },
];

/** The assets of the pages outside `docs/`, and the names that these pages have in addresses. */
const OUTSIDE = { "../README": ["readme", "start"], "../SECURITY": ["security", "security"] } as const;

const outside = (page: string) => OUTSIDE[page as keyof typeof OUTSIDE];

/** Returns the path of a page in the service, such as `/docs/http/errors`. */
export const addressOf = (page: string): string => `/docs/${outside(page)?.[1] ?? page}`;

/** Returns the pages whose files exist. */
export const pagesOf = (group: { pages: string[] }): string[] =>
  group.pages.filter((page) => existsSync(fileOf(page)));

function fileOf(page: string): string {
  const asset = outside(page)?.[0];
  return asset === undefined ? `${path.join(assetPath("docs"), page)}.md` : assetPath(asset);
}

/** Returns the Markdown of a page. Replaces `http://localhost:3000`, the address in its examples, by the address of this service. */
export const markdownOf = (page: string, origin: string): string =>
  readFileSync(fileOf(page), "utf8").replaceAll("http://localhost:3000", origin);

/**
 * Returns the address of a link in a page: of a page of the documentation, of a heading in the same page, or of another site. Returns null
 * for files of the repository that the service does not have.
 */
export function resolveLink(page: string, link: string): string | null {
  if (/^https?:/.test(link) || link.startsWith("#")) return link;
  const [file = "", anchor] = link.split("#");
  const target = path.posix.join(path.posix.dirname(page), file).replace(/\.md$/, "");
  const known = GROUPS.some(({ pages }) => pages.includes(target));
  return known ? addressOf(target) + (anchor === undefined ? "" : `#${anchor}`) : null;
}
