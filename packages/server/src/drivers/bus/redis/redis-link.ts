import { setTimeout as sleep } from "node:timers/promises";
import { createClient, ErrorReply, type RedisClientOptions } from "@redis/client";
import { Unavailable } from "../../unavailable.ts";

/** How to reach a Redis server. */
export type Address = Pick<RedisClientOptions, "username" | "password" | "database"> & {
  socket: NonNullable<RedisClientOptions["socket"]>;
};

/** The times of a link, in milliseconds. */
export interface LinkTimes {
  /** The longest wait for the response to a command. */
  command: number;
  /** The longest wait for a new connection. */
  connect: number;
  /** The time without a response after which a PING finds out whether the server is still there. */
  idle: number;
  /** The pauses between attempts to connect again grow from the first to the second. */
  pauses: [number, number];
}

const TIMES: LinkTimes = { command: 1_000, connect: 2_000, idle: 1_000, pauses: [50, 2_000] };

/** The maximum number of commands that wait for a response. */
const MAX_PENDING = 10_000;

/** What the owner of a link does when the connection changes. */
export interface LinkEvents {
  /** Prepares each new connection after the first one, before it is used. If it fails, the link makes another connection. */
  prepare(client: Client): Promise<unknown>;
  /** The connection is lost. */
  onAway(cause: unknown): void;
  /** There is a new, prepared connection. */
  onBack(): void;
}

export type Client = ReturnType<typeof newClient>;

/** A client has one connection: if that is lost, the link replaces the client. */
const newClient = (address: Address, connectTimeout: number) =>
  createClient({
    ...address,
    socket: { ...address.socket, connectTimeout, reconnectStrategy: false },
    name: "easel",
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
  });

/** A connection, and how many commands were sent and ended on it. */
interface Connection {
  client: Client;
  sent: number;
  ended: number;
  /** Is called when the connection is lost. The client has one listener for good: it is a proxy, from which listeners cannot be removed. */
  onLost: (cause: Error) => void;
}

/** Errors of these kinds mean that a command is wrong. All others mean that the server cannot run it at present. */
const MISTAKE = /^(ERR|WRONGTYPE|NOSCRIPT|NOPERM)\b/;

/**
 * Keeps a connection to a Redis server. While there is none, commands are rejected at once. If the server does not respond to a command in
 * time, the link gives up the connection with all commands that wait on it, so that none waits longer than about `times.command`, and
 * connects again.
 */
export class RedisLink {
  readonly #address: Address;
  readonly #events: LinkEvents;
  readonly #times: LinkTimes;
  #connection: Connection | null = null;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(address: Address, events: LinkEvents, times: Partial<LinkTimes> = {}) {
    this.#address = address;
    this.#events = events;
    this.#times = { ...TIMES, ...times };
  }

  /** Makes the first connection. Throws the client's error if that fails. */
  async open(): Promise<void> {
    this.#use(await this.#connect(async () => {}));
  }

  /** Runs a command, or several that are sent together. @throws Unavailable if the server does not run it, or may not have run it */
  async run<Reply>(command: (client: Client) => Promise<Reply>): Promise<Reply> {
    const connection = this.#connection;
    if (connection === null) throw new Unavailable("the bus is away");
    if (connection.sent - connection.ended >= MAX_PENDING)
      throw new Unavailable("too many commands wait for the bus");
    connection.sent++;
    try {
      return await command(connection.client);
    } catch (cause) {
      if (cause instanceof ErrorReply && MISTAKE.test(cause.message)) throw cause;
      // A server that has become a replica is left, because another one has its address by now.
      const isReply = cause instanceof ErrorReply && !cause.message.startsWith("READONLY");
      if (!isReply) this.#drop(connection, cause);
      throw new Unavailable("the bus did not respond", { cause });
    } finally {
      connection.ended++;
    }
  }

  close(): void {
    this.#closed = true;
    const connection = this.#connection;
    if (connection !== null) this.#end(connection);
  }

  async #connect(prepare: LinkEvents["prepare"]): Promise<Connection> {
    const client = newClient(this.#address, this.#times.connect);
    const { promise: failed, reject } = Promise.withResolvers<never>();
    failed.catch(() => {});
    const connection: Connection = { client, sent: 0, ended: 0, onLost: reject };
    client.on("error", (cause: Error) => connection.onLost(cause));
    const deadline = this.#times.connect + this.#times.command;
    const timer = setTimeout(() => reject(new Error(`no response for ${deadline} ms`)), deadline);
    const ready = client.connect().then(async () => {
      await prepare(client);
      return connection;
    });
    ready.catch(() => {});
    try {
      return await Promise.race([ready, failed]);
    } catch (error) {
      destroy(client);
      // The client may open its connection nevertheless.
      void ready.then(
        () => destroy(client),
        () => destroy(client),
      );
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #use(connection: Connection): void {
    if (this.#closed) {
      destroy(connection.client);
      return;
    }
    connection.onLost = (cause) => this.#drop(connection, cause);
    this.#connection = connection;
    this.#watch = this.#startWatch(connection);
  }

  /** Looks from time to time whether the server responds. */
  #startWatch(connection: Connection): NodeJS.Timeout {
    const { command, idle } = this.#times;
    const step = command / 10;
    let [heardAt, ended] = [performance.now(), 0];
    let waits = { until: 0, since: heardAt };
    return setInterval(() => {
      const now = performance.now();
      if (connection.ended > ended) heardAt = now;
      ended = connection.ended;
      if (ended >= waits.until) {
        if (connection.sent === ended && now - heardAt >= idle)
          this.run((client) => client.ping()).catch(() => {});
        waits = { until: connection.sent, since: now };
      } else if (now - waits.since >= command) {
        const { until } = waits;
        // While the event loop was blocked, responses may have arrived. They are read before the next immediate.
        setImmediate(() => {
          if (connection.ended < until) this.#drop(connection, new Error(`no response for ${command} ms`));
        });
      }
    }, step).unref();
  }

  #end(connection: Connection): void {
    clearInterval(this.#watch);
    this.#connection = null;
    destroy(connection.client);
  }

  #drop(connection: Connection, cause: unknown): void {
    if (connection !== this.#connection) return;
    this.#end(connection);
    this.#events.onAway(cause);
    void this.#connectAgain();
  }

  async #connectAgain(): Promise<void> {
    const [least, most] = this.#times.pauses;
    for (let pause = least; ; pause = Math.min(2 * pause, most)) {
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { ref: false });
      if (this.#closed) return;
      try {
        this.#use(await this.#connect((client) => this.#events.prepare(client)));
      } catch {
        continue;
      }
      if (this.#connection !== null) this.#events.onBack();
      return;
    }
  }
}

/** Closes the connection of a client. Its commands are rejected. */
function destroy(client: Client): void {
  if (client.isOpen) client.destroy();
}
