/**
 * Counts the users of something. Calls `start` when the first one comes, and the function that `start` returned when the last one has gone.
 * Returns the function that adds a user, which in turn returns the function that removes the user.
 */
export function createUsers(start: () => () => void): () => () => void {
  let count = 0;
  let stop: (() => void) | undefined;

  return () => {
    count += 1;
    stop ??= start();
    return () => {
      count -= 1;
      // Deferred, because StrictMode removes and adds each effect once, and a change of views replaces one user by another.
      queueMicrotask(() => {
        if (count > 0) return;
        stop?.();
        stop = undefined;
      });
    };
  };
}
