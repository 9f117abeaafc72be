import { once } from "node:events";
import { createInterface } from "node:readline";
import { startNode } from "./child.ts";

/** The protocol of a server. All texts are payloads of WebSocket text frames. */
export interface Dialect {
  /** Frames to send after the handshake, each after the response to the previous one, which begins with `answer`. "" sends nothing. */
  opening: { send: string; answer: string }[];
  /**
   * The frame that each publisher of a room sends. Its data has `"by":"…"`, one character that identifies the publisher, and
   * `"n":"00000000"`, where the number of the message is written.
   */
  publish: string[];
  /** A position and the character that only messages, and no other frames, have there. */
  message: { at: number; is: string };
  /** The text of the server's application-level ping, and the text of the response. */
  beat?: { ask: string; answer: string };
}

/** The sockets to open. A process that runs `sockets.ts` reads this as the first line of JSON, and responds when they are open. */
export interface Crowd {
  port: number;
  /** Pid of the server, whose CPU time is read before and after a round. */
  pid: number;
  /** The path of each room on the server. */
  rooms: string[];
  /** Sockets per room. */
  perRoom: number;
  /** The `Cookie` header of each person. The sockets of a room belong to these people in turn. The first sockets publish. */
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

/** A round in which the first `rooms` rooms together publish `perSecond` messages a second. */
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

/** A process that keeps many sockets open. It runs one round after the other, in the order of the calls. */
export interface Sockets {
  flow(round: Omit<Flow, "kind">): Promise<FlowResult>;
  pulse(round: Omit<Pulse, "kind">): Promise<PulseResult>;
  close(): Promise<void>;
}

/** Starts a process that opens all sockets of a crowd. Resolves when they are open. */
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
