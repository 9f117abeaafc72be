/** Delays in ms until the next read: with a working watch, without one, and the maximum after failures. */
const TOLD_MS = 60_000;
const LOOK_MS = 10_000;
const REST_MS = 60_000;
/**
 * The time in ms from a change to the read that follows. That read covers all changes in between, so that most of the limited requests a
 * minute remain for the pictures.
 */
const TOGETHER_MS = 1500;

/**
 * Calls `look` repeatedly while the page is visible: shortly after a change if the watch works, every few seconds if it does not, less
 * often while `look` fails, and at once when the network is back. The argument of `look` says whether rights may have changed. `look`
 * returns whether it succeeded. Returns a function that calls `look` now.
 */
export function keepLooking(look) {
  let usual = LOOK_MS;
  let failures = 0;
  let timer = 0;
  let due = false;
  let anew = false;

  const lookNow = async () => {
    clearTimeout(timer);
    if (!document.hidden) {
      const all = anew || failures > 0;
      anew = false;
      failures = (await look(all)) ? 0 : failures + 1;
    }
    clearTimeout(timer);
    timer = setTimeout(lookNow, failures === 0 ? usual : Math.min(LOOK_MS * 2 ** failures, REST_MS));
  };

  const lookSoon = ({ op }) => {
    usual = TOLD_MS;
    // The policy or the viewer's role may have changed.
    if (op === "resync") anew = true;
    if (due) return;
    due = true;
    setTimeout(() => {
      due = false;
      lookNow();
    }, TOGETHER_MS);
  };

  document.addEventListener("visibilitychange", lookNow);
  window.addEventListener("online", lookNow);
  easel.files.watch(lookSoon, () => {
    usual = LOOK_MS;
    lookNow();
  });
  lookNow();
  return lookNow;
}
