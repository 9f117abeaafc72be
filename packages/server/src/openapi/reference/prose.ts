import { Html, html } from "../../http/html.ts";

/** Renders Markdown within a paragraph: code spans, bold text and links. Other Markdown is shown as it is written. */
function inline(text: string): Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^[\]]+\]\([^()]+\))/).map((part) => {
    const [, label = "", address = ""] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    if (address !== "") return html`<a href="${address}">${label}</a>`;
    if (part.startsWith("`")) return html`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith("**")) return html`<strong>${inline(part.slice(2, -2))}</strong>`;
    return html`${part}`;
  });
}

/** Renders the Markdown that descriptions use: paragraphs and lists, with code spans, bold text and links. */
export const prose = (markdown: string): Html[] =>
  markdown.split(/\n{2,}/).map((block) => {
    if (!block.startsWith("- ")) return html`<p>${inline(block)}</p>`;
    const items = block.slice(2).split(/\n- /);
    return html`<ul>${items.map((item) => html`<li>${inline(item)}</li>`)}</ul>`;
  });

/** Renders a sentence, without a paragraph around it. */
export const sentence = (markdown: string): Html =>
  new Html(
    inline(markdown)
      .map(({ text }) => text)
      .join(""),
  );
