import type { DocText, Section } from "./doc-page.ts";

/** The longest query that is searched, in characters, and the most words of it. */
const QUERY_LENGTH = 200;
const WORDS = 12;
/** The length of an excerpt in characters; it ends with a whole word. */
const EXCERPT_LENGTH = 200;

/** A section of a page that a search has found. */
export interface Found<Page extends DocText = DocText> {
  page: Page;
  section: Section;
  /** A part of the text of the section, around the first word. */
  excerpt: string;
}

/** A section with its texts in lower case. */
interface Place<Page> {
  page: Page;
  section: Section;
  heading: string;
  title: string;
  text: string;
}

function excerptOf({ text }: Section, lower: string, words: string[]): string {
  const offset = Math.max(
    0,
    Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), lower.length),
  );
  const start = offset >= lower.length ? 0 : Math.max(0, text.lastIndexOf(" ", Math.max(0, offset - 60)));
  const isCut = start + EXCERPT_LENGTH < text.length;
  const end = isCut ? text.lastIndexOf(" ", start + EXCERPT_LENGTH) : text.length;
  return `${start > 0 ? "… " : ""}${text.slice(start, end > start ? end : start + EXCERPT_LENGTH).trim()}${isCut ? " …" : ""}`;
}

/** Words of questions that say nothing about their subject. */
const COMMON = new Set(
  "a an and are as at be by can could do does for from has have how i if in is it its may me my not of on one or should so that the their them they this to we what when where which who why will with would you your".split(
    " ",
  ),
);

/** Returns a word without the ending of a plural or a participle. */
const stemOf = (word: string): string => word.replace(/(?<=.{4})(ing|ed|es|s)$/, "");

/** Divides a query into its words, or into the stems of those that say something. */
function wordsOf(query: string, needsAll: boolean): string[] {
  const given = query.slice(0, QUERY_LENGTH).toLowerCase();
  const chosen = needsAll
    ? given.split(/\s+/)
    : given.split(/[^\p{L}\p{N}_-]+/u).flatMap((word) => (COMMON.has(word) ? [] : [stemOf(word)]));
  return [...new Set(chosen.filter(Boolean))].slice(0, WORDS);
}

/** Returns how often a text has a word, or one that begins with it. */
function countIn(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] as string)) count++;
  return count;
}

/** How much further occurrences of a word in a text count (BM25), and by how much a long text has more of them. */
const SATURATION = 1.2;
const BY_LENGTH = 0.75;

/** The points of a word in a section: for its heading, the title of its page, and its text. 0 if the word is not there. */
function pointsOf(word: string, { heading, title, text }: Place<unknown>, average: number): number {
  const count = countIn(text, word);
  const length = 1 - BY_LENGTH + (BY_LENGTH * text.length) / average;
  const inText = (count * (SATURATION + 1)) / (count + SATURATION * length);
  return (countIn(heading, word) > 0 ? 4 : 0) + (countIn(title, word) > 0 ? 1 : 0) + inText;
}

/** Finds sections of pages. Keeps their texts in lower case, so that a search only compares. */
export class DocSearch<Page extends DocText> {
  readonly #places: Place<Page>[];
  readonly #average: number;

  constructor(pages: readonly Page[]) {
    this.#places = pages.flatMap((page) =>
      page.sections.map((section) => ({
        page,
        section,
        heading: section.title.toLowerCase(),
        title: page.title.toLowerCase(),
        text: section.text.toLowerCase(),
      })),
    );
    this.#average = this.#places.reduce((sum, { text }) => sum + text.length, 1) / this.#places.length;
  }

  /**
   * Returns the sections that fit a query, the best first, at most `most`: those that have more of its words, above all of the rarer ones. By
   * default they have all of them. With `needsAll: false`, the query can be a question, and words fit in other forms, too. `pause` is called
   * before each word.
   */
  async find(
    query: string,
    pause: () => Promise<void> | undefined,
    { most, needsAll = true }: { most: number; needsAll?: boolean },
  ): Promise<Found<Page>[]> {
    const words = wordsOf(query, needsAll);
    if (words.length === 0) return [];
    const places = this.#places;
    const sums = places.map(() => ({ points: 0, words: 0 }));
    for (const word of words) {
      await pause();
      const points = places.map((place) => pointsOf(word, place, this.#average));
      const having = points.filter((each) => each > 0).length;
      const weight = Math.log(1 + (places.length - having + 0.5) / (having + 0.5));
      for (const [index, sum] of sums.entries()) {
        const point = points[index] as number;
        sum.points += point * weight;
        sum.words += point > 0 ? 1 : 0;
      }
    }
    return places
      .map((place, index) => ({ place, ...(sums[index] as { points: number; words: number }) }))
      .filter((each) => each.points > 0 && (!needsAll || each.words === words.length))
      .sort((a, b) => b.points - a.points)
      .slice(0, most)
      .map(({ place: { page, section, text } }) => ({
        page,
        section,
        excerpt: excerptOf(section, text, words),
      }));
  }
}
