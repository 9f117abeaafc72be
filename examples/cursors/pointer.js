import { STEP } from "./messages.js";

/** The time in ms for which no position is sent after the service has refused a message. */
const REST = 15_000;

/**
 * Creates an object that follows the viewer's pointer and calls `send` with its position: at once, and then every `STEP` ms while it moves.
 * The SDK gathers the positions and keeps within the rate limit (`channel.batch`).
 */
export function createPointer(send) {
  let isOpen = false;
  let here = null;
  let sent = null;
  /** Nothing is sent before this timer ends. 0 if the next position is sent at once. */
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

    /** Sends nothing for some time, and then the current position. */
    rest() {
      clearTimeout(timer);
      sent = null;
      timer = setTimeout(next, REST);
    },
  };
}
