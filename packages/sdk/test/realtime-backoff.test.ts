import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { backoff, scheduleReconnect } from "../src/realtime/backoff.ts";

test("the delay is 500 ms, doubling to ten seconds", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 2000].map((failures) => backoff(failures)),
    [500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000],
  );
});

/** Schedules one reconnect in a fake window, where the test controls timers, network events and visibility. */
function startWindow(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const window = new EventTarget();
  const document = { visibilityState: "hidden" };
  Object.assign(globalThis, { addEventListener: window.addEventListener.bind(window), document });
  t.after(() => {
    for (const name of ["addEventListener", "document"]) Reflect.deleteProperty(globalThis, name);
  });
  let ended = 0;
  const cancel = scheduleReconnect(500, () => ended++);
  const tell = (event: string) => void window.dispatchEvent(new Event(event));
  return { cancel, document, tell, tick: (ms: number) => t.mock.timers.tick(ms), ended: () => ended };
}

test("a reconnect runs after its delay, once", (t) => {
  const { tick, tell, ended } = startWindow(t);
  tick(499);
  assert.equal(ended(), 0);
  tick(1);
  tick(500);
  tell("online");
  assert.equal(ended(), 1);
});

test("a reconnect runs when the network is back", (t) => {
  const { tick, tell, ended } = startWindow(t);
  tell("online");
  assert.equal(ended(), 1);
  tell("online");
  tick(500);
  assert.equal(ended(), 1);
});

test("a reconnect runs when the page becomes visible, not when it is hidden", (t) => {
  const { tick, tell, ended, document } = startWindow(t);
  tell("visibilitychange");
  assert.equal(ended(), 0);
  document.visibilityState = "visible";
  tell("visibilitychange");
  tell("visibilitychange");
  tick(500);
  assert.equal(ended(), 1);
});

test("a cancelled reconnect never runs", (t) => {
  const { tick, tell, ended, cancel } = startWindow(t);
  cancel();
  tell("online");
  tick(500);
  assert.equal(ended(), 0);
});
