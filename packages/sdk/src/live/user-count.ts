/**
 * Counts the users of a resource, such as the subscribers of a store. Calls `start` when the first user comes, and the function that
 * `start` returned when the last user has gone. Returns a function that adds a user and returns the function that removes this user.
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
