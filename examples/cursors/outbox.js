import { MOST, STEP } from "./messages.js";

/**
 * The service accepts 100 messages a minute from a connection. One every 660 ms makes 91, which leaves a burst of 6: a ping is
 * sent without delay, unless there were many.
 */
const EVERY = 660;
const AT_ONCE = 6;

/** Nothing is sent for this time after a refusal. */
const REST = 15_000;

/** Sends the position of the pointer with `send(event, data)`, within the rate limit. `clock` is in ms. */
export function createOutbox(send, clock = () => performance.now()) {
  let open = false;
  let here = null;
  let path = [];
  let event = "move";
  let sampled = 0;
  let sent = -EVERY;
  /** When a burst of `AT_ONCE` may be sent again. */
  let rested = 0;
  let silence = 0;
  let timer = 0;

  const plan = () => {
    clearTimeout(timer);
    if (!open || path.length === 0) return;
    const turn = event === "move" ? sent + EVERY : 0;
    const due = Math.max(turn, rested - (AT_ONCE - 1) * EVERY, silence);
    timer = setTimeout(flush, Math.max(0, due - clock()));
  };

  const flush = () => {
    sent = clock();
    rested = Math.max(rested, sent) + EVERY;
    const message = [event, { path }];
    path = [];
    event = "move";
    send(...message);
  };

  /** Sends the position of the pointer again. */
  const repeat = () => {
    if (path.length === 0 && here !== null) path = [here];
    plan();
  };

  return {
    get here() {
      return here;
    },

    move(place) {
      const now = clock();
      if (now - sampled < STEP) path.pop();
      else sampled = now;
      here = place;
      path = [...path, place].slice(-MOST);
      plan();
    },

    ping(place) {
      here = place;
      path = [place];
      event = "ping";
      plan();
    },

    repeat,

    rest() {
      silence = clock() + REST;
      event = "move";
      repeat();
    },

    /** Sets whether there is a connection. Without one nothing is sent; afterwards only the last position is. */
    set open(connected) {
      if (connected && !open) {
        path = path.slice(-1);
        event = "move";
      }
      open = connected;
      plan();
    },
  };
}
