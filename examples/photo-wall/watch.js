/** The delay in ms until the next call of `look` while the watch works. It is long because the watch reports changes at once. */
const TOLD_MS = 60_000;
/** The delay in ms until the next call of `look` while the watch does not work. It doubles with every failure. */
const LOOK_MS = 10_000;
/** The longest delay in ms after failures. */
const REST_MS = 60_000;
/**
 * The shortest time in ms between two reads when changes arrive one after the other. The first change is read at once. The time is long
 * because every picture is a request of its own.
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
  let showing = false;
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

  const lookSoon = async ({ op }) => {
    usual = TOLD_MS;
    // The policy or the viewer's role may have changed.
    if (op === "resync") anew = true;
    due = true;
    if (showing) return;
    showing = true;
    while (due) {
      due = false;
      await lookNow();
      await new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
    }
    showing = false;
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
