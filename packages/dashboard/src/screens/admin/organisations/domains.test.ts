import assert from "node:assert/strict";
import { it } from "node:test";
import { changesAccess, domainFault, domainsIn, type Preview, previewWords } from "./domains.ts";

const person = (email: string) => ({ id: email, email, name: email });
const moved = (count: number, ...emails: string[]) => ({ count, people: emails.map(person) });
const NOTHING: Preview = { joining: moved(0), leaving: moved(0), taken: [], canvases: 3 };
const plain = (texts: string[]) => texts.map((text) => text.replace(/[\u2068\u2069]/g, ""));

it("domains are read as people write them", () => {
  assert.deepEqual(domainsIn(" Acme.test, @b.test\nacme.test;c.test \n"), ["acme.test", "b.test", "c.test"]);
  assert.equal(domainFault(["acme.test", "localhost", "a-b.c1"]), null);
  for (const bad of ["a_b.test", "-a.test", "a..b", "ä.test", "a@b.test", `${"a".repeat(64)}.test`])
    assert.match(domainFault(["acme.test", bad]) ?? "", /is not a domain/, bad);
  assert.match(domainFault(Array.from({ length: 101 }, (_, index) => `d${index}.test`)) ?? "", /at most 100/);
});

it("a change is told with the names of the first people and the number of all", () => {
  assert.deepEqual(previewWords(NOTHING), []);
  assert.equal(changesAccess(NOTHING), false);
  const taken = [{ domain: "x.test", org: { id: "x", name: "X" } }];
  assert.equal(changesAccess({ ...NOTHING, taken }), true);
  const preview: Preview = {
    joining: moved(7, "a@x.test", "b@x.test", "c@x.test", "d@x.test", "e@x.test", "f@x.test"),
    leaving: moved(1, "z@y.test"),
    taken: [{ domain: "x.test", org: { id: "x", name: "X" } }],
    canvases: 1,
  };
  assert.equal(changesAccess(preview), true);
  assert.deepEqual(plain(previewWords(preview)), [
    "x.test moves here from X, which loses it.",
    "7 people become members, which opens 1 canvas that all members may open: a@x.test, b@x.test, c@x.test, d@x.test, e@x.test and 2 others.",
    "1 person is not a member any more, which closes 1 canvas that all members may open: z@y.test.",
  ]);
});
