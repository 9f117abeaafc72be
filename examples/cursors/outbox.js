import { MOST, STEP } from "./messages.js";

/**
 * The service takes 100 messages a minute of a connection. One every 660 ms are 91, and 6 at once besides: a ping need not
 * wait for its turn, unless there were many.
 */
const EVERY = 660;
const AT_ONCE = 6;

/** After a refusal nothing is sent for so long. */
const REST = 15_000;

/** Sends where one's pointer is, with `send(event, data)`, and no more often than the service takes it. `clock` is in ms. */
export function createOutbox(send, clock = () => performance.now()) {
  let open = false;
  let here = null;
  let path = [];
  let event = "move";
  let sampled = 0;
  let sent = -EVERY;
  /** When as many as `AT_ONCE` may be sent again. */
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

  /** Says once more where the pointer is. */
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

    /** Whether there is a connection; without one nothing is sent, and later only the last of it. */
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
