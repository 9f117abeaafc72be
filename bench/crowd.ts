import { once } from "node:events";
import { createInterface } from "node:readline";
import { startNode } from "./child.ts";

/** How a server is spoken to; all texts are the payloads of WebSocket text frames. */
export interface Dialect {
  /** After the handshake: what is sent in turn, each when the answer to the one before has come; "" sends nothing. */
  opening: { send: string; answer: string }[];
  /** What each publisher of a room sends: data with `"by":"…"`, one character of its own, and `"n":"00000000"`. */
  publish: string[];
  /** A character that tells a frame with a message from all others by its place. */
  message: { at: number; is: string };
  /** What the server asks now and then to see that the socket lives, and the answer. */
  beat?: { ask: string; answer: string };
}

/** What a process of sockets is told first, as a line of JSON on its standard input. It answers when all are open. */
export interface Crowd {
  port: number;
  /** The server's process, whose CPU time is read at both ends of a round. */
  pid: number;
  /** The address of each room on the server. */
  rooms: string[];
  /** How many sockets go into each room. */
  perRoom: number;
  /** The `Cookie` of each person. Sockets of a room are theirs in turn, and the first sockets publish. */
  people: string[];
  dialect: Dialect;
}

/** A round in which every publisher of every room keeps so many of its messages on the way. */
export interface Flow {
  kind: "flow";
  window: number;
  warmUpMs: number;
  timedMs: number;
}

/** The figures of its timed part. */
export interface Flowed {
  deliveries: number;
  perSecond: number;
  /** CPU time of the server a delivery, in microseconds; null where it cannot be read. */
  cpu: number | null;
}

/** A round in which some rooms publish so many messages a second, all of them together. */
export interface Pulse {
  kind: "pulse";
  rooms: number;
  perSecond: number;
  timedMs: number;
}

/** Times from writing a message to having it on a socket of its room, in milliseconds. */
export interface Pulsed {
  deliveries: number;
  p50: number;
  p99: number;
}

/** A process that holds a crowd's sockets. Answers come in the order of the questions. */
export interface Sockets {
  flow(round: Omit<Flow, "kind">): Promise<Flowed>;
  pulse(round: Omit<Pulse, "kind">): Promise<Pulsed>;
  close(): Promise<void>;
}

/** Opens all sockets of a crowd. */
export async function openSockets(crowd: Crowd): Promise<Sockets> {
  const child = startNode(1, "bench/sockets.ts", []);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: object) => {
    child.stdin.write(`${JSON.stringify(line)}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error("The process of sockets has ended.");
    return JSON.parse(value);
  };
  await ask(crowd);
  return {
    flow: (round) => ask({ kind: "flow", ...round }),
    pulse: (round) => ask({ kind: "pulse", ...round }),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.stdin.end();
      await once(child, "exit");
    },
  };
}
