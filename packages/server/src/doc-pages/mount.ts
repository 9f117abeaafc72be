import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { mountPublicText } from "../content/public-text.ts";
import type { Env } from "../env.ts";
import { html, pageHeaders, printPage, sendPage } from "../http/html.ts";
import { firstValue, type Query } from "../http/query.ts";
import { addressOf, GROUPS, pagesOf } from "./doc-files.ts";
import { type DocPage, docPageOf } from "./doc-page.ts";
import { STYLE } from "./doc-style.ts";
import { contents, type DocGroup, layout } from "./layout.ts";
import { SCRIPT } from "./script.ts";
import { search } from "./search.ts";

const TYPE = "text/html; charset=utf-8";
const PARTS = { style: STYLE, script: SCRIPT };

/** Renders all pages, one in each turn of the event loop. */
async function renderAll(origin: string): Promise<DocGroup[]> {
  const groups: DocGroup[] = [];
  for (const group of GROUPS) {
    const pages: DocPage[] = [];
    for (const page of pagesOf(group)) {
      await nextTurn();
      pages.push(docPageOf(page, origin));
    }
    groups.push({ title: group.title, pages });
  }
  return groups;
}

/**
 * Mounts the documentation for people: `/docs` is the table of contents, `/docs/{page}` a page, `/docs/search?q=` the search over headings
 * and texts. All is public, because the texts are the same on every service. The pages are rendered once, at the first request, because the
 * base URL is final only then.
 */
export function mountDocPages(app: FastifyInstance, env: Env): void {
  let rendered: Promise<DocGroup[]> | undefined;
  const all = () => {
    rendered ??= renderAll(env.base.origin);
    return rendered;
  };
  const headers = pageHeaders(PARTS);
  app.get("/docs/", async (_request, reply) => reply.redirect("/docs"));
  mountPublicText(app, env, {
    path: "/docs",
    type: TYPE,
    headers,
    async print() {
      const groups = await all();
      return printPage({ title: "Documentation", body: layout(groups, null, contents(groups)), ...PARTS });
    },
  });
  for (const address of GROUPS.flatMap(pagesOf).map(addressOf))
    mountPublicText(app, env, {
      path: address,
      type: TYPE,
      headers,
      async print() {
        const groups = await all();
        const page = groups.flatMap(({ pages }) => pages).find((each) => each.address === address);
        if (page === undefined) throw new Error(`${address} is not rendered`);
        return printPage({ title: page.title, body: layout(groups, page, page.body), ...PARTS });
      },
    });
  app.get("/docs/search", async (request, reply) => {
    const query = firstValue(request.query as Query, "q")?.slice(0, 100) ?? "";
    const groups = await all();
    const found = search(
      groups.flatMap(({ pages }) => pages),
      query,
    );
    const results = found.map(
      ({
        page,
        section,
        excerpt,
      }) => html`<li><a class="card" href="${page.address}${section.level === 1 ? "" : `#${section.id}`}"><strong>${section.title}</strong>
<small>${section.level === 1 ? "" : `${page.title}: `}${excerpt}</small></a></li>`,
    );
    const content = html`<h1>Search</h1><p role="status">${
      found.length === 0
        ? `Nothing has all words of “${query}”.`
        : `${found.length} section${found.length === 1 ? "" : "s"} with all words of “${query}”, the best first.`
    }</p><ul class="pages">${results}</ul>`;
    return sendPage(reply, {
      title: query === "" ? "Search" : `${query} · Search`,
      body: layout(groups, null, content, query),
      ...PARTS,
    });
  });
}
