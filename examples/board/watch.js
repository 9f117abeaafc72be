import { cards } from "./cards.js";

/** The time in ms between two reads of the board while the watch reports changes. */
const TOLD = 60_000;
/** The time in ms between two reads of the board while the watch does not work or has not reported a change yet. */
const LOOK = 5000;
/** The longest time in ms until the next read after a failed one. */
const REST = 60_000;
/** The shortest time in ms between two reads when changes arrive one after the other. The first change is read at once. */
const TOGETHER = 600;

/**
 * Calls `look` at once, and then repeatedly while the page is visible: at once after a change if the watch works, otherwise every
 * five seconds. Waits longer while `look` resolves with false, which means that it has failed. Returns a function that calls `look`
 * immediately.
 */
export function keepLooking(look) {
  let usual = LOOK;
  let failures = 0;
  let timer = 0;
  let due = false;
  let showing = false;

  const lookNow = async () => {
    if (!document.hidden) failures = (await look()) ? 0 : failures + 1;
    clearTimeout(timer);
    timer = setTimeout(lookNow, failures === 0 ? usual : Math.min(LOOK * 2 ** failures, REST));
  };

  const lookSoon = async () => {
    usual = TOLD;
    due = true;
    if (showing) return;
    showing = true;
    while (due) {
      due = false;
      await lookNow();
      await new Promise((resolve) => setTimeout(resolve, TOGETHER));
    }
    showing = false;
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
