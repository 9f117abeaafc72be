import assert from "node:assert/strict";
import { test } from "node:test";
import { slugOf } from "@easel/server/slugs";
import { namingOf, otherSlugs, slugIn, titleIn } from "./naming.ts";

test("a slug is the one that the service would make, or empty", () => {
  for (const title of [
    "Team lunch",
    "Übersicht Straße",
    "Café Olé",
    "a",
    "docs",
    "-- x! --",
    "U\u0308ber uns",
  ]) {
    const slug = slugIn(title);
    if (slug !== "") assert.equal(slug, slugOf(title), title);
  }
  assert.equal(slugIn("Café Olé"), "cafe-ole");
  assert.equal(slugIn("Übersicht"), "uebersicht");
  for (const title of ["مخطط", "docs", "a", ""]) assert.equal(slugIn(title), "", title);
});

test("names come from easel.json, else from the page and the folder", () => {
  const own = { title: "Own", slug: "own-slug" };
  assert.deepEqual(namingOf({ name: "site", pageTitle: "Page", settings: own }), own);
  assert.deepEqual(namingOf({ name: "lunch", pageTitle: "Team lunch", settings: null }), {
    title: "Team lunch",
    slug: "lunch",
  });
  assert.deepEqual(namingOf({ name: "dist", pageTitle: "Team lunch", settings: null }), {
    title: "Team lunch",
    slug: "team-lunch",
  });
  assert.deepEqual(namingOf({ name: "", pageTitle: "", settings: null }), {
    title: "Untitled",
    slug: "untitled",
  });
});

test("the title of a page is one line of text", () => {
  assert.equal(titleIn("<title>\n Tea &lt;b&gt; </title>"), "Tea <b>");
  assert.equal(titleIn("no title"), "");
});

test("two other addresses are proposed, and can be slugs", () => {
  assert.deepEqual(otherSlugs("poll", 0.5), ["poll-2", "poll-i000"]);
  assert.deepEqual(otherSlugs("poll-2", 0), ["poll-3", "poll-0000"]);
  for (const slug of otherSlugs("a".repeat(63))) assert.match(slug, /^[a-z0-9-]{3,63}$/);
});
