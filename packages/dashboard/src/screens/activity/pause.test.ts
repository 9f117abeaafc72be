import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { pauseInView } from "./pause.ts";

describe("a pause of somebody who follows", () => {
  const page = Object.assign(new EventTarget(), { hidden: false });
  const show = (isShown: boolean) => {
    page.hidden = !isShown;
    page.dispatchEvent(new Event("visibilitychange"));
  };
  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout"] });
    Object.assign(globalThis, { document: page });
    show(true);
  });
  afterEach(() => {
    mock.timers.reset();
    Reflect.deleteProperty(globalThis, "document");
  });

  /** Begins a pause of 1,000 ms. Returns whether it is over, once everything that has happened has had its effect. */
  function begin(signal = new AbortController().signal) {
    let isOver = false;
    void pauseInView(1_000, signal).then(() => {
      isOver = true;
    });
    return async () => {
      await Promise.resolve();
      return isOver;
    };
  }

  it("ends after its time", async () => {
    const isOver = begin();
    mock.timers.tick(999);
    assert.equal(await isOver(), false);
    mock.timers.tick(1);
    assert.equal(await isOver(), true);
  });

  it("goes on while the page is hidden, and ends when it is shown", async () => {
    const isOver = begin();
    show(false);
    mock.timers.tick(60_000);
    assert.equal(await isOver(), false);
    show(true);
    assert.equal(await isOver(), true);
  });

  it("ends when the page is shown again, before its time", async () => {
    show(false);
    const isOver = begin();
    show(true);
    assert.equal(await isOver(), true);
  });

  it("ends with its signal, also while the page is hidden", async () => {
    const stop = new AbortController();
    const isOver = begin(stop.signal);
    show(false);
    stop.abort();
    assert.equal(await isOver(), true);
    assert.equal(await begin(stop.signal)(), true);
  });
});
