/**
 * Resolves in a later turn of the event loop, so that long work does not keep others waiting. Works in browsers, too, where the dashboard
 * runs some modules of the service.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if ("setImmediate" in globalThis) setImmediate(resolve);
    else setTimeout(resolve);
  });
