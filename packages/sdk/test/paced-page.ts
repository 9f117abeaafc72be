import type { TestContext } from "node:test";
import { createSocket } from "../src/realtime/socket.ts";
import { createRealtime } from "../src/realtime.ts";

type Frame = { type: string; channel: string; event: string; data: unknown };

/** A fake WebSocket without a service. The test opens and closes it; `texts` has the frames that the page has sent. */
class Line {
  static readonly lines: Line[] = [];
  readyState = 0;
  texts: string[] = [];
  onopen = () => {};
  onmessage = (_: { data: string }) => {};
  onclose = (_: { code: number }) => {};

  constructor() {
    Line.lines.push(this);
  }

  send(text: string) {
    this.texts.push(text);
  }

  open() {
    this.readyState = 1;
    this.onopen();
  }

  close(code = 1000) {
    this.readyState = 3;
    this.onclose({ code });
  }
}

/**
 * Replaces the clock and the timers by mocked ones. `pass` moves them on by `ms`, in steps of one millisecond or of `step` milliseconds.
 */
export function stopTime(t: TestContext) {
  let now = 1_000;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => now);
  return {
    now: () => now,
    pass(ms: number, step = 1) {
      for (let passed = 0; passed < ms; passed += step) {
        now += step;
        t.mock.timers.tick(step);
      }
    },
  };
}

/**
 * Creates the realtime functions of a page on a fake connection and a mocked clock. `sent` returns the event and the data of each message
 * that the page has sent since the last call of `sent`.
 */
export function startPacedPage(t: TestContext) {
  const time = stopTime(t);
  const window = new EventTarget();
  Object.assign(globalThis, { addEventListener: window.addEventListener.bind(window) });
  t.after(() => Reflect.deleteProperty(globalThis, "addEventListener"));
  Line.lines.length = 0;
  let reconnect = () => {};
  const socket = createSocket(
    () => new Line() as unknown as WebSocket,
    (_, connect) => {
      reconnect = connect;
      return () => {};
    },
  );
  const realtime = createRealtime(socket);
  const line = () => Line.lines.at(-1) as Line;
  const texts = () => line().texts.splice(0);
  const open = () => line().open();
  return {
    ...time,
    realtime,
    pens: realtime.channel("pens"),
    texts,
    sent: () =>
      texts()
        .map((text) => JSON.parse(text) as Frame)
        .filter(({ type }) => type === "publish")
        .map(({ event, data }) => [event, data]),
    open,
    lose: (code = 1006) => line().close(code),
    reconnect() {
      reconnect();
      open();
    },
    tell: (event: string) => void window.dispatchEvent(new Event(event)),
  };
}
