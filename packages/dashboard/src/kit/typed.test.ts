import assert from "node:assert/strict";
import { it } from "node:test";
import { isTyped } from "./typed.ts";

it("a title is typed as it is seen", () => {
  for (const [title, typed] of [
    ["Team lunch poll", " team  LUNCH poll "],
    ["Übersicht Straße", "U\u0308bersicht stra\u00dfe"],
    ["\u202eevil\u2069 title", "evil title"],
    ["Caf\u00e9\u00a0two", "cafe\u0301 two"],
    ["مخطط الفريق", "مخطط الفريق"],
    ["<b>Hostile</b>", "<b>Hostile</b>"],
  ] as const)
    assert.ok(isTyped(title, typed), title);
  for (const [title, typed] of [
    ["Team lunch poll", ""],
    ["Team lunch poll", "Team lunch"],
    ["Poll", "Poll 2"],
  ] as const)
    assert.ok(!isTyped(title, typed), title);
});
