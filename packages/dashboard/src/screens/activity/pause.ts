/**
 * Waits for a time in milliseconds, and then until the page is in view. Ends early when the page comes into view again, or the signal aborts.
 */
export function pauseInView(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      if (document.hidden && !signal.aborted) return;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    document.addEventListener("visibilitychange", end);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
