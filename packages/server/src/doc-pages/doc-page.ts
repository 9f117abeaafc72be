import { Lexer, Parser, Renderer, type Token, type Tokens } from "marked";
import { Html, html } from "../http/html.ts";
import { addressOf, markdownOf, resolveLink } from "./doc-files.ts";

/** What a page needs to know of its links and headings to render them. */
export interface PageLinks {
  /** Returns the address of a link, or null if the service does not have its target; the text of the link stays. */
  addressOf: (link: string) => string | null;
  /** Returns the id of a heading. */
  idOf: (heading: Tokens.Heading) => string;
}

/** Divides Markdown, as GitHub reads it, into the tokens of its blocks. */
export const tokensOf = (markdown: string): Token[] =>
  Lexer.lex(markdown).filter(({ type }) => type !== "space");

/**
 * Renders tokens of `tokensOf` as HTML. HTML in Markdown is shown as text, and pictures are left out. Headings have a link to themselves; a
 * block of code has the name of its file above it, if its opening fence names one, as in `js lunch/app.js`.
 */
export const render = (tokens: Token[], links: PageLinks): string =>
  Parser.parse(tokens, { renderer: new PageRenderer(links) });

class PageRenderer extends Renderer {
  readonly #links: PageLinks;
  constructor(links: PageLinks) {
    super();
    this.#links = links;
  }
  override html({ text }: Tokens.HTML | Tokens.Tag) {
    return html`${text}`.text;
  }
  override heading(token: Tokens.Heading) {
    const text = this.parser.parseInline(token.tokens);
    const tag = `h${token.depth}`;
    if (token.depth === 1) return `<h1>${text}</h1>\n`;
    const id = html`${this.#links.idOf(token)}`.text;
    const anchor = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
    return `<${tag} id="${id}">${text}${anchor}</${tag}>\n`;
  }
  override code({ lang, text }: Tokens.Code) {
    const [, file] = lang?.split(" ") ?? [];
    return html`<figure>${file === undefined ? null : html`<figcaption>${file}</figcaption>`}
<pre tabindex="0"><code>${text}</code></pre></figure>\n`.text;
  }
  /** A long name can continue on the next line behind each `_` and `/`, so that it does not widen a column of a table. */
  override codespan(token: Tokens.Codespan) {
    return super.codespan(token).replaceAll(/(?<=\w[_/])(?=[\w{])/g, "<wbr>");
  }
  override table(token: Tokens.Table) {
    return `<div class="table" tabindex="0">${super.table(token)}</div>\n`;
  }
  override link({ href, tokens }: Tokens.Link) {
    const text = this.parser.parseInline(tokens);
    const address = this.#links.addressOf(href);
    return address === null ? text : `<a href="${html`${address}`.text}">${text}</a>`;
  }
  override image() {
    return "";
  }
}

/** Returns the text of a token for the search: without marks, in one line. */
export const textOf = (token: Token): string => textIn(token).replaceAll(/\s+/g, " ").trim();

function textIn(token: Token): string {
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((cells) => cells.map((cell) => joined(cell.tokens))).join(" ");
  }
  if (token.type === "list")
    return (token as Tokens.List).items.map((item) => joined(item.tokens, " ")).join(" ");
  if (token.type === "image") return "";
  if ("tokens" in token && token.tokens !== undefined) return joined(token.tokens);
  return "text" in token ? token.text : "";
}

const joined = (tokens: Token[], between = ""): string => tokens.map(textIn).join(between);

/** A heading with the text below it, up to the next heading. */
export interface Section {
  level: number;
  title: string;
  /** The id of the heading in the page. */
  id: string;
  /** The text for the search, without marks. */
  text: string;
  /** The heading and the text as Markdown. */
  markdown: string;
}

/** The texts of a page of the documentation. */
export interface DocText {
  address: string;
  title: string;
  /** The first sentence of the page, without marks. */
  summary: string;
  sections: Section[];
}

/** A page of the documentation, rendered. */
export interface DocPage extends DocText {
  body: Html;
}

/** Returns the id of a heading, as GitHub makes it: letters, digits, hyphens and underscores. */
const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Divides the tokens of a page into sections. Also returns the ids of the headings. */
function sectionsIn(tokens: Token[]): { sections: Section[]; ids: Map<Token, string> } {
  const sections: Section[] = [];
  const ids = new Map<Token, string>();
  const used = new Map<string, number>();
  for (const token of tokens) {
    const markdown = token.raw.trimEnd();
    if (token.type === "heading") {
      const title = textOf(token);
      const taken = used.get(idOf(title)) ?? 0;
      used.set(idOf(title), taken + 1);
      const id = taken === 0 ? idOf(title) : `${idOf(title)}-${taken}`;
      ids.set(token, id);
      sections.push({ level: (token as Tokens.Heading).depth, title, id, text: "", markdown });
    } else {
      const section = sections.at(-1);
      if (section === undefined) continue;
      section.text += ` ${textOf(token)}`;
      section.markdown += `\n\n${markdown}`;
    }
  }
  return { sections, ids };
}

/** Divides Markdown into sections. */
export const sectionsOf = (markdown: string): Section[] => sectionsIn(tokensOf(markdown)).sections;

function docTextIn(page: string, tokens: Token[], sections: Section[]): DocText {
  const first = tokens.find((token) => ["paragraph", "table"].includes(token.type) && textOf(token) !== "");
  const opening = first?.type === "paragraph" ? textOf(first) : "";
  return {
    address: addressOf(page),
    title: sections[0]?.title ?? page,
    summary: /^.*?[.:](?= |$)/.exec(opening)?.[0].replace(/:$/, ".") ?? "",
    sections,
  };
}

/** Reads the texts of a page of the documentation. `origin` is the origin of the service. */
export function docTextOf(page: string, origin: string): DocText {
  const tokens = tokensOf(markdownOf(page, origin));
  return docTextIn(page, tokens, sectionsIn(tokens).sections);
}

/** Reads and renders a page of the documentation. `origin` is the origin of the service. */
export function docPageOf(page: string, origin: string): DocPage {
  const tokens = tokensOf(markdownOf(page, origin));
  const { sections, ids } = sectionsIn(tokens);
  const body = render(tokens, {
    addressOf: (link) => resolveLink(page, link),
    idOf: (heading) => ids.get(heading) ?? "",
  });
  return { ...docTextIn(page, tokens, sections), body: new Html(body) };
}
