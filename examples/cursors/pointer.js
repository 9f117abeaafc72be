import { STEP } from "./messages.js";

/** The time in ms for which no position is sent after the service has refused a message. */
const REST = 15_000;

/**
 * Creates an object that tracks the viewer's pointer. It calls `send` with the position at once when the pointer moves, and then at most
 * every `STEP` ms. The SDK collects the positions and keeps within the rate limit (`channel.batch`).
 */
export function createPointer(send) {
  let isOpen = false;
  let here = null;
  let sent = null;
  /** The timer that must end before the next position is sent. 0 if the next position can be sent at once. */
  let timer = 0;

  const next = () => {
    timer = 0;
    if (!isOpen || String(here) === String(sent)) return;
    sent = here;
    timer = setTimeout(next, STEP);
    send(here);
  };

  const plan = () => timer || next();

  /** Sends the current position again. */
  const repeat = () => {
    sent = null;
    plan();
  };

  return {
    /** The current position, or null if there has been none yet. */
    get here() {
      return here;
    },

    /** Sets whether the page is connected to the service. While it is not, positions are not sent. */
    set open(connected) {
      isOpen = connected;
    },

    move(place) {
      here = place;
      plan();
    },

    repeat,

    /** Sends nothing for `REST` ms, and then sends the current position. */
    rest() {
      clearTimeout(timer);
      sent = null;
      timer = setTimeout(next, REST);
    },
  };
}
