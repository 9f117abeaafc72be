import { createEasel, type Easel } from "@easel/sdk";
import { useSyncExternalStore } from "react";
import { ask } from "./client.ts";
import { createPace } from "./pace.ts";

/** The data of a canvas, by the SDK. */
export interface Runtime extends Easel {
  readonly waiting: Waiting;
}

/** Until when calls wait for the rate limit (epoch ms), or null. */
interface Waiting {
  get(): number | null;
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
  const waiting = createWaiting();

  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const access = init.method === "GET" ? "read" : "write";
    for (let until = pace.take(access, Date.now()); until !== null; until = pace.take(access, Date.now())) {
      await waiting.wait(until, init.signal);
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
  return { ...createEasel({ api, fetch: send }), waiting };
}

function createWaiting() {
  const waits = new Set<number>();
  const listeners = new Set<() => void>();
  let shown: number | null = null;
  const changed = () => {
    shown = waits.size === 0 ? null : Math.max(...waits);
    for (const listener of listeners) listener();
  };
  return {
    get: () => shown,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Resolves at a time, or rejects when the signal aborts. */
    async wait(until: number, signal?: AbortSignal | null) {
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
    },
  };
}

/** Returns until when calls of a canvas wait for the rate limit (epoch ms), or null. */
export const useWaiting = ({ waiting }: Runtime): number | null =>
  useSyncExternalStore(waiting.subscribe, waiting.get);
