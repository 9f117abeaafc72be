import hooks, { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";

/*
 * Preloaded by `npm test`. The test runner uses a hook on every promise to find the test that an error or a nested test belongs to. That
 * hook takes a fifth of the processor time of tests over HTTP. This module makes the hook ignore promises, and keeps the identifier of the
 * running test in an AsyncLocalStorage instead.
 */

const { createHook, executionAsyncId } = hooks;
const running = new AsyncLocalStorage<{ id: number }>();

tracingChannel("node.test").start.bindStore(running, () => ({ id: executionAsyncId() }));
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
hooks.executionAsyncId = () => running.getStore()?.id ?? executionAsyncId();
