import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, describe, it, test } from "node:test";
import { send } from "@easel/conformance/http";
import { addressOf, GROUPS } from "../../src/doc-pages/doc-files.ts";
import { docPageOf, render, textOf, tokensOf } from "../../src/doc-pages/doc-page.ts";
import { DocSearch } from "../../src/doc-pages/search.ts";
import { ROOT } from "../areas.ts";
import { startDev } from "../support/engines.ts";
import { anchorOf } from "../support/samples.ts";

const { target } = await startDev({ after });
const get = (address: string, accept = "text/html") =>
  send(target.base, { method: "GET", path: address, headers: [["Accept", accept]] });

const pages = GROUPS.flatMap((group) => group.pages).map((page) => docPageOf(page, target.base));

const places = {
  addressOf: (link: string) => (link.startsWith("https:") ? link : link === "c" ? "/docs/c" : null),
  idOf: () => 'a"b',
};
const rendered = (markdown: string) => render(tokensOf(markdown), places).trim();

describe("Markdown", () => {
  for (const [markdown, expected] of [
    [
      "`A_LONG_NAME` `/v1/{id}</b>`",
      "<p><code>A_<wbr>LONG_<wbr>NAME</code> <code>/v1/<wbr>{id}&lt;/b&gt;</code></p>",
    ],
    ["a <b> & `<c>`", "<p>a &lt;b&gt; &amp; <code>&lt;c&gt;</code></p>"],
    ["<script>x()</script>", "&lt;script&gt;x()&lt;/script&gt;"],
    ["<a href='https://x.example'>b</a>", "<p>&lt;a href=&#39;https://x.example&#39;&gt;b&lt;/a&gt;</p>"],
    ["[a](javascript:x) [b](data:x) [c](gone.md)", "<p>a b c</p>"],
    ['[x](https://x.example/"onclick=1 "y")', '<p><a href="https://x.example/&quot;onclick=1">x</a></p>'],
    [
      "[x](<https://x.example/'\"onclick=1>)",
      '<p><a href="https://x.example/&#39;&quot;onclick=1">x</a></p>',
    ],
    ["**[A `b`](c)** d", '<p><strong><a href="/docs/c">A <code>b</code></a></strong> d</p>'],
    ['![<b>](a.png "c")`**`', "<p><code>**</code></p>"],
    [
      "## A <b>",
      '<h2 id="a&quot;b">A &lt;b&gt;<a class="anchor" href="#a&quot;b" aria-label="Link to this section">#</a></h2>',
    ],
    [
      "```js <b>\n</code><i>\n```",
      '<figure><figcaption>&lt;b&gt;</figcaption>\n<pre tabindex="0"><code>&lt;/code&gt;&lt;i&gt;</code></pre></figure>',
    ],
  ] as const) {
    it(markdown, () => assert.equal(rendered(markdown), expected));
  }

  it("becomes plain text for the search", () => {
    const text = "- a\n  *b*`<c>`\n- ![d](e)f\n\n| g | `h\\|i` |\n|---|---|\n| [j](k) | l |\n\n~~~\n# m\n~~~";
    assert.equal(tokensOf(text).map(textOf).join(" "), "a b<c> f g h|i j l # m");
  });
});

test("every Markdown file of docs/ is a page of the navigation, and has its address", async () => {
  const files = readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => file.replace(/\.md$/, ""));
  const listed = GROUPS.flatMap((group) => group.pages);
  assert.deepEqual(listed.filter((page) => !page.startsWith("../")).sort(), files.sort());
  const { text } = await get("/docs");
  for (const page of listed) assert.ok(text.includes(`href="${addressOf(page)}"`), page);
});

describe("every page of the documentation", () => {
  for (const { address, title, sections, body } of pages) {
    it(`${address} is public, and all its Markdown is rendered`, async () => {
      const { status, headers, text } = await get(address);
      assert.deepEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"]);
      assert.match(
        String(headers["content-security-policy"]),
        /^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; script-src 'sha256-[^']+';/,
      );
      assert.ok(text.includes(`<title>${title} · Easel</title>`));
      const marks = body.text
        .replaceAll(/<(code|figcaption)>[\s\S]*?<\/\1>/g, "")
        .replaceAll(/<[^<>]+>/g, "");
      assert.doesNotMatch(marks, /\*\*|\]\(|`/);
      assert.ok(!body.text.includes("<th></th>"), "a heading of a table is empty");
      for (const line of marks.split("\n")) assert.doesNotMatch(line.trim(), /^(#+|-|\d+\.|\|) /);
      for (const { title: heading, id } of sections) assert.ok(id.startsWith(anchorOf(heading)), heading);
      assert.equal(new Set(sections.map(({ id }) => id)).size, sections.length);
    });

    it(`the links of ${address} lead to a page, and to a heading of it`, async () => {
      for (const [, to = ""] of body.text.matchAll(/href="([^"]+)"/g)) {
        if (!/^[/#]/.test(to)) continue;
        const [place = "", anchor] = to.split("#");
        const other = pages.find((each) => each.address === (place || address));
        assert.ok(other !== undefined, to);
        assert.ok(anchor === undefined || other.sections.some(({ id }) => id === anchor), to);
      }
    });
  }
});

describe("the search of the documentation", () => {
  const search = new DocSearch(pages);
  const find = (query: string, options: { most: number; needsAll?: boolean }) =>
    search.find(query, () => undefined, options);

  it("finds a section by words of its heading and text, and escapes the query", async () => {
    const [best] = await find("Createmany import", { most: 1 });
    assert.equal(best?.section.title, "Import of many records");
    const { status, text } = await get("/docs/search?q=%3Cb%3Elemon&q=cake");
    assert.equal(status, 200);
    assert.ok(text.includes("Nothing has all words of “&lt;b&gt;lemon”."));
  });

  it("needs all words, and finds nothing for none", async () => {
    assert.deepEqual(await find("lemon zzzz", { most: 1 }), []);
    assert.deepEqual(await find(" ", { most: 1 }), []);
  });

  for (const [question, page, heading] of [
    ["How do I upload files?", "Browser SDK", "Files"],
    ["who may read the submissions of a person", "Browser SDK", "Submissions"],
    ["what does `KEY_LIMIT` mean", "Browser SDK", "Errors"],
    ["can a person vote only once", "Recipes", "One vote a person and card"],
    ["showing names of people", "Browser SDK", "Names of people"],
    ["live cursors", "Browser SDK", "Live data"],
    ["going back to an older version", "Publishing and serving", "Versions"],
    ["reveal votes later", "Sharing and rights", "Phases"],
  ] as const)
    it(`finds the best sections for the words of a question: ${question}`, async () => {
      const found = await find(question, { most: 5, needsAll: false });
      assert.ok(found.some((each) => each.page.title === page && each.section.title === heading));
    });
});

test("a program without sign-in learns from / where the instructions are", async () => {
  const { status, json, headers } = await get("/", "*/*");
  assert.deepEqual(
    [status, Object.keys(json), json.help],
    [401, ["error", "help"], `${target.base}/skill.md`],
  );
  assert.equal(headers.link, `<${target.base}/skill.md>; rel="help"`);
});
