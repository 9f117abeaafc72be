import { cards } from "./cards.js";

/** How long until the next look: where the service tells of changes, where it does not, and after failures at the most. */
const TOLD = 60_000;
const LOOK = 5000;
const REST = 60_000;
/** Changes in so short a time are read together. */
const TOGETHER = 1000;

/**
 * Has `look` called again and again while somebody is looking: soon after a change where the service tells of changes, every few
 * seconds where it does not, more seldom while it fails, at once when the network is back. `look` gives whether it went well.
 * Gives what looks now.
 */
export function keepLooking(look) {
  let usual = LOOK;
  let failures = 0;
  let timer = 0;
  let due = false;

  const lookNow = async () => {
    if (!document.hidden) failures = (await look()) ? 0 : failures + 1;
    clearTimeout(timer);
    timer = setTimeout(lookNow, failures === 0 ? usual : Math.min(LOOK * 2 ** failures, REST));
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
  window.addEventListener("online", lookNow);
  cards().watch(lookSoon, () => {
    usual = LOOK;
    lookNow();
  });
  lookNow();
  return lookNow;
}
