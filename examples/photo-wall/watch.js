/** The delay in ms until the next call of `look` while the watch works. It is long because the watch reports changes at once. */
const TOLD_MS = 60_000;
/** The delay in ms until the next call of `look` while the watch does not work. It doubles with every failure. */
const LOOK_MS = 10_000;
/** The longest delay in ms after failures. */
const REST_MS = 60_000;
/**
 * The delay in ms between a change and the call of `look` that shows it. All changes within the delay need only one call, because the
 * service limits the number of requests per minute and the pictures need many.
 */
const TOGETHER_MS = 1500;

/**
 * While the page is visible, calls `look` at intervals, soon after a file changes, and when the network is back. `look` receives true if
 * the viewer's rights may have changed, and returns whether it succeeded. Returns a function that calls `look` at once.
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
