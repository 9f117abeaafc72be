import { once } from "node:events";
import { createInterface } from "node:readline";
import { startNode } from "./child.ts";

/**
 * What sockets send to one kind of server, such as a Socket.IO server, and what they expect from it. Every frame in this object is written
 * as the text of its payload.
 */
export interface Dialect {
  /**
   * The steps after the handshake. Each step sends the frame `send` (none if `send` is empty) and waits for a frame that begins with
   * `answer`.
   */
  opening: { send: string; answer: string }[];
  /**
   * The frames that the sockets of a room publish: the first socket sends the first frame, the second socket the second. In each frame, the
   * field `by` is one character that identifies the socket. The field `n` is `00000000`, which `pulse` replaces with the number of the
   * message.
   */
  publish: string[];
  /** How to tell a message from other frames: only a message has the character `is` at the position `at` of its text. */
  message: { at: number; is: string };
  /** The text of the server's application-level ping, and the text of the response. */
  beat?: { ask: string; answer: string };
}

/**
 * The sockets to open, and the server to which they connect. A `sockets.ts` process reads this object from its first line of input. When
 * all sockets are open, the process writes a line in response.
 */
export interface Crowd {
  port: number;
  /** Pid of the server, whose CPU time is read before and after a round. */
  pid: number;
  /** The path of each room on the server. */
  rooms: string[];
  /** Sockets per room. */
  perRoom: number;
  /**
   * The `Cookie` header of each person. The first socket of a room belongs to the first person, the second socket to the second person, and
   * after the last person the first one follows again.
   */
  people: string[];
  dialect: Dialect;
}

/** A round of measurement. Each publisher of each room always has `window` messages that it has sent and not yet received back. */
export interface Flow {
  kind: "flow";
  window: number;
  warmUpMs: number;
  timedMs: number;
}

/** The result of a `Flow`. Only messages that arrive during its `timedMs` milliseconds are counted, not those of the warm-up. */
export interface FlowResult {
  deliveries: number;
  perSecond: number;
  /** CPU time of the server per delivery, in microseconds; null if it cannot be read. */
  cpu: number | null;
}

/** A round of measurement at a steady rate: the first `rooms` rooms together publish `perSecond` messages a second. */
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

/**
 * A process that keeps many sockets open. Each call of `flow` or `pulse` runs one round of measurement; the rounds run one after the other.
 */
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
