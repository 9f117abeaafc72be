import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { onAccessChange } from "../../canvases/open-connections.ts";
import type { Renewal } from "../../drivers/bus/bus.ts";
import type { Env } from "../../env.ts";
import type { AccessState, ClientSocket, ReadAccess } from "./client.ts";
import { Connection } from "./connection.ts";
import { FlushQueue } from "./outbox.ts";
import { deliverToSubscriptions, publishPresence, type Subscription, Topics } from "./subscription.ts";
import { deliverToWatches, type Watches } from "./watches.ts";

/**
 * The maximum time between two heartbeats of a connection, in milliseconds; the minimum is half of it. Each tick of the timer handles a
 * small part of the connections, so that connections that were opened together get their heartbeats at different times.
 */
const HEARTBEAT_MS = 30_000;
const TICK_MS = 50;
const TICKS = HEARTBEAT_MS / 2 / TICK_MS;

/** The maximum time that `Hub.close` waits for connections to end, in milliseconds. */
const CLOSE_MS = 2_000;

/** The number of connections whose access is rechecked in parallel. */
const BATCH_SIZE = 50;
/** The maximum time in milliseconds that the next batch of rechecks waits for the batch before it. */
const BATCH_MS = 2_000;
/** The maximum part of the time that rechecks of all connections take if one round follows another. */
const BATCH_SHARE = 0.1;

/** Manages the realtime connections of this node (one process of the service). */
export class Hub {
  readonly env: Env;
  readonly lease: string;
  readonly flushes = new FlushQueue();
  accessVersion = 0;
  readonly channels: Topics<Subscription>;
  readonly watches: Topics<Watches>;
  /** All connections, the one with the oldest heartbeat first. */
  readonly #connections = new Set<Connection>();
  readonly #byCanvas = new Map<string, Set<Connection>>();
  #unsubscribe: (() => Promise<void>) | null = null;
  #endRenewals = () => {};
  #endMissed = () => {};
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #onEmpty = () => {};
  #rechecking = false;
  #recheckAgain = false;

  constructor(env: Env) {
    this.env = env;
    this.lease = env.lease.id;
    this.channels = new Topics(env.bus, deliverToSubscriptions);
    this.watches = new Topics(env.bus, deliverToWatches);
  }

  /** Starts the heartbeats, and subscribes to changes of access and to the renewals of the node's lease on the bus. */
  async start(): Promise<void> {
    this.#unsubscribe = await onAccessChange((concerned) => {
      if ("people" in concerned) void this.#recheckAll(new Set(concerned.people));
      else for (const each of this.#byCanvas.get(concerned.canvas) ?? []) void each.recheck();
    }, this.env);
    this.#endRenewals = this.env.lease.afterBus((renewal) => this.#leaseRenewed(renewal));
    this.#endMissed = this.env.bus.onMissed((isMissed) => this.#messagesMissed(isMissed));
    this.#timer = setInterval(() => this.#heartbeat(this.env.clock()), TICK_MS).unref();
  }

  /**
   * Creates a connection for the WebSocket of a client that has passed the access checks. `requestId` is the id of the request for the
   * upgrade.
   */
  add(
    ws: ClientSocket,
    socket: Duplex,
    access: AccessState,
    readAccess: ReadAccess,
    requestId: string,
  ): void {
    const connection = new Connection(ws, socket, access, readAccess, requestId, this);
    this.#connections.add(connection);
    this.env.open.realtimeConnections = this.#connections.size;
    const { id } = access.canvas;
    this.#byCanvas.set(id, (this.#byCanvas.get(id) ?? new Set()).add(connection));
    if (this.#closed) connection.close("shutdown");
    else connection.open();
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection);
    this.env.open.realtimeConnections = this.#connections.size;
    if (this.#connections.size === 0) this.#onEmpty();
    const { id } = connection.access.canvas;
    const others = this.#byCanvas.get(id);
    if (others?.delete(connection) && others.size === 0) this.#byCanvas.delete(id);
  }

  /** Closes all connections because the service stops. Resolves when they have ended, or after `CLOSE_MS`. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#endRenewals();
    this.#endMissed();
    await this.#unsubscribe?.();
    if (this.#connections.size === 0) return;
    const emptied = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const each of this.#connections) each.close("shutdown");
    await Promise.race([emptied, sleep(CLOSE_MS, undefined, { ref: false })]);
  }

  #heartbeat(now: number): void {
    let left = Math.ceil(this.#connections.size / TICKS);
    for (const each of this.#connections) {
      if (left-- === 0 || Math.abs(now - each.heartbeatAt) < HEARTBEAT_MS / 2) break;
      // Moves the connection to the end of the set.
      this.#connections.delete(each);
      this.#connections.add(each);
      each.heartbeat(now);
    }
  }

  /**
   * Rechecks all connections, because a change of access may have been missed, or messages whose loss a recheck makes up for. Until then, no
   * further message is delivered to a connection.
   */
  #messagesMissed(isMissed: (topic: string) => boolean): void {
    for (const each of this.#connections) each.messagesMissed(isMissed);
    void this.#recheckAll(new Set());
  }

  /**
   * Publishes `leave` for the members whom the bus has removed because their leases had expired. If the lease of this node had expired, each
   * of its connections registers with the bus again.
   */
  async #leaseRenewed({ kept, departed }: Renewal): Promise<void> {
    if (!kept) for (const each of this.#connections) each.restore();
    await Promise.all(
      departed.map(({ topic, member }) => publishPresence("leave", topic, member, this.env.bus)),
    );
  }

  /**
   * Rechecks the access of all connections. The users with ids in `first` are rechecked at once, all others in batches; if access changes
   * again meanwhile, another round follows. If a frame is due on a connection that still waits for its recheck, `Connection.deliver`
   * rechecks the connection first.
   */
  async #recheckAll(first: Set<string>): Promise<void> {
    this.accessVersion++;
    if (first.size > 0)
      for (const each of this.#connections) if (first.has(each.access.user.id)) void each.recheck();
    this.#recheckAgain = true;
    if (this.#rechecking) return;
    this.#rechecking = true;
    while (this.#recheckAgain) {
      this.#recheckAgain = false;
      const start = performance.now();
      let batch: Promise<void>[] = [];
      let rechecked = 0;
      for (const each of [...this.#connections]) {
        if (!each.isStale) continue;
        batch.push(each.recheck());
        if (++rechecked % BATCH_SIZE > 0) continue;
        await Promise.race([Promise.all(batch), sleep(BATCH_MS, undefined, { ref: false })]);
        await new Promise(setImmediate);
        batch = [];
      }
      const pause = rechecked > BATCH_SIZE ? (performance.now() - start) * (1 / BATCH_SHARE - 1) : 0;
      if (this.#recheckAgain) await sleep(pause, undefined, { ref: false });
    }
    this.#rechecking = false;
  }
}
