import { ACCESS_LOST, CANVAS_FULL, REALTIME_OFF } from "@easel/protocol/realtime-constants";
import { type EaselError, errorOf } from "../errors.ts";
import { backoff, LONGEST, type Pause, pause } from "./backoff.ts";
import { type ErrorFrame, refusalOf, type ServerFrame } from "./frames.ts";
import { report } from "./listeners.ts";

/** Whom the connection is for: a channel or a watch. */
export interface Party {
  /** The frames that it sends on every new connection. */
  greet(): string[];
  /** Whatever the service said, to others too. */
  hear(frame: ServerFrame): void;
  /** The connection is lost, and another one will be tried. */
  lost(): void;
  /** The connection is over; the party is on it no longer. Gives what tells the page, which may begin anew by that. */
  over(error: EaselError): () => void;
}

/** The one connection of a page: open while there is a party, and opened again when it is lost. */
export interface Socket {
  /** Puts a party on the connection. Once that was closed for good, only one that comes `anew` opens another. */
  join(party: Party, anew: boolean): void;
  leave(party: Party): void;
  /** Sends a frame, if there is a connection; those to come are greeted. */
  say(text: string): void;
  /** Sends a frame now or with the next connection; false where 256 are waiting for that already. */
  publish(party: Party, text: string): boolean;
}

const OPEN = 1;
const WAITING = 256;

/** The closes after which nothing is tried again (specification 6), as the answers that they stand for. */
const FINAL: Record<number, [status: number, body: object]> = {
  [ACCESS_LOST]: [401, { message: "You may not be on this canvas any more." }],
  [REALTIME_OFF]: [
    403,
    { code: "CAPABILITY_DISABLED", message: "Realtime is switched off.", capability: "realtime" },
  ],
  [CANVAS_FULL]: [429, { code: "CONNECTION_LIMIT", message: "This canvas has too many open connections." }],
};

/** No connection yet; `address` is asked for with the first one, and may throw. */
export function createSocket(
  address: () => string,
  WebSocket: typeof globalThis.WebSocket,
  wait: Pause = pause,
): Socket {
  const parties = new Set<Party>();
  let waiting: { party: Party; text: string }[] = [];
  let socket: WebSocket | undefined;
  let callOff: (() => void) | undefined;
  let failures = 0;
  let final: EaselError | undefined;

  const connect = () => {
    callOff = undefined;
    let disabled: ErrorFrame | undefined;
    let openedAt = Number.POSITIVE_INFINITY;
    const current = new WebSocket(address());
    socket = current;

    current.onopen = () => {
      openedAt = Date.now();
      const messages = waiting.splice(0).map(({ text }) => text);
      for (const text of [...[...parties].flatMap((party) => party.greet()), ...messages]) current.send(text);
    };

    current.onmessage = ({ data }) => {
      failures = 0;
      const frame = JSON.parse(String(data)) as ServerFrame;
      for (const party of [...parties]) party.hear(frame);
      if (frame.type !== "error" || "channel" in frame || "resource" in frame) return;
      if (frame.code === "CAPABILITY_DISABLED") disabled = frame;
      else report(refusalOf(frame));
    };

    current.onclose = ({ code }) => {
      // Closed by `rest`; there may be another one by now.
      if (current !== socket) return;
      socket = undefined;
      const [status, body] = FINAL[code] ?? [];
      if (status) return finish(errorOf(status, { ...body, ...disabled }));
      // Who only publishes may never hear anything.
      if (Date.now() - openedAt >= LONGEST) failures = 0;
      callOff = wait(backoff(failures++), connect);
      for (const party of [...parties]) party.lost();
    };
  };

  const finish = (error: EaselError) => {
    final = error;
    waiting = [];
    const all = [...parties];
    parties.clear();
    for (const tell of all.map((party) => party.over(error))) tell();
  };

  const rest = () => {
    if (parties.size > 0) return;
    const last = socket;
    callOff?.();
    callOff = socket = undefined;
    failures = 0;
    // Elsewhere than in browsers a connection that was not open yet tells at once that it is closed.
    last?.close();
  };

  return {
    join(party, anew) {
      if (final && !anew) throw final;
      if (!socket && !callOff) connect();
      final = undefined;
      parties.add(party);
    },

    leave(party) {
      parties.delete(party);
      waiting = waiting.filter((each) => each.party !== party);
      // Whoever leaves one channel for another stays connected.
      queueMicrotask(rest);
    },

    say(text) {
      if (socket?.readyState === OPEN) socket.send(text);
    },

    publish(party, text) {
      if (socket?.readyState === OPEN) socket.send(text);
      else if (waiting.length < WAITING) waiting.push({ party, text });
      else return false;
      return true;
    },
  };
}
