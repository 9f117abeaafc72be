import assert from "node:assert/strict";
import { it } from "node:test";
import { editorsFirst, editorsOf, type OwnedCanvas, sharesOf } from "./plan.ts";
import { leaverWords, leftWords, shareWords } from "./words.ts";

const canvas = (id: string, ...editors: string[]): OwnedCanvas => ({
  id,
  slug: id,
  title: `Canvas ${id}`,
  editors,
});
const A = canvas("a", "bo@acme.test", "cy@acme.test");
const B = canvas("b", "cy@acme.test");
const C = canvas("c");

const none = { sessions: 0, tokens: 0, apps: 0, guests: 0 };

const plain = (text: string) => text.replace(/[\u2068\u2069]/g, "");

it("those who edit the most come first, and the first editor of each canvas can take it", () => {
  assert.deepEqual(editorsOf([A, B, C]), [
    { email: "cy@acme.test", canvases: 2 },
    { email: "bo@acme.test", canvases: 1 },
  ]);
  assert.deepEqual(editorsFirst([A, B, C]), { a: "bo@acme.test", b: "cy@acme.test" });
});

it("each person takes what is chosen for them, the rest and the teams go to one", () => {
  const choice = { to: "di@acme.test", others: { a: "bo@acme.test", gone: "cy@acme.test" }, teams: true };
  assert.deepEqual(sharesOf([A, B, C], true, choice), [
    { to: "bo@acme.test", canvases: [A], teams: false },
    { to: "di@acme.test", canvases: [B, C], teams: true },
  ]);
  assert.deepEqual(sharesOf([A], false, choice), [{ to: "bo@acme.test", canvases: [A], teams: false }]);
  assert.deepEqual(sharesOf([], true, choice), [{ to: "di@acme.test", canvases: [], teams: true }]);
  assert.deepEqual(sharesOf([], true, { ...choice, teams: false }), []);
});

it("what happens is said in words", () => {
  const many = Array.from({ length: 7 }, (_, index) => canvas(String(index)));
  assert.equal(
    plain(shareWords({ to: "bo@acme.test", canvases: [A, B], teams: false }, 0)),
    "bo@acme.test takes 2 canvases: Canvas a and Canvas b.",
  );
  assert.equal(
    plain(shareWords({ to: "bo@acme.test", canvases: many, teams: true }, 1)),
    "bo@acme.test takes 7 canvases and 1 team: Canvas 0, Canvas 1, Canvas 2, Canvas 3, Canvas 4 and 2 others.",
  );
  assert.equal(
    plain(shareWords({ to: "bo@acme.test", canvases: [], teams: true }, 2)),
    "bo@acme.test takes 2 teams.",
  );
  assert.match(
    leaverWords("Ada", { deactivate: true, endGuests: false }, { ...none, sessions: 1 })[1] ?? "",
    /^This ends 1 session for good/,
  );
  assert.match(
    leaverWords("Ada", { deactivate: false, endGuests: false }, { ...none, sessions: 1 })[0] ?? "",
    /stays an editor/,
  );
  assert.deepEqual(
    [true, false].map((endGuests) =>
      leaverWords("Ada", { deactivate: true, endGuests }, { ...none, guests: 2 }).at(-1),
    ),
    [
      "2 guests whom they invited lose access at once. This cannot be undone.",
      "2 guests whom they invited keep access.",
    ],
  );
  assert.match(
    leftWords({ id: "a", code: "QUOTA_EXCEEDED", quota: "canvases.person" }, "bo"),
    /quota of canvases/,
  );
});
