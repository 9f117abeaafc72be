import assert from "node:assert/strict";
import { test } from "node:test";
import { contextOf } from "../src/context.ts";
import { EaselError } from "../src/errors.ts";

const canvases: [href: string, slug: string, base: string][] = [
  // path mode
  ["https://easel.example/c/tea/", "tea", "https://easel.example"],
  ["https://easel.example/c/tea", "tea", "https://easel.example"],
  ["https://easel.example/c/tea/a/b/c.html?d=/c/x/#/c/y/", "tea", "https://easel.example"],
  ["https://easel.example:8443/c/tea/", "tea", "https://easel.example:8443"],
  ["http://localhost:3000/c/tea/", "tea", "http://localhost:3000"],
  ["http://127.0.0.1:3000/c/tea/", "tea", "http://127.0.0.1:3000"],
  ["http://[::1]:3000/c/tea/", "tea", "http://[::1]:3000"],
  ["https://easel.example/c/t%65a%2Dtime/", "tea-time", "https://easel.example"],
  ["https://apps.easel.example/c/tea/", "tea", "https://apps.easel.example"],
  // subdomain mode
  ["https://tea.easel.example/", "tea", "https://easel.example"],
  ["https://tea.easel.example/a/b/c.html?d#e", "tea", "https://easel.example"],
  ["https://tea.easel.example:8443/", "tea", "https://easel.example:8443"],
  ["https://TEA.easel.example/", "tea", "https://easel.example"],
  ["https://tea.apps.easel.example/", "tea", "https://apps.easel.example"],
  ["http://tea.localhost:3000/", "tea", "http://localhost:3000"],
  ["http://tea.localhost/", "tea", "http://localhost"],
  ["https://tea.easel.example/cc/x/", "tea", "https://easel.example"],
  ["https://tea.easel.example/c", "tea", "https://easel.example"],
  ["https://tea.easel.example/c/", "tea", "https://easel.example"],
  ["https://tea.easel.example/a/c/x/", "tea", "https://easel.example"],
];

for (const [href, slug, base] of canvases) {
  test(`${href} is ${slug} on ${base}`, () => assert.deepEqual(contextOf(href), { slug, base }));
}

/** Addresses whose meaning depends on the URL mode. `context` is the slug and the base, or null if the address is not that of a canvas. */
const known: [href: string, mode: "path" | "subdomain", context: string | null][] = [
  ["https://tea.easel.example/c/cup/", "subdomain", "tea https://easel.example"],
  ["https://tea.easel.example/c/cup/c/tin/", "subdomain", "tea https://easel.example"],
  ["http://tea.easel.localhost:3000/c/cup", "subdomain", "tea http://easel.localhost:3000"],
  ["https://tea.easel.example/", "subdomain", "tea https://easel.example"],
  ["http://localhost:3000/c/cup/", "subdomain", null],
  ["http://127.0.0.1:3000/c/cup/", "subdomain", null],
  ["https://tea.easel.example/c/cup/", "path", "cup https://tea.easel.example"],
  ["https://tea.easel.example/c/cup/c/tin/", "path", "cup https://tea.easel.example"],
  ["https://tea.easel.example/", "path", null],
];

for (const [href, mode, context] of known) {
  test(`${href} in ${mode} mode is ${context ?? "no canvas"}`, () => {
    if (context === null) return assert.throws(() => contextOf(href, mode), EaselError);
    const { slug, base } = contextOf(href, mode);
    assert.equal(`${slug} ${base}`, context);
  });
}

const others: (string | undefined)[] = [
  undefined,
  "about:blank",
  "about:srcdoc",
  "data:text/html,hello",
  "file:///c/tea/index.html",
  "blob:https://tea.easel.example/0-0",
  "http://localhost:3000/",
  "http://localhost.:3000/",
  "http://127.0.0.1:3000/",
  "http://0x7f.1/",
  "http://[::1]:3000/tea/",
  "http://localhost:3000/c//",
  "http://localhost:3000/c/%ff/",
  "http://localhost:3000/dashboard/c/tea/",
];

for (const href of others) {
  test(`${href} is no canvas`, () => {
    assert.throws(
      () => contextOf(href),
      (error) =>
        error instanceof EaselError &&
        error.code === "REQUEST_FAILED" &&
        error.status === 0 &&
        error.message.includes("not part of a canvas"),
    );
  });
}
