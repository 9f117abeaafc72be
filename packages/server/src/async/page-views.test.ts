import assert from "node:assert/strict";
import { test } from "node:test";
import { PageViews, type WaitingViews } from "./page-views.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Writes the waiting views. Returns for each canvas and day what is written. */
async function written(views: PageViews) {
  const stored: unknown[] = [];
  await views.write(async ({ canvasId, day, views: count, lastAt, people }) => {
    stored.push([canvasId, day, count, lastAt, [...people]]);
  });
  return stored;
}

test("views are counted by canvas and day, each person once, and written once", async () => {
  const views = new PageViews(true);
  views.add("a", "ada", 1);
  views.add("a", "ada", 2);
  views.add("a", null, 3);
  views.add("a", "bo", DAY_MS - 1);
  views.add("b", null, 4);
  views.add("a", "ada", DAY_MS);
  assert.deepEqual(await written(views), [
    ["a", 0, 4, DAY_MS - 1, ["ada", "bo"]],
    ["b", 0, 1, 4, []],
    ["a", 1, 1, DAY_MS, ["ada"]],
  ]);
  assert.deepEqual(await written(views), []);
});

test("turned off, nothing is counted", async () => {
  const views = new PageViews(false);
  views.add("a", "ada", 1);
  assert.deepEqual(await written(views), []);
});

test("what could not be written is kept, and added to what came meanwhile", async () => {
  const views = new PageViews(true);
  for (const canvas of "abcdefg") views.add(canvas, "ada", 5);
  const seen: string[] = [];
  const failing = views.write(async (waiting: WaitingViews) => {
    seen.push(waiting.canvasId);
    if (waiting.canvasId !== "b") return;
    views.add("b", "bo", 3);
    waiting.views = 0;
    throw new Error("away");
  });
  await assert.rejects(failing, /away/);
  assert.deepEqual(seen, [..."abcde"]);
  assert.deepEqual(await written(views), [
    ["b", 0, 1, 5, ["bo", "ada"]],
    ["f", 0, 1, 5, ["ada"]],
    ["g", 0, 1, 5, ["ada"]],
  ]);
});

test("memory is bounded: 10,000 canvases and 20,000 people wait, further people are counted as views alone", async () => {
  const views = new PageViews(true);
  for (let canvas = 0; canvas < 10_001; canvas++)
    for (const person of ["ada", "bo", "cy"]) views.add(`${canvas}`, person, 1);
  const sums = { canvases: 0, views: 0, people: 0 };
  const count = async ({ views: count, people }: WaitingViews) => {
    sums.canvases++;
    sums.views += count;
    sums.people += people.size;
  };
  await views.write(count);
  assert.deepEqual(sums, { canvases: 10_000, views: 30_000, people: 20_000 });
  views.add("more", "ada", 1);
  assert.deepEqual(await written(views), [["more", 0, 1, 1, ["ada"]]]);
});
