import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newWork } from "../../../test/support/work.ts";
import { Refusal } from "../../http/refusal.ts";
import { type Edit, editText, MAX_EDITED_LENGTH } from "./edit-text.ts";

const cases: [name: string, text: string, edit: Edit, result: string][] = [
  ["one occurrence", "abc", { old: "b", new: "x" }, "axc"],
  ["the whole text", "abc", { old: "abc", new: "" }, ""],
  ["all occurrences", "a-a-a", { old: "a", new: "bb", all: true }, "bb-bb-bb"],
  ["all, where they overlap", "aaaaa", { old: "aa", new: "x", all: true }, "xxa"],
  ["signs that patterns have", "a$&b", { old: "$&", new: "$1$$.*" }, "a$1$$.*b"],
  ["several lines", "a\nb\nc", { old: "a\nb", new: "x" }, "x\nc"],
  ["lines of Windows", "a\r\nb\r\nc", { old: "a\nb", new: "x\ny" }, "x\r\ny\r\nc"],
  ["both line ends", "a\nb\r\nc", { old: "a\nb", new: "x\ny" }, "x\ny\r\nc"],
];

for (const [name, text, edit, result] of cases)
  test(`an edit of ${name}`, async () => {
    assert.deepEqual(await editText(text, edit, newWork()), { text: result });
  });

const faults: [name: string, text: string, edit: Edit, fault: string][] = [
  ["no occurrence", "abc", { old: "d", new: "" }, "does not occur"],
  ["another case", "abc", { old: "B", new: "" }, "does not occur"],
  ["an empty text", "abc", { old: "", new: "x", all: true }, "is empty"],
  ["two occurrences", "a\nb\na", { old: "a", new: "" }, "occurs 2 times, in the lines 1 and 3"],
  ["two that overlap", "aXaXa", { old: "aXa", new: "" }, "occurs 2 times, in the lines 1 and 1"],
  ["one longer than the text", "abc", { old: "abcd", new: "" }, "does not occur"],
  ["many", "a\na\na\na\na", { old: "a", new: "" }, "occurs 5 times, in the lines 1, 2 and 3"],
  [
    "two in lines of Windows",
    "a\r\nb\r\na\r\nb",
    { old: "a\nb", new: "" },
    "occurs 2 times, in the lines 1 and 3",
  ],
  [
    "a result that is too large",
    "a".repeat(MAX_EDITED_LENGTH),
    { old: "a", new: "b".repeat(MAX_EDITED_LENGTH), all: true },
    "would make the file larger than 1 MiB",
  ],
];

for (const [name, text, edit, fault] of faults)
  test(`no edit of ${name}`, async () => {
    assert.deepEqual(await editText(text, edit, newWork()), { fault });
  });

test("edits are those of the searches that the language has", async () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(letters, letters, letters, fc.boolean(), async (text, old, replacement, all) => {
      fc.pre(old !== "");
      const edited = await editText(text, { old, new: replacement, all }, newWork());
      const first = text.indexOf(old);
      const isOnce = first !== -1 && text.indexOf(old, first + 1) === -1;
      if (first === -1) assert.deepEqual(edited, { fault: "does not occur" });
      else if (all || isOnce) assert.deepEqual(edited, { text: text.replaceAll(old, () => replacement) });
      else assert.ok("fault" in edited && edited.fault.startsWith("occurs "), JSON.stringify(edited));
    }),
  );
});

test("edits that search or replace too much for one call are refused with what to do instead", async () => {
  const text = "a".repeat(MAX_EDITED_LENGTH);
  const refused = async (edits: Edit[]) => {
    const work = newWork();
    await assert.rejects(
      async () => {
        for (const edit of edits) await editText(text, edit, work);
      },
      (error) => error instanceof Refusal && String(error.body.hint).includes("Send the file whole"),
    );
  };
  await refused([{ old: "a", new: "b", all: true }]);
  await refused(Array.from({ length: 100 }, () => ({ old: "b", new: "c" })));
});
