import { Lexer, Parser, Renderer, type Token, type Tokens } from "marked";
import { html } from "../http/html.ts";

/** What a page needs to know of its links and headings to render them. */
export interface Places {
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
export const render = (tokens: Token[], places: Places): string =>
  Parser.parse(tokens, { renderer: new PageRenderer(places) });

class PageRenderer extends Renderer {
  readonly #places: Places;
  constructor(places: Places) {
    super();
    this.#places = places;
  }
  override html({ text }: Tokens.HTML | Tokens.Tag) {
    return html`${text}`.text;
  }
  override heading(token: Tokens.Heading) {
    const text = this.parser.parseInline(token.tokens);
    const tag = `h${token.depth}`;
    if (token.depth === 1) return `<h1>${text}</h1>\n`;
    const id = html`${this.#places.idOf(token)}`.text;
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
    const address = this.#places.addressOf(href);
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
