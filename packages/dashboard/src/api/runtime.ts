import { createEasel, type Easel } from "@easel/sdk";
import { useSyncExternalStore } from "react";
import { errorOf } from "./api-error.ts";
import { ask } from "./client.ts";
import { createPace } from "./pace.ts";

/** The data of a canvas, by the SDK. */
export interface Runtime extends Easel {
  /** Until when calls wait for the rate limit (epoch ms), or null. */
  readonly waiting: Watched<number | null>;
  readonly connection: Watched<Connection>;
  /**
   * Returns the bytes of a file. Waits for the rate limit as all calls do, which an image element would not.
   * @throws as `send` of the API client does.
   */
  contentOf(id: string, signal: AbortSignal): Promise<Blob>;
}

/** The realtime connection, by which changes come. `lost`: it was open or has failed, and is tried again. */
export type Connection = "none" | "open" | "lost";

/** Something that changes, for `useSyncExternalStore`. */
interface Watched<Value> {
  get(): Value;
  subscribe(listener: () => void): () => void;
}

let current: { id: string; runtime: Runtime } | undefined;

/**
 * Returns the SDK for a canvas, by the path of the runtime API for the service's own pages: with the rights of the person, and no more than
 * its policy gives them. Calls that would exceed the rate limit wait. Errors are those of the SDK, which `ErrorNote` shows.
 */
export function runtimeOf(id: string): Runtime {
  if (current?.id !== id) current = { id, runtime: createRuntime(id) };
  return current.runtime;
}

function createRuntime(id: string): Runtime {
  const pace = createPace();
  const { waiting, wait } = createWaits();
  const [connection, changeConnection] = createWatched<Connection>("none");

  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const access = init.method === "GET" ? "read" : "write";
    for (let until = pace.take(access, Date.now()); until !== null; until = pace.take(access, Date.now())) {
      await wait(until, init.signal);
    }
    let headers: Headers | null = null;
    try {
      // What is deleted after a moment for Undo is deleted, too, if the person has left the page by then.
      const response = await ask(url, { ...init, keepalive: init.method === "DELETE" });
      headers = response?.headers ?? null;
      return response ?? new Response(null, { status: 401 });
    } finally {
      pace.answered(headers, Date.now());
    }
  };

  const api = `${location.origin}/api/canvases/${encodeURIComponent(id)}/runtime`;
  /** Tells what becomes of the connection, which the SDK opens again by itself. */
  class Told extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      this.addEventListener("open", () => changeConnection("open"));
      this.addEventListener("close", () => changeConnection("lost"));
    }
  }
  const easel = createEasel({ api, fetch: send, WebSocket: Told });
  const contentOf = async (id: string, signal: AbortSignal) => {
    const response = await send(easel.files.url(id), { method: "GET", signal });
    if (!response.ok) throw await errorOf(response);
    return response.blob();
  };
  return { ...easel, waiting, connection, contentOf };
}

/** Creates something that changes, and the function that changes it. */
function createWatched<Value>(initial: Value): [Watched<Value>, (value: Value) => void] {
  let value = initial;
  const listeners = new Set<() => void>();
  const watched: Watched<Value> = {
    get: () => value,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = (to: Value) => {
    if (to === value) return;
    value = to;
    for (const listener of listeners) listener();
  };
  return [watched, change];
}

/** Creates the waits for the rate limit: the time until which they last, and the function by which a call waits. */
function createWaits() {
  const waits = new Set<number>();
  const [waiting, change] = createWatched<number | null>(null);
  const changed = () => change(waits.size === 0 ? null : Math.max(...waits));
  /** Resolves at a time, or rejects when the signal aborts. */
  const wait = async (until: number, signal?: AbortSignal | null) => {
    waits.add(until);
    changed();
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, until - Date.now());
        signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
      });
    } finally {
      waits.delete(until);
      changed();
    }
  };
  return { waiting, wait };
}

/** Returns until when calls of a canvas wait for the rate limit (epoch ms), or null. */
export const useWaiting = ({ waiting }: Runtime): number | null =>
  useSyncExternalStore(waiting.subscribe, waiting.get);

/** Returns the state of the connection by which changes of a canvas come. */
export const useConnection = ({ connection }: Runtime): Connection =>
  useSyncExternalStore(connection.subscribe, connection.get);
