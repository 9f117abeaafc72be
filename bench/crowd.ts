import { once } from "node:events";
import { createInterface } from "node:readline";
import { startNode } from "./child.ts";

/** The protocol of a server. All texts are payloads of WebSocket text frames. */
export interface Dialect {
  /** Frames sent after the handshake, each after the response to the previous one; "" sends nothing. */
  opening: { send: string; answer: string }[];
  /** The frame of each publisher of a room. Its data has `"by":"…"`, one character per publisher, and `"n":"00000000"`. */
  publish: string[];
  /** The character at a position that distinguishes a message from all other frames. */
  message: { at: number; is: string };
  /** The server's application-level ping, and the response to it. */
  beat?: { ask: string; answer: string };
}

/** The first line of JSON on the standard input of a socket process, which responds when all sockets are open. */
export interface Crowd {
  port: number;
  /** Pid of the server, whose CPU time is read before and after a round. */
  pid: number;
  /** The path of each room on the server. */
  rooms: string[];
  /** Sockets per room. */
  perRoom: number;
  /** The `Cookie` header of each person. The sockets of a room belong to them in turn; the first ones publish. */
  people: string[];
  dialect: Dialect;
}

/** A round in which every publisher of every room keeps `window` messages in flight. */
export interface Flow {
  kind: "flow";
  window: number;
  warmUpMs: number;
  timedMs: number;
}

/** Figures of the timed part of a flow. */
export interface FlowResult {
  deliveries: number;
  perSecond: number;
  /** CPU time of the server per delivery, in microseconds; null if it cannot be read. */
  cpu: number | null;
}

/** A round in which some rooms together publish `perSecond` messages a second. */
export interface Pulse {
  kind: "pulse";
  rooms: number;
  perSecond: number;
  timedMs: number;
}

/** Times from sending a message to receiving it on a socket of its room, in milliseconds. */
export interface PulseResult {
  deliveries: number;
  p50: number;
  p99: number;
}

/** A process that holds a crowd's sockets. It responds to requests in their order. */
export interface Sockets {
  flow(round: Omit<Flow, "kind">): Promise<FlowResult>;
  pulse(round: Omit<Pulse, "kind">): Promise<PulseResult>;
  close(): Promise<void>;
}

/** Opens all sockets of a crowd. */
export async function openSockets(crowd: Crowd): Promise<Sockets> {
  const child = startNode(1, "bench/sockets.ts", []);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: object) => {
    child.stdin.write(`${JSON.stringify(line)}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error("The socket process has exited.");
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
