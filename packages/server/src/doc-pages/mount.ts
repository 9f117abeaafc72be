import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { Work } from "../async/work.ts";
import { mountPublicText } from "../content/service-files.ts";
import type { Env } from "../env.ts";
import { type Html, html, pageHeaders, printPage, sendPage } from "../http/html.ts";
import { firstValue, type Query } from "../http/query.ts";
import { networkOf } from "../http/request-headers.ts";
import { clientSignal } from "../http/sockets.ts";
import { addressOf, GROUPS, pagesOf } from "./doc-files.ts";
import type { DocPage } from "./doc-page.ts";
import type { DocSearch } from "./search.ts";

/** The pages below one title of the navigation. */
interface DocGroup {
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
const layout = (groups: DocGroup[], current: DocPage | null, content: Html, query = ""): Html => html`
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Documentation"><form action="/docs/search" role="search"><input type="search" name="q" value="${query}" maxlength="100" aria-label="Search the documentation" placeholder="Search" required><button class="button">Search</button></form>
<details><summary>Contents</summary>
${groups.map(({ title, pages }) => html`<h2>${title}</h2><ul>${pages.map((page) => entry(page, current))}</ul>`)}
<h2>More</h2><ul><li><a href="/openapi.json">OpenAPI document</a></li><li><a href="/skill.md">For coding agents</a></li><li><a href="/">Your canvases</a></li></ul>
</details></nav><div class="content" id="content" tabindex="-1">${content}</div>`;

/** Renders the table of contents. */
const contents = (groups: DocGroup[]): Html => html`<h1>Documentation</h1>
<p>How to make pages with a backend on this service, share them, and run the service.</p>
${groups.map(
  ({ title, pages }) =>
    html`<h2>${title}</h2><ul class="pages grid">${pages.map(
      (page) =>
        html`<li><a class="card" href="${page.address}"><strong>${page.title}</strong><small>${page.summary}</small></a></li>`,
    )}</ul>`,
)}`;

/** The style sheet of the documentation. The pages also have the style sheet that all pages of the service share. */
const STYLE = `
main{max-width:none;padding:0;display:grid;grid-template-columns:minmax(0,1fr)}
.brand{margin:0;padding:1rem 1.25rem;border-bottom:1px solid var(--line);grid-column:1/-1}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem .8rem;z-index:1}
nav{padding:1rem 1.25rem;border-bottom:1px solid var(--line);font-size:.9rem;min-width:0}
nav summary{font-weight:600;cursor:pointer;margin-top:.7rem}nav a{text-decoration:none;color:var(--ink);display:block;padding:.25rem .5rem;border-radius:.4rem}
nav a:hover{background:var(--card)}nav a[aria-current]{background:var(--card);color:var(--accent);font-weight:600}
nav ul{margin:.1rem 0 1rem;gap:0}nav ul ul{margin:.1rem 0 .4rem .6rem;border-left:1px solid var(--line);padding-left:.3rem}nav ul ul a{color:var(--soft)}
nav h2{font-size:.8rem;margin:1rem .5rem 0;color:var(--soft)}
nav form{display:flex;gap:.4rem}nav input{padding:.45rem .65rem;min-width:0}nav .button{margin:0;padding:.4rem .8rem;flex:none}
.content{padding:1.75rem 1.25rem 4rem;max-width:76rem;min-width:0}
.content :is(p,li){color:var(--ink);max-width:44rem}.content li{padding-left:.2rem}
.content ul,.content ol{list-style:disc;padding-left:1.3rem;gap:.3rem;margin:.4rem 0 1.2rem}.content ol{list-style:decimal;display:grid}
.content .pages{list-style:none;padding:0;gap:.6rem;margin:.6rem 0 1.6rem;max-width:54rem}.pages.grid{grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr))}.content .pages li{max-width:none;padding:0}.pages small{font-size:.925rem}
h1{font-size:clamp(1.6rem,5vw,2.1rem)}h2{margin-top:2.8rem;font-size:1.4rem}h3{margin:2rem 0 .3rem;font-size:1.12rem}h4{margin:1.4rem 0 .2rem;font-size:1rem}
h2,h3,h4{line-height:1.3;scroll-margin-top:1rem;text-wrap:balance}
.anchor{margin-left:.4rem;text-decoration:none;color:var(--soft);opacity:0}:is(h2,h3,h4):hover .anchor,.anchor:focus{opacity:1}
:target{outline:2px solid var(--accent);outline-offset:.3rem;border-radius:.2rem}
code,pre{font:.875em/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
:not(pre)>code{box-decoration-break:clone;background:var(--card);border:1px solid var(--line);border-radius:.35rem;padding:.05rem .3rem}
figure{margin:.8rem 0 1.4rem;position:relative;max-width:54rem}figcaption{font:.8rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--soft);margin-bottom:.3rem}
pre{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:.85rem 1rem;margin:0;overflow-x:auto;overflow-wrap:normal}pre code{font-size:1em}
.copy{position:absolute;right:.45rem;bottom:.45rem;font:600 .78rem system-ui,sans-serif;color:var(--soft);background:var(--paper);border:1px solid var(--line);border-radius:.45rem;padding:.3rem .6rem;cursor:pointer}
.copy:hover,.copy:focus-visible{color:var(--accent)}@media(hover:hover){figure:not(:hover) .copy:not(:focus-visible){opacity:0}}
.table{overflow-x:auto;margin:.8rem 0 1.4rem}table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.45rem .8rem .45rem 0;min-width:6rem;overflow-wrap:break-word}th{color:var(--soft)}
.links a{white-space:nowrap}
@media(min-width:60rem){nav details::details-content{content-visibility:visible;display:block}nav summary{display:none}main{grid-template-columns:17rem minmax(0,1fr)}
nav{border:0;border-right:1px solid var(--line);position:sticky;top:0;height:100vh;overflow-y:auto}.content{padding:2rem 3rem 6rem}}`;

/**
 * The script of the documentation: a button that copies each block of code, and the key `/`, which moves the focus to the search. The pages
 * work without it.
 */
const SCRIPT = `
for (const figure of document.querySelectorAll("figure")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(figure.querySelector("code").textContent + "\\n");
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  figure.append(button);
}
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
  event.preventDefault();
  document.querySelector("nav input").focus();
});`;

/** The most results of a search. */
const RESULTS = 20;

const TYPE = "text/html; charset=utf-8";
const PARTS = { style: STYLE, script: SCRIPT };

/** Renders all pages, one in each turn of the event loop. The first time loads the parser of Markdown. */
async function renderAll(origin: string): Promise<DocGroup[]> {
  const { docPageOf } = await import("./doc-page.ts");
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
  let search: DocSearch<DocPage> | undefined;
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
    const { DocSearch: Search } = await import("./search.ts");
    const work = new Work(networkOf(request.ip), clientSignal(request.raw, reply.raw), env);
    search ??= new Search(groups.flatMap(({ pages }) => pages));
    const found = await search.find(query, () => work.pause(), { most: RESULTS });
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
