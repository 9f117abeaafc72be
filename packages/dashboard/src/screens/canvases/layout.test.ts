import assert from "node:assert/strict";
import { it } from "node:test";
import { drawn, layoutOf, moved } from "./layout.ts";

it("rows are higher on a phone, and cards fill the width", () => {
  assert.deepEqual(layoutOf("list", 1_000, 16), { columns: 1, height: 64 });
  assert.deepEqual(layoutOf("list", 320, 16), { columns: 1, height: 120 });
  assert.deepEqual(layoutOf("cards", 1_000, 16), { columns: 3, height: 192 });
  assert.equal(layoutOf("cards", 100, 16).columns, 1);
  assert.deepEqual(layoutOf("list", 1_000, 32), { columns: 1, height: 240 });
});

it("only what is in view is drawn, and some rows around it", () => {
  const list = { columns: 1, height: 100 };
  assert.deepEqual(drawn(list, 10_000, 200, 800), [0, 9]);
  assert.deepEqual(drawn(list, 10_000, -50_000, 800), [497, 511]);
  assert.deepEqual(drawn(list, 10_000, -999_900, 800), [9_996, 10_000]);
  assert.deepEqual(drawn({ columns: 3, height: 100 }, 10, 0, 150), [0, 10]);
  assert.deepEqual(drawn(list, 0, 0, 800), [0, 0]);
});

it("keys move within the list, and others do not", () => {
  assert.equal(moved("ArrowDown", 0, 5, 1, 4), 1);
  assert.equal(moved("ArrowUp", 0, 5, 1, 4), 0);
  assert.equal(moved("ArrowRight", 0, 5, 1, 4), null);
  assert.equal(moved("ArrowRight", 0, 5, 3, 4), 1);
  assert.equal(moved("ArrowDown", 0, 5, 3, 4), 3);
  assert.equal(moved("PageDown", 0, 5, 1, 3), 3);
  assert.equal(moved("End", 1, 5, 1, 3), 4);
  assert.equal(moved("Home", 3, 5, 1, 3), 0);
  assert.equal(moved("constructor", 3, 5, 1, 3), null);
});
