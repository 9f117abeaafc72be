import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cleanName } from "../identity/users.ts";
import { caption, label } from "./field-schemas.ts";
import { visibleName } from "./visible-name.ts";

const NAMES: [given: string, name: string][] = [
  ["Ada Byron", "Ada Byron"],
  ["  Ada\u3000", "Ada"],
  ["\u2800", ""],
  ["\u2800\u2800 \u2800", ""],
  ["A\u2800da", "Ada"],
  ["\u202egpj.exe", "gpj.exe"],
  ["\u2066Ada\u2069\u200e\u200f\u061c", "Ada"],
  ["Ad\u200b\u00ad\ufeff\u2060a", "Ada"],
  ["\u3164\u115f\u1160\uffa0", ""],
  ["Ada\u{e0041}\u{e007f}", "Ada"],
  ["Ada\u2028Bob\u2029", "AdaBob"],
  ["\u180e\u034f\u{1d159}\ufff9", ""],
  ["\u0301\u0302", ""],
  ["\u200d\u200c", ""],
  ["\u200dAda\u200c", "Ada"],
  // What people need stays.
  ["علی\u200cرضا", "علی\u200cرضا"],
  ["👩\u200d👩\u200d👧 Family ❤️", "👩\u200d👩\u200d👧 Family ❤️"],
  ["أداة", "أداة"],
  ["Zoë — №1 (日本)", "Zoë — №1 (日本)"],
  ["!!!", "!!!"],
  ["⠓⠊", "⠓⠊"],
  ["<b>&amp;</b>", "<b>&amp;</b>"],
];

test("a name has what a reader sees, wherever it comes from", () => {
  for (const [given, name] of NAMES) {
    assert.equal(visibleName(given), name, JSON.stringify(given));
    assert.equal(cleanName(given), name === "" ? null : name);
    const read = label(200).safeParse(given);
    assert.deepEqual([read.success, read.data], name === "" ? [false, undefined] : [true, name]);
    const title = caption(200).safeParse(given);
    assert.deepEqual([title.success, title.data], name === "" ? [false, undefined] : [true, given.trim()]);
  }
});

test("a name stays the same when it is read again", () => {
  const unit = fc.oneof(
    fc.constantFrom("a", " ", "\u202e", "\u200d", "\u200c", "\u2800", "\ufe0f", "👩", "\u0301", "\ud800"),
    fc.string({ unit: "binary", maxLength: 2 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), (parts) => {
      const name = visibleName(parts.join(""));
      assert.equal(visibleName(name), name);
      assert.doesNotMatch(name, /[\p{Cc}\p{Bidi_Control}\u2800]/u);
    }),
    { numRuns: 2_000 },
  );
});
