import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { onAccessChange } from "../../canvases/access-events.ts";
import type { Env } from "../../env.ts";
import type { AccessState, ReadAccess } from "./access-state.ts";
import type { ClientSocket } from "./client-socket.ts";
import { Connection } from "./connection.ts";
import { FlushQueue } from "./outbox.ts";
import { deliverToSubscriptions, publishPresence, type Subscription } from "./subscription.ts";
import { Topics } from "./topics.ts";
import { deliverToWatches, type Watches } from "./watches.ts";

/**
 * The maximum time between two heartbeats of a connection, in milliseconds; the minimum is half of it. Each tick of the timer handles a
 * small part of the connections, so that connections that were opened together get their heartbeats at different times.
 */
const HEARTBEAT_MS = 30_000;
const TICK_MS = 50;
const TICKS = HEARTBEAT_MS / 2 / TICK_MS;

/**
 * The interval between renewals of this node's lease on the bus, in milliseconds. The bus drops the node's connections when the lease
 * expires, but the lease survives one failed renewal.
 */
const RENEW_MS = 4_000;

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
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #onEmpty = () => {};
  #rechecking = false;
  #recheckAgain = false;
  /** The time of the last renewal of the lease in milliseconds, according to the service's clock and to a monotonic clock. */
  #renewedAt = { clock: 0, monotonic: 0 };
  #renewing = false;

  constructor(env: Env) {
    this.env = env;
    this.lease = env.lease;
    this.channels = new Topics(env.bus, deliverToSubscriptions);
    this.watches = new Topics(env.bus, deliverToWatches);
  }

  /** Starts the heartbeats and the renewals of the node's lease on the bus, and subscribes to changes of access. */
  async start(): Promise<void> {
    this.#unsubscribe = await onAccessChange((concerned) => {
      if ("people" in concerned) void this.#recheckAll(new Set(concerned.people));
      else for (const each of this.#byCanvas.get(concerned.canvas) ?? []) void each.recheck();
    }, this.env);
    await this.#renewLease();
    this.#timer = setInterval(() => {
      this.#heartbeat(this.env.clock());
      if (this.#isRenewalDue()) void this.#renewLease();
    }, TICK_MS);
    this.#timer.unref();
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
    const { id } = access.canvas;
    this.#byCanvas.set(id, (this.#byCanvas.get(id) ?? new Set()).add(connection));
    if (this.#closed) connection.close("shutdown");
    else connection.open();
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#onEmpty();
    const { id } = connection.access.canvas;
    const others = this.#byCanvas.get(id);
    if (others?.delete(connection) && others.size === 0) this.#byCanvas.delete(id);
  }

  /** Closes all connections because the service stops. Resolves when they have ended, or after `CLOSE_MS`. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
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

  /** Whether `RENEW_MS` have passed since the last renewal, according to either clock. The service's clock may be set back. */
  #isRenewalDue(): boolean {
    const { clock, monotonic } = this.#renewedAt;
    return this.env.clock() - clock >= RENEW_MS || performance.now() - monotonic >= RENEW_MS;
  }

  /**
   * Renews the node's lease on the bus, so that the bus keeps the node's connections. Publishes `leave` for the members whom the bus has
   * removed because their leases had expired. If the lease of this node had expired, each of its connections registers with the bus again.
   */
  async #renewLease(): Promise<void> {
    if (this.#renewing) return;
    this.#renewing = true;
    const { bus, clock, log } = this.env;
    this.#renewedAt = { clock: clock(), monotonic: performance.now() };
    try {
      const { kept, departed } = await bus.renewLease(this.lease);
      if (!kept) for (const each of this.#connections) each.restore();
      await Promise.all(departed.map(({ topic, member }) => publishPresence("leave", topic, member, bus)));
    } catch (error) {
      log.warn({ err: error }, "renewing the lease of this node failed");
    } finally {
      this.#renewing = false;
    }
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
