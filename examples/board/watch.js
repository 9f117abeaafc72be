import { cards } from "./cards.js";

/** How long until the next look: where the service tells of changes, where it does not, and after failures at the most. */
const TOLD = 60_000;
const LOOK = 5000;
const REST = 60_000;
/** Changes in so short a time are read together. */
const TOGETHER = 1000;

/**
 * Has `look` called again and again while somebody is looking: soon after a change where the service tells of changes, every few
 * seconds where it does not, more seldom while it fails. It gives whether it went well.
 */
export function keepLooking(look) {
  let usual = LOOK;
  let pause = LOOK;
  let due = false;

  const lookNow = async () => {
    if (document.hidden) return;
    pause = (await look()) ? usual : Math.min(pause * 2, REST);
  };

  const lookOn = async () => {
    await lookNow();
    setTimeout(lookOn, pause);
  };

  const lookSoon = () => {
    usual = TOLD;
    if (due) return;
    due = true;
    setTimeout(() => {
      due = false;
      lookNow();
    }, TOGETHER);
  };

  document.addEventListener("visibilitychange", lookNow);
  lookOn();
  cards().watch(lookSoon, () => {
    usual = LOOK;
    pause = LOOK;
  });
}
