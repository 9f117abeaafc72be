import assert from "node:assert/strict";
import { it } from "node:test";
import { eachOf } from "./many.ts";

it("an act on many is performed one by one, and a failure stops none of the others", async () => {
  const canvases = ["a", "b", "c"].map((id) => ({ id, title: id.toUpperCase() }));
  const calls: (string | number)[] = [];
  const { done, failures } = await eachOf(
    canvases,
    async ({ id }) => {
      await Promise.resolve();
      calls.push(id);
      if (id === "b") throw new Error("no");
    },
    (count) => calls.push(count),
  );
  assert.deepEqual(calls, [0, "a", 1, "b", 2, "c"]);
  assert.deepEqual(
    done.map(({ id }) => id),
    ["a", "c"],
  );
  assert.deepEqual(
    failures.map(({ id, title, error }) => [id, title, error.message]),
    [["b", "B", "no"]],
  );
});
