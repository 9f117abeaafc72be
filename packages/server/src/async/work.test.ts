import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../http/refusal.ts";
import { Turns } from "./event-loop-turns.ts";
import { Work } from "./work.ts";

const never = () => new AbortController().signal;

test("what exceeds the budget of a call is refused with what to do instead", () => {
  const work = new Work("ada", never, { turns: new Turns() });
  const room = work.left("matches");
  work.spend("matches", room, "Stop.");
  work.spend("bytes", 1, "Stop.");
  assert.equal(work.left("matches"), 0);
  assert.throws(
    () => work.spend("matches", 1, "Send the file whole."),
    (error) =>
      error instanceof Refusal &&
      error.code === "INVALID_BODY" &&
      error.body.hint === "Send the file whole." &&
      error.message.includes(`${room} matches`),
  );
  assert.equal(new Work("ada", never, { turns: new Turns() }).left("matches"), room);
});

test("work gives its turn away once that is used, and goes on in a later one", async () => {
  let now = 0;
  const turns = new Turns(() => now);
  const work = new Work("ada", never, { turns });
  assert.equal(work.pause(), undefined);
  const before = turns.current;
  now += 100;
  await work.pause();
  assert.notEqual(turns.current, before);
  assert.equal(work.pause(), undefined);
});

test("work ends at its next pause when the client has gone", async () => {
  let now = 0;
  const gone = new AbortController();
  const work = new Work("ada", () => gone.signal, { turns: new Turns(() => now) });
  assert.equal(work.pause(), undefined);
  gone.abort(new Error("gone"));
  now += 100;
  await assert.rejects(Promise.resolve(work.pause()), /gone/);
});

test("tasks start in order, with pauses between them, and their results or the first error come back", async () => {
  let now = 0;
  const turns = new Turns(() => now);
  const work = new Work("ada", never, { turns });
  const seen: number[] = [];
  const task = (result: number) => async () => {
    seen.push(turns.current);
    now += 5;
    return result;
  };
  assert.deepEqual(await work.all([task(1), task(2), task(3)]), [1, 2, 3]);
  assert.equal(new Set(seen).size, 3);
  const failing = async () => {
    throw new Error("failed");
  };
  await assert.rejects(work.all([failing, task(4)]), /failed/);
});
