import { MOST, STEP } from "./messages.js";

/**
 * On average, a message is sent at most every `EVERY` ms, which makes 91 a minute. In addition, `AT_ONCE` messages may be sent without a
 * pause, so that a ping is usually sent at once. The service accepts 100 messages a minute from a connection.
 */
const EVERY = 660;
const AT_ONCE = 6;

/** The time in ms for which nothing is sent after the service has refused a message. */
const REST = 15_000;

/** Creates an object that sends the positions of the pointer with `send(event, data)` within the rate limit. `clock` returns ms. */
export function createOutbox(send, clock = () => performance.now()) {
  let open = false;
  let here = null;
  let path = [];
  let event = "move";
  let sampled = 0;
  let sent = -EVERY;
  /** From this time on (ms of `clock`), `AT_ONCE` messages may be sent without a pause. Before it, fewer. */
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

  /** Sends the last position of the pointer again, unless a newer one is about to be sent. */
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

    /**
     * Sets whether the page is connected to the service. While it is not, nothing is sent. After a reconnect, only the last position of the
     * pointer is sent.
     */
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
