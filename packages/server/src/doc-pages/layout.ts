import { type Html, html } from "../http/html.ts";
import type { DocPage } from "./doc-page.ts";

/** The pages below one title of the navigation. */
export interface DocGroup {
  title: string;
  pages: DocPage[];
}

const sectionsOf = ({ sections }: DocPage): Html => {
  const shown = sections.filter(({ level }) => level === 2);
  return html`<ul>${shown.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
};

function entry(page: DocPage, current: DocPage | null): Html {
  if (page !== current) return html`<li><a href="${page.address}">${page.title}</a></li>`;
  return html`<li><a href="${page.address}" aria-current="page">${page.title}</a>${sectionsOf(page)}</li>`;
}

/**
 * Renders the body of a page of the documentation: the search, the navigation, and `content`. `current` is the page that is shown, null for
 * the table of contents and the search.
 */
export const layout = (groups: DocGroup[], current: DocPage | null, content: Html, query = ""): Html => html`
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Documentation"><form action="/docs/search" role="search"><input type="search" name="q" value="${query}" maxlength="100" aria-label="Search the documentation" placeholder="Search" required><button class="button">Search</button></form>
<details><summary>Contents</summary>
${groups.map(({ title, pages }) => html`<h2>${title}</h2><ul>${pages.map((page) => entry(page, current))}</ul>`)}
<h2>More</h2><ul><li><a href="/reference">API reference</a></li><li><a href="/skill.md">For coding agents</a></li><li><a href="/">Your canvases</a></li></ul>
</details></nav><div class="content" id="content" tabindex="-1">${content}</div>`;

/** Renders the table of contents. */
export const contents = (groups: DocGroup[]): Html => html`<h1>Documentation</h1>
<p>How to make pages with a backend on this service, share them, and run the service.</p>
${groups.map(
  ({ title, pages }) =>
    html`<h2>${title}</h2><ul class="pages grid">${pages.map(
      (page) =>
        html`<li><a class="card" href="${page.address}"><strong>${page.title}</strong><small>${page.summary}</small></a></li>`,
    )}</ul>`,
)}`;
