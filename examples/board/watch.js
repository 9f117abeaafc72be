import { cards } from "./cards.js";

/**
 * Delays in ms until the next read. `TOLD`: while a watch reports changes. `LOOK`: without a working watch. `REST`: the maximum after
 * failed reads.
 */
const TOLD = 60_000;
const LOOK = 5000;
const REST = 60_000;
/** The time in ms from a change to the read that follows. That read covers all changes in between. */
const TOGETHER = 1000;

/**
 * Calls `look` repeatedly while the page is visible: shortly after a change if the watch works, every few seconds if it does not, less
 * often while `look` fails, and at once when the network is back. `look` returns whether it succeeded. Returns a function that calls
 * `look` now.
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
