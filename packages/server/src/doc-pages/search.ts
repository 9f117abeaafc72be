import type { DocPage, Section } from "./doc-page.ts";

/** The longest query that is searched, in characters, and the most words of it. */
const QUERY_LENGTH = 100;
const WORDS = 6;
const RESULTS = 20;
/** The length of an excerpt in characters; it ends with a whole word. */
const EXCERPT_LENGTH = 200;

/** A section of a page that contains all words of a query. */
export interface Found {
  page: DocPage;
  section: Section;
  /** A part of the text of the section, around the first word. */
  excerpt: string;
}

/** The points of a section for each word in its title, in the title of its page, and in its text. */
function points(words: string[], { title }: DocPage, section: Section): number {
  const [heading, page, text] = [section.title, title, section.text].map((each) => each.toLowerCase()) as [
    string,
    string,
    string,
  ];
  let sum = section.level === 1 ? 1 : 0;
  for (const word of words) {
    const found =
      (heading.includes(word) ? 8 : 0) + (page.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0);
    if (found === 0) return 0;
    sum += found;
  }
  return sum;
}

function excerptOf({ text }: Section, words: string[]): string {
  const lower = text.toLowerCase();
  const place = Math.max(
    0,
    Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), lower.length),
  );
  const start = place >= lower.length ? 0 : Math.max(0, text.lastIndexOf(" ", Math.max(0, place - 60)));
  const isCut = start + EXCERPT_LENGTH < text.length;
  const end = isCut ? text.lastIndexOf(" ", start + EXCERPT_LENGTH) : text.length;
  return `${start > 0 ? "… " : ""}${text.slice(start, end > start ? end : start + EXCERPT_LENGTH).trim()}${isCut ? " …" : ""}`;
}

/** Returns the sections that contain all words of a query, the best first. */
export function search(pages: readonly DocPage[], query: string): Found[] {
  const words = query.slice(0, QUERY_LENGTH).toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS);
  if (words.length === 0) return [];
  return pages
    .flatMap((page) =>
      page.sections.map((section) => ({ page, section, points: points(words, page, section) })),
    )
    .filter((each) => each.points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, RESULTS)
    .map(({ page, section }) => ({ page, section, excerpt: excerptOf(section, words) }));
}
