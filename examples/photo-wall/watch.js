/** Delays until the next read: with a working watch, without one, and the maximum after failures. */
const TOLD_MS = 60_000;
const LOOK_MS = 10_000;
const REST_MS = 60_000;
/** Changes within this time are read together, which leaves most of the requests a minute to the pictures. */
const TOGETHER_MS = 1500;

/**
 * Calls `look` repeatedly while the page is visible: shortly after a change with a working watch, every few seconds without one,
 * less often while it fails, and at once when the network is back. `look` gets whether rights may have changed, and returns whether it
 * succeeded. Returns a function that calls it now.
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
    // The policy or the viewer's role may be another one.
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
