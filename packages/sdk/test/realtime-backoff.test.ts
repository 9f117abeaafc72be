import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { backoff, pause } from "../src/realtime/backoff.ts";

test("500 ms, doubling to ten seconds", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 2000].map((failures) => backoff(failures)),
    [500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000],
  );
});

/** A page whose clock stands still, and which can tell of its network and its viewer. */
function startWindow(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const window = new EventTarget();
  const document = { visibilityState: "hidden" };
  Object.assign(globalThis, { addEventListener: window.addEventListener.bind(window), document });
  t.after(() => {
    for (const name of ["addEventListener", "document"]) Reflect.deleteProperty(globalThis, name);
  });
  let ended = 0;
  const callOff = pause(500, () => ended++);
  const tell = (event: string) => void window.dispatchEvent(new Event(event));
  return { callOff, document, tell, tick: (ms: number) => t.mock.timers.tick(ms), ended: () => ended };
}

test("a pause ends after its time, once", (t) => {
  const { tick, tell, ended } = startWindow(t);
  tick(499);
  assert.equal(ended(), 0);
  tick(1);
  tick(500);
  tell("online");
  assert.equal(ended(), 1);
});

test("a pause ends when the network is back", (t) => {
  const { tick, tell, ended } = startWindow(t);
  tell("online");
  assert.equal(ended(), 1);
  tell("online");
  tick(500);
  assert.equal(ended(), 1);
});

test("a pause ends when the page is seen again, not when it is hidden", (t) => {
  const { tick, tell, ended, document } = startWindow(t);
  tell("visibilitychange");
  assert.equal(ended(), 0);
  document.visibilityState = "visible";
  tell("visibilitychange");
  tell("visibilitychange");
  tick(500);
  assert.equal(ended(), 1);
});

test("a pause that is called off never ends", (t) => {
  const { tick, tell, ended, callOff } = startWindow(t);
  callOff();
  tell("online");
  tick(500);
  assert.equal(ended(), 0);
});
