import { readFileSync } from "node:fs";
import path from "node:path";
import { filesOf, ROOT } from "../areas.ts";

/** A fenced code block of a page of the documentation. */
export interface Sample {
  /** The page, the heading above the block and the block's number below that heading: `docs/sdk.md#records 1`. */
  name: string;
  page: string;
  /** The anchor of the heading above the block. */
  section: string;
  language: string;
  /** The path at which a reader saves the block: `lunch/index.html` if the block begins with "```html lunch/index.html". */
  file: string | undefined;
  text: string;
}

/** Every page with samples: the README, the documentation, and the READMEs of packages and examples. */
export const PAGES = filesOf([
  "README.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "examples/*/README.md",
]).map((file) => file.split(path.sep).join("/"));

/** Returns the fragment that leads to a heading. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** Returns the code blocks of a Markdown text. */
export function samplesIn(text: string, page: string): Sample[] {
  const samples: Sample[] = [];
  let section = "";
  let number = 0;
  for (const [, heading, language = "", file, code = ""] of text.matchAll(
    /^#+ (.+)$|^(?:```|~~~)(\w*)(?: (\S+))?\n([\s\S]*?)^(?:```|~~~)$/gm,
  )) {
    if (heading !== undefined) {
      section = anchorOf(heading);
      number = 0;
    } else {
      number += 1;
      samples.push({ name: `${page}#${section} ${number}`, page, section, language, file, text: code });
    }
  }
  return samples;
}

/** Returns the code blocks of a page of the repository. */
export const samplesOf = (page: string): Sample[] =>
  samplesIn(readFileSync(path.join(ROOT, page), "utf8"), page);
