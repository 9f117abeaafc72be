import { type Html, html } from "../http/html.ts";
import { type Block, blocksOf } from "./blocks.ts";
import { addressOf, markdownOf, resolveLink } from "./doc-files.ts";
import { inline, plainText, type Resolve } from "./inline.ts";

/** A heading with the text below it, up to the next heading. */
export interface Section {
  level: number;
  title: string;
  /** The id of the heading in the page. */
  id: string;
  /** The text for the search, without marks. */
  text: string;
}

/** A page of the documentation, rendered. */
export interface DocPage {
  address: string;
  title: string;
  /** The first sentence of the page, without marks. */
  summary: string;
  sections: Section[];
  body: Html;
}

/** Returns the id of a heading, as GitHub makes it: letters, digits, hyphens and underscores. */
const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

function textOf(block: Block): string {
  if (block.kind === "table") return [block.head, ...block.rows].flat().map(plainText).join(" ");
  if (block.kind === "list") return block.items.map(plainText).join(" ");
  return block.kind === "code" ? block.text : plainText(block.text);
}

function render(block: Block, id: string, resolve: Resolve): Html {
  switch (block.kind) {
    case "heading": {
      const text = inline(block.text, resolve);
      if (block.level === 1) return html`<h1>${text}</h1>`;
      const anchor = html`<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      if (block.level === 2) return html`<h2 id="${id}">${text}${anchor}</h2>`;
      return block.level === 3
        ? html`<h3 id="${id}">${text}${anchor}</h3>`
        : html`<h4 id="${id}">${text}${anchor}</h4>`;
    }
    case "code":
      return html`<figure>${block.file === null ? null : html`<figcaption>${block.file}</figcaption>`}
<pre tabindex="0"><code>${block.text}</code></pre></figure>`;
    case "list": {
      const items = block.items.map((item) => html`<li>${inline(item, resolve)}</li>`);
      return block.ordered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case "table":
      return html`<div class="table" tabindex="0"><table><thead><tr>${block.head.map(
        (cell) => html`<th scope="col">${inline(cell, resolve)}</th>`,
      )}</tr></thead><tbody>${block.rows.map(
        (row) => html`<tr>${row.map((cell) => html`<td>${inline(cell, resolve)}</td>`)}</tr>`,
      )}</tbody></table></div>`;
    case "paragraph":
      return html`<p>${inline(block.text, resolve)}</p>`;
  }
}

/** Reads and renders a page of the documentation. `origin` is the origin of the service. */
export function docPageOf(page: string, origin: string): DocPage {
  const resolve: Resolve = (link) => resolveLink(page, link);
  const blocks = blocksOf(markdownOf(page, origin));
  const sections: Section[] = [];
  const used = new Map<string, number>();
  const parts = blocks.map((block) => {
    if (block.kind === "heading") {
      const title = plainText(block.text);
      const taken = used.get(idOf(title)) ?? 0;
      used.set(idOf(title), taken + 1);
      sections.push({
        level: block.level,
        title,
        id: taken === 0 ? idOf(title) : `${idOf(title)}-${taken}`,
        text: "",
      });
    } else {
      const section = sections.at(-1);
      if (section !== undefined) section.text += ` ${textOf(block)}`;
    }
    return html`${render(block, sections.at(-1)?.id ?? "", resolve)}\n`;
  });
  const first = blocks.find(({ kind }) => kind === "paragraph" || kind === "table");
  const opening = first?.kind === "paragraph" ? textOf(first).trim() : "";
  return {
    address: addressOf(page),
    title: sections[0]?.title ?? page,
    summary: /^.*?[.:](?= |$)/.exec(opening)?.[0].replace(/:$/, ".") ?? "",
    sections,
    body: html`${parts}`,
  };
}
