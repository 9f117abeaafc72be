import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, describe, it, test } from "node:test";
import { send } from "@easel/conformance/http";
import { blocksOf } from "../../src/doc-pages/blocks.ts";
import { addressOf, GROUPS } from "../../src/doc-pages/doc-files.ts";
import { docPageOf } from "../../src/doc-pages/doc-page.ts";
import { inline, plainText } from "../../src/doc-pages/inline.ts";
import { search } from "../../src/doc-pages/search.ts";
import { startDev } from "../support/engines.ts";
import { ROOT } from "../support/import-tests.ts";
import { anchorOf } from "../support/samples.ts";

const { target } = await startDev({ after });
const get = (address: string, accept = "text/html") =>
  send(target.base, { method: "GET", path: address, headers: [["Accept", accept]] });

const pages = GROUPS.flatMap((group) => group.pages).map((page) => docPageOf(page, target.base));

describe("Markdown within a line", () => {
  const resolve = (link: string) =>
    link === "gone.md" ? null : link.startsWith("https:") ? link : `/docs/${link}`;
  for (const [markdown, rendered, plain] of [
    ["a <b> & `<c>`", "a &lt;b&gt; &amp; <code>&lt;c&gt;</code>", "a <b> & <c>"],
    ["**[A `b`](c)** d", '<strong><a href="/docs/c">A <code>b</code></a></strong> d', "A b d"],
    ["[a](gone.md), *em*, 2*3*4", "a, <em>em</em>, 2<em>3</em>4", "a, em, 234"],
    [
      "`` `a` ``, <https://x.example/?a&b>",
      '<code>`a`</code>, <a href="https://x.example/?a&amp;b">https://x.example/?a&amp;b</a>',
      "`a`, https://x.example/?a&b",
    ],
    ['[x](a"onclick=1)', '<a href="/docs/a&quot;onclick=1">x</a>', "x"],
    ["![picture](a.png)`**`", "<code>**</code>", "**"],
  ] as const) {
    it(markdown, () => {
      assert.equal(inline(markdown, resolve).text, rendered);
      assert.equal(plainText(markdown), plain);
    });
  }
});

test("blocks of Markdown", () => {
  const text =
    "# A\n\nb\nc\n\n- d\n  e\n- f\n\n1. g\n\n| a | `b\\|c` |\n|---|---|\n| 1 | 2 |\n\n```js x/y.js\n# no\n```";
  assert.deepEqual(blocksOf(text), [
    { kind: "heading", level: 1, text: "A" },
    { kind: "paragraph", text: "b c" },
    { kind: "list", ordered: false, items: ["d e", "f"] },
    { kind: "list", ordered: true, items: ["g"] },
    { kind: "table", head: ["a", "`b|c`"], rows: [["1", "2"]] },
    { kind: "code", file: "x/y.js", text: "# no" },
  ]);
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
  it("finds a section by words of its heading and text, and escapes the query", async () => {
    const [best] = search(pages, "Createmany import");
    assert.equal(best?.section.title, "Import of many records");
    const { status, text } = await get("/docs/search?q=%3Cb%3Elemon&q=cake");
    assert.equal(status, 200);
    assert.ok(text.includes("Nothing has all words of “&lt;b&gt;lemon”."));
  });

  it("needs all words, and finds nothing for none", () => {
    assert.deepEqual(search(pages, "lemon zzzz"), []);
    assert.deepEqual(search(pages, " "), []);
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
