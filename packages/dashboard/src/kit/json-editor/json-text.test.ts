import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { faultsIn, lineOf, readJson } from "./json-text.ts";

const accepts = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** What is wrong with a text, and the part of it that is marked. */
const found = (text: string) =>
  readJson(text).faults.map(({ message, from, to }) => [message, text.slice(from, to)]);

describe("JSON as text", () => {
  it("what is JSON, is so exactly where JSON.parse says it", () => {
    const pieces = [
      ..."{}[],:\"\\'/ \n\t.-+eE01u",
      "null",
      "true",
      '"a"',
      "12",
      "\u0000",
      "\ufeff",
      "é",
      "\ud800",
    ];
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((all) => all.join(""));
    fc.assert(
      fc.property(soup, (text) => assert.equal(readJson(text).isJson, accepts(text), JSON.stringify(text))),
      { numRuns: 4_000 },
    );
    const nearly = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom("", ...pieces), fc.nat(2))
      .map(([text, at, piece, less]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(place + less);
      });
    fc.assert(
      fc.property(nearly, (text) => {
        const { isJson, faults } = readJson(text);
        assert.equal(isJson, accepts(text), JSON.stringify(text));
        assert.equal(faults.filter(({ severity }) => severity === "error").length, isJson ? 0 : 1);
        for (const { from, to } of faults) assert.ok(0 <= from && from <= to && to <= text.length);
      }),
      { numRuns: 4_000 },
    );
  });

  it("the first fault is told in words, with the part that is wrong", () => {
    assert.deepEqual(found(" "), [["The text is empty. An object is {}.", ""]]);
    assert.deepEqual(found("{'a': 1}"), [["Texts stand in double quotes, not in single ones.", "'"]]);
    assert.deepEqual(found("{a: 1}"), [["The name of a field is due here, in double quotes.", "a"]]);
    assert.deepEqual(found('{"a" 1}'), [["A colon is missing after “a”.", '"a" ']]);
    assert.deepEqual(found('{"a": 1 "b": 2}'), [["A comma is missing before this.", '"']]);
    assert.deepEqual(found("[1, 2,]"), [["No comma may stand before ].", ","]]);
    assert.deepEqual(found('{"a": [1, 2}'), [["Here a ] is due, not a }.", "}"]]);
    assert.deepEqual(found('{"a": {"b": 1}'), [["The { that begins here has no }.", "{"]]);
    assert.deepEqual(found("{} {}"), [["Nothing may follow the value that ends before this.", "{"]]);
    assert.deepEqual(found("[01]"), [["“01” is no number of JSON.", "01"]]);
    assert.deepEqual(found("[yes]"), [["“yes” is no value of JSON. Texts stand in double quotes.", "yes"]]);
    assert.deepEqual(found("[1] // all"), [["JSON has no comments.", "//"]]);
    assert.deepEqual(found('["a\nb"]'), [
      ["The text that begins here has no closing quote. A line break in it is written \\n.", '"a'],
    ]);
    assert.deepEqual(found('["C:\\dir"]'), [
      ["Here \\ begins no escape. A \\ in a text is written \\\\.", "\\d"],
    ]);
    assert.deepEqual(found('{"a":'), [["The text ends where a value is due.", ":"]]);
  });

  it("warns of fields that are there twice, and of numbers that are not kept as they are", () => {
    assert.deepEqual(found('{"a": 1, "b": {"a": 2}, "\\u0061": 3}'), [
      ["The field “a” is here twice. The last one counts.", '"\\u0061"'],
    ]);
    assert.deepEqual(found("[9007199254740993, 9007199254740992, 1e400, 0.1]"), [
      [
        "This number is kept as 9007199254740992. A text in double quotes keeps all digits.",
        "9007199254740993",
      ],
      ["This number is too large, and is not kept.", "1e400"],
    ]);
    assert.equal(readJson("[9007199254740993]").isJson, true);
  });

  it("a path leads to its value, or to the innermost one around it", () => {
    const text = '{"a": {"b": [1, {"c": true}]}, "__proto__": 2}';
    const { placeOf } = readJson(text);
    const at = (...path: (string | number)[]) => {
      const { from, to } = placeOf(path);
      return text.slice(from, to);
    };
    assert.equal(at("a", "b", 1, "c"), "true");
    assert.equal(at("a", "b", 1, "d"), '{"c": true}');
    assert.equal(at("__proto__"), "2");
    assert.equal(at("constructor"), text);
    assert.equal(at(), text);
  });

  it("faults of values stand beside those of the text, each with its line", () => {
    const text = '{\n  "a": 1,\n  "a": {"b": 2}\n}';
    const further = [{ path: ["a", "b", "c"], message: "No number." }];
    assert.deepEqual(
      faultsIn(text, further).map(({ message, place }) => [message, place?.line, place?.column]),
      [
        ["The field “a” is here twice. The last one counts.", 3, 3],
        ["No number.", 3, 14],
      ],
    );
  });

  it("nesting of any depth is read", () => {
    const deep = 200_000;
    assert.equal(readJson("[".repeat(deep) + "]".repeat(deep)).isJson, true);
    assert.deepEqual(found("[".repeat(deep)), [["The [ that begins here has no ].", "["]]);
  });

  it("lines and columns count from 1", () => {
    assert.deepEqual(lineOf("ab\ncd\n", 0), { line: 1, column: 1 });
    assert.deepEqual(lineOf("ab\ncd\n", 4), { line: 2, column: 2 });
    assert.deepEqual(lineOf("ab\ncd\n", 6), { line: 3, column: 1 });
    assert.deepEqual(lineOf("ab\ncd\n", 2), { line: 1, column: 3 });
  });
});
