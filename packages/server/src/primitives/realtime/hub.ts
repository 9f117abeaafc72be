import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { onAccessChange } from "../../canvases/access-events.ts";
import { newId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import type { ClientSocket } from "./client-socket.ts";
import { Connection } from "./connection.ts";
import type { Look, Standing } from "./line.ts";
import { Turn } from "./outbox.ts";
import { publishPresence, type Subscription, tellSubscriptions } from "./subscription.ts";
import { Topics } from "./topics.ts";
import { tellWatches, type Watches } from "./watches.ts";

/**
 * Every connection is tended at least so often, in milliseconds, and not before half of that. Those that have come at once are
 * spread over the other half: each round takes its part of all of them.
 */
const TENDED_EVERY_MS = 30_000;
const ROUND = 50;
const ROUNDS = TENDED_EVERY_MS / 2 / ROUND;

/** The lease of the node is renewed this often: so often that it does not expire when one attempt fails. */
const RENEW_MS = 4_000;

/** How long everyone may take to be gone when the service stops, in milliseconds. */
const PATIENCE = 2_000;

/** So many connections are looked at at once, and the part of the time that this may take. */
const AT_ONCE = 50;
const SHARE = 0.1;

/** The connections of this node. */
export class Hub {
  readonly env: Env;
  readonly lease = newId();
  readonly turn = new Turn();
  changes = 0;
  readonly channels: Topics<Subscription>;
  readonly watches: Topics<Watches>;
  /** In the order in which they were last tended. */
  readonly #connections = new Set<Connection>();
  readonly #ofCanvas = new Map<string, Set<Connection>>();
  #stopListening: (() => Promise<void>) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #emptied = () => {};
  #looking = false;
  /** When the lease was last renewed, by the clock of the service and by one that is never set. */
  #renewedAt = { clock: 0, monotonic: 0 };
  #renewing = false;
  #lookAgain = false;

  constructor(env: Env) {
    this.env = env;
    this.channels = new Topics(env.bus, tellSubscriptions);
    this.watches = new Topics(env.bus, tellWatches);
  }

  /** From now on connections feel what changes. */
  async start(): Promise<void> {
    this.#stopListening = await onAccessChange((concerned) => {
      if ("people" in concerned) void this.#lookAtAll(new Set(concerned.people));
      else for (const each of this.#ofCanvas.get(concerned.canvas) ?? []) void each.recheck();
    }, this.env);
    await this.#renewLease();
    this.#timer = setInterval(() => {
      this.#tend(this.env.clock());
      if (this.#isRenewalDue()) void this.#renewLease();
    }, ROUND);
    this.#timer.unref();
  }

  /** Takes an admitted visitor's socket in. */
  enter(ws: ClientSocket, socket: Duplex, standing: Standing, look: Look): void {
    const connection = new Connection(ws, socket, standing, look, this);
    this.#connections.add(connection);
    const { id } = standing.canvas;
    this.#ofCanvas.set(id, (this.#ofCanvas.get(id) ?? new Set()).add(connection));
    if (this.#closed) connection.close("shutdown");
    else connection.open();
  }

  left(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#emptied();
    const { id } = connection.standing.canvas;
    const others = this.#ofCanvas.get(id);
    if (others?.delete(connection) && others.size === 0) this.#ofCanvas.delete(id);
  }

  /** Says goodbye to everyone: the service stops. Resolved when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#stopListening?.();
    if (this.#connections.size === 0) return;
    const emptied = new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
    for (const each of this.#connections) each.close("shutdown");
    await Promise.race([emptied, sleep(PATIENCE, undefined, { ref: false })]);
  }

  #tend(now: number): void {
    let part = Math.ceil(this.#connections.size / ROUNDS);
    for (const each of this.#connections) {
      if (part-- === 0 || Math.abs(now - each.tendedAt) < TENDED_EVERY_MS / 2) break;
      // To the end of the line.
      this.#connections.delete(each);
      this.#connections.add(each);
      each.tend(now);
    }
  }

  /** Whether either clock says so: the one of the service may be set back. */
  #isRenewalDue(): boolean {
    const { clock, monotonic } = this.#renewedAt;
    return this.env.clock() - clock >= RENEW_MS || performance.now() - monotonic >= RENEW_MS;
  }

  /**
   * Renews the lease of the node, and tells of members that have departed with the leases of other nodes. Where its own lease had
   * expired, the connections take their places again.
   */
  async #renewLease(): Promise<void> {
    if (this.#renewing) return;
    this.#renewing = true;
    const { bus, clock, log } = this.env;
    this.#renewedAt = { clock: clock(), monotonic: performance.now() };
    try {
      const { kept, departed } = await bus.renewLease(this.lease);
      await Promise.all(departed.map(({ topic, member }) => publishPresence("leave", topic, member, bus)));
      if (!kept) for (const each of this.#connections) each.retake();
    } catch (error) {
      log.warn({ err: error }, "the lease of this node could not be renewed");
    } finally {
      this.#renewing = false;
    }
  }

  /**
   * Looks at everyone again, some at a time, and at some first; what is said of all meanwhile makes one more round. Whoever is
   * told something before it is their turn is looked at before they hear it.
   */
  async #lookAtAll(first: Set<string>): Promise<void> {
    this.changes++;
    if (first.size > 0)
      for (const each of this.#connections) if (first.has(each.standing.user.id)) void each.recheck();
    this.#lookAgain = true;
    if (this.#looking) return;
    this.#looking = true;
    while (this.#lookAgain) {
      this.#lookAgain = false;
      const start = performance.now();
      let looks: Promise<void>[] = [];
      let looked = 0;
      for (const each of [...this.#connections]) {
        if (!each.isBehind) continue;
        looks.push(each.recheck());
        if (++looked % AT_ONCE > 0) continue;
        await Promise.race([Promise.all(looks), sleep(PATIENCE, undefined, { ref: false })]);
        await new Promise(setImmediate);
        looks = [];
      }
      const rest = looked > AT_ONCE ? (performance.now() - start) * (1 / SHARE - 1) : 0;
      if (this.#lookAgain) await sleep(rest, undefined, { ref: false });
    }
    this.#looking = false;
  }
}
