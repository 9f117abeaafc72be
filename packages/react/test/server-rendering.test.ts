import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { useChannel, useCollection, useKv, useMe, usePresence } from "../src/index.ts";

function Everything() {
  const { data: viewer, isLoading } = useMe();
  const { data: votes } = useKv("votes", { initial: 0 });
  const { data: ideas, hasMore } = useCollection("ideas");
  const { error } = useChannel("pens", () => {});
  const { data: people } = usePresence("pens");
  return JSON.stringify([viewer ?? null, isLoading, votes, ideas, hasMore, error ?? null, people]);
}

test("a server renders what is there before anything is read, and sends nothing", () => {
  const html = renderToString(createElement(Everything));
  assert.equal(html.replaceAll("&quot;", '"'), "[null,true,0,[],false,null,[]]");
});
