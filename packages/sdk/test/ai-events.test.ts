import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventParser } from "../src/ai/event-parser.ts";

/** A row of the test: the text of a stream, and the data of its events. */
const rows: Record<string, [text: string, events: string[]]> = {
  "one line per event": ["data: a\n\ndata: b\n\n", ["a", "b"]],
  "CRLF, CR, and both with LF": ["data: a\r\n\r\ndata: b\r\rdata: c\n\r\n", ["a", "b", "c"]],
  "several data lines": ["data: a\ndata: b\r\ndata: c\n\n", ["a\nb\nc"]],
  "comments, blank lines and other fields": [
    ": keep-alive\n\n\n\nevent: x\nid: 1\n: c\ndata: a\nretry: 5\ndatax: b\n\n",
    ["a"],
  ],
  "at most one space after the colon is removed": ["data:a\n\ndata:  b \n\n", ["a", " b "]],
  "an empty data line": ["data:\n\n", [""]],
  "no other line separators": ["data: a\u2028b\u2029c\u0085d\n\n", ["a\u2028b\u2029c\u0085d"]],
  "an event without its blank line is not complete": ["data: a\n\ndata: b\n", ["a"]],
};

for (const [title, [text, events]] of Object.entries(rows)) {
  test(`an event stream with ${title}, split at any place`, () => {
    assert.deepEqual(createEventParser()(text), events);
    for (let at = 0; at <= text.length; at++) {
      const parse = createEventParser();
      assert.deepEqual([...parse(text.slice(0, at)), ...parse(text.slice(at))], events, `split at ${at}`);
    }
    const parse = createEventParser();
    assert.deepEqual([...text].flatMap(parse), events);
  });
}
