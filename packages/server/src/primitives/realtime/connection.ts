import type { Duplex } from "node:stream";
import { LIMITS } from "@easel/protocol/limits";
import { CLOSE_CODES, type FrameErrorCode } from "@easel/protocol/realtime";
import { hasExpired } from "../../access/ladder.ts";
import { manages } from "../../access/roles.ts";
import { realtimeLimits, realtimePlace, realtimePlaces } from "../../canvases/open-connections.ts";
import { newId } from "../../crypto/ids.ts";
import type { HoldOutcome } from "../../drivers/bus/bus.ts";
import type { Env } from "../../env.ts";
import { Refusal } from "../../http/refusal.ts";
import { Channels } from "./channels.ts";
import type { AccessState, Client, ClientSocket, ReadAccess } from "./client.ts";
import { RateMeter, SerialQueue } from "./frame-queue.ts";
import {
  type ClientFrame,
  type ErrorSubject,
  errorFrame,
  isNameTooLong,
  parseFrame,
  subjectOf,
} from "./frames.ts";
import { type FlushQueue, Outbox, PendingFrames, textFrame } from "./outbox.ts";
import type { Subscription, Topics } from "./subscription.ts";
import { Watches } from "./watches.ts";

/** The state that all connections of a node (one process of the service) share. */
interface Node {
  env: Env;
  /**
   * The id of the node's lease on the bus. When the lease expires, the bus removes everything that the connections of the node have
   * registered.
   */
  lease: string;
  flushes: FlushQueue;
  channels: Topics<Subscription>;
  watches: Topics<Watches>;
  /**
   * Grows by one whenever the access of users on any connection may have changed, for example when sessions end. Connections compare it
   * with `#checkedVersion`.
   */
  accessVersion: number;
  /** Removes a connection from the node. Called after the connection has closed and its entries on the bus have been removed. */
  remove(connection: Connection): void;
}

/** The error codes that a connection sends in its last frame before it closes. */
const ERROR_CODES: { [cause in keyof typeof CLOSE_CODES]?: FrameErrorCode } = {
  disabled: "CAPABILITY_DISABLED",
  tooLarge: "MESSAGE_TOO_LARGE",
};

/** The maximum size of the reason in a close frame, in bytes (RFC 6455, 5.5). */
const MAX_REASON_BYTES = 123;

/** Says who has the places of a full canvas, as far as this fits into the reason of a close frame: "canvas full: Bob has 28, Ada has 2". */
function fullReason(people: { name: string; connections: number }[]): string {
  let reason: string = CLOSE_CODES.full.reason;
  for (const [index, { name, connections }] of people.entries()) {
    const longer = `${reason}${index === 0 ? ": " : ", "}${name.toWellFormed()} has ${connections}`;
    if (Buffer.byteLength(longer) > MAX_REASON_BYTES) break;
    reason = longer;
  }
  return reason;
}

/**
 * The maximum number of received frames that wait to be handled. Above it, reading from the socket pauses until all of them are handled.
 */
const MAX_QUEUED = 64;

/**
 * The WebSocket connection of one client. Handles received frames one after the other, and re-reads the user's access before each. While
 * access is rechecked, messages of channels and watches are buffered.
 */
export class Connection implements Client {
  readonly id: string = newId();
  readonly lease: string;
  access: AccessState;
  /** The time of the last heartbeat, in epoch milliseconds. */
  heartbeatAt: number;
  readonly #ws: ClientSocket;
  readonly #readAccess: ReadAccess;
  readonly #requestId: string;
  readonly #node: Node;
  readonly #outbox: Outbox;
  readonly #channels: Channels;
  readonly #watches: Watches;
  readonly #rateMeter: RateMeter;
  readonly #queue: SerialQueue;
  readonly #pending = new PendingFrames();
  /** The value of the node's `accessVersion` at the last recheck. */
  #checkedVersion: number;
  /** The recheck that waits in the queue, or null if none does. */
  #waitingRecheck: Promise<void> | null = null;
  /** Returns of which topics the next recheck makes up for missed messages; null if of none. */
  #isMissed: ((topic: string) => boolean) | null = null;
  /** Whether the peer has sent anything since the last ping. */
  #alive = true;
  #closed = false;

  /** `requestId` is the id of the request that opened the connection. */
  constructor(
    ws: ClientSocket,
    socket: Duplex,
    access: AccessState,
    readAccess: ReadAccess,
    requestId: string,
    node: Node,
  ) {
    this.access = access;
    this.#requestId = requestId;
    this.lease = node.lease;
    this.heartbeatAt = node.env.clock();
    this.#checkedVersion = node.accessVersion;
    this.#ws = ws;
    this.#readAccess = readAccess;
    this.#node = node;
    this.#rateMeter = new RateMeter(node.env.config.publishesPerMinute);
    this.#outbox = new Outbox(socket, node.flushes, () => ws.readyState === ws.OPEN);
    this.#channels = new Channels(this, node.channels, node.env.bus);
    this.#watches = new Watches(this, node.watches, node.env);
    this.#queue = new SerialQueue(
      (error) => this.#onError(error),
      () => ws.isPaused && ws.resume(),
    );
    ws.on("message", (bytes: Buffer, isBinary) => this.#receive(bytes, isBinary));
    ws.on("ping", () => this.#onControlFrame());
    ws.on("pong", () => this.#onControlFrame());
    ws.on("error", () => {});
    ws.onTooLarge = () => {
      this.sendError("MESSAGE_TOO_LARGE", {});
      this.#outbox.flush();
      this.#logClose("tooLarge");
    };
    // Frames that were received before the close frame are handled first.
    ws.on("close", () => this.#queue.add(async () => this.#release()));
  }

  /**
   * Takes one of the limited places for connections to the canvas, or closes the connection if none is free. Received frames wait in the
   * queue meanwhile.
   */
  open(): void {
    this.#queue.add(async () => {
      // The place is taken before access is read, so that connections get places in the order of their arrival. If the user has
      // also lost access, the connection closes for that reason, even if the canvas is full.
      const outcome = await this.#holdPlace();
      await this.#refreshAccess();
      if (outcome !== "held") await this.#closeWithoutPlace(outcome);
    });
  }

  /**
   * Registers the connection and its presence on the bus again, after the bus has dropped them because the node did not renew its lease in
   * time. Closes the connection if the canvas has too many connections by then.
   */
  restore(): void {
    this.#queue.add(async () => {
      const outcome = await this.#holdPlace();
      if (outcome !== "held") return this.#closeWithoutPlace(outcome);
      await this.#channels.rejoin();
    });
  }

  /**
   * Sends a `resync` frame for each watch of which changes may have been missed. The members of channels follow the next recheck, which the
   * caller makes necessary. `isMissed` returns whether messages of a topic may have been missed.
   */
  messagesMissed(isMissed: (topic: string) => boolean): void {
    if (this.#closed) return;
    this.#watches.messagesMissed(isMissed);
    this.#isMissed = this.#isMissed === null ? isMissed : () => true;
  }

  send(text: string): void {
    this.#push(textFrame(text));
  }

  sendError(code: FrameErrorCode, subject: ErrorSubject): void {
    this.send(errorFrame(code, subject));
  }

  deliver(frame: Buffer, isAllowed: () => boolean): void {
    if (this.#closed) return;
    if (this.isStale || (this.#hasExpired && !this.#pending.isPaused)) void this.recheck();
    const outcome = this.#pending.add(frame, isAllowed);
    if (outcome === "pass" && isAllowed()) this.#push(frame);
    if (outcome === "full") this.close("unchecked");
  }

  /** Whether the user's access may have changed since the last recheck. */
  get isStale(): boolean {
    return this.#checkedVersion < this.#node.accessVersion;
  }

  /**
   * Re-reads the user's access. Buffers the messages of channels and watches until that is done. A recheck that waits in the queue serves
   * all further calls until it begins.
   */
  recheck(): Promise<void> {
    this.#checkedVersion = this.#node.accessVersion;
    if (this.#waitingRecheck !== null) return this.#waitingRecheck;
    this.#pending.pause();
    let hasBegun = false;
    const done = this.#queue.add(async () => {
      hasBegun = true;
      this.#waitingRecheck = null;
      await this.#refreshAccess();
      await this.#sendMissed();
      for (const frame of this.#pending.resume()) this.#push(frame);
    });
    // An idle queue begins the task at once.
    if (!hasBegun) this.#waitingRecheck = done;
    return done;
  }

  /** Terminates the connection if the peer has sent nothing since the last ping. Otherwise pings the peer and rechecks access. */
  heartbeat(now: number): void {
    this.heartbeatAt = now;
    if (!this.#alive) this.#ws.terminate();
    if (this.#closed || !this.#alive) return;
    this.#alive = false;
    this.#ws.ping();
    void this.recheck();
  }

  /**
   * Sends the unsent frames, then `lastFrame` if it is given, and then a close frame. `detail` replaces the usual reason of the close frame
   * for owner and editors, and in the call log, which only they can read.
   */
  close(
    cause: keyof typeof CLOSE_CODES,
    { lastFrame, detail }: { lastFrame?: string; detail?: string } = {},
  ): void {
    if (this.#closed) return;
    if (lastFrame !== undefined) this.send(lastFrame);
    this.#release();
    this.#outbox.flush();
    if (cause !== "shutdown") this.#logClose(cause, detail);
    const { code, reason } = CLOSE_CODES[cause];
    this.#ws.close(code, manages(this.access.role) ? (detail ?? reason) : reason);
  }

  #logClose(cause: keyof typeof CLOSE_CODES, detail?: string): void {
    const { clock, callLog } = this.#node.env;
    const { code, reason, when } = CLOSE_CODES[cause];
    callLog.add(
      this.access.canvas,
      {
        at: clock(),
        method: "GET",
        route: "/realtime",
        status: code,
        code: ERROR_CODES[cause] ?? null,
        message: detail || reason || when,
        userId: this.access.user.id,
        requestId: this.#requestId,
        pageError: null,
      },
      "insider",
    );
  }

  /**
   * Whether the user's access has ended because a time has passed: the expiry of the credentials, or the `expiresAt` of the canvas, after
   * which only its owner and editors have access.
   */
  get #hasExpired(): boolean {
    const { canvas, role, credential } = this.access;
    const now = this.#node.env.clock();
    return (credential !== null && now >= credential.until) || (hasExpired(canvas, now) && !manages(role));
  }

  get #place(): string {
    return realtimePlace(this.access.canvas.id);
  }

  #holdPlace(): Promise<HoldOutcome> {
    const { bus, config } = this.#node.env;
    const holder = { id: this.id, owner: this.access.user.id, lease: this.lease };
    return bus.hold(this.#place, holder, realtimeLimits(config));
  }

  async #closeWithoutPlace(outcome: Exclude<HoldOutcome, "held">): Promise<void> {
    if (outcome === "owner full") return this.close("personFull");
    const { people } = await realtimePlaces(this.access.canvas.id, this.#node.env);
    this.close("full", { detail: fullReason(people) });
  }

  #push(frame: Buffer): void {
    if (this.#closed) return;
    this.#node.env.metrics.realtimeFrames.add(1, "out");
    this.#outbox.push(frame);
  }

  #onControlFrame(): void {
    this.#alive = true;
    this.#isWithinRate("other", {});
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    this.#alive = true;
    if (this.#closed) return;
    this.#node.env.metrics.realtimeFrames.add(1, "in");
    this.#queue.add(() => this.#handle(parseFrame(bytes, isBinary)));
    if (this.#queue.size > MAX_QUEUED) this.#ws.pause();
  }

  async #handle(frame: ReturnType<typeof parseFrame>): Promise<void> {
    if ("code" in frame) {
      if (this.#isWithinRate("other", frame.subject)) this.sendError(frame.code, frame.subject);
      return;
    }
    const subject = subjectOf(frame);
    if (!this.#isWithinRate(frame.type === "publish" ? "publish" : "other", subject)) return;
    if (isNameTooLong(frame)) return this.sendError("CHANNEL_NAME_TOO_LARGE", subject);
    await this.#refreshAccess();
    if (this.#closed) return;
    if (this.#exceedsChannels(frame)) return this.sendError("CHANNEL_LIMIT", subject);
    await this.#dispatch(frame);
  }

  /** Counts a received frame. If the frame exceeds a rate limit, sends an error or closes the connection, and returns false. */
  #isWithinRate(kind: "publish" | "other", subject: ErrorSubject): boolean {
    const outcome = this.#rateMeter.count(kind, this.#node.env.clock());
    if (outcome === "refused") this.sendError("RATE_LIMITED", subject);
    if (outcome === "flood") this.close("flood");
    return outcome === "allowed";
  }

  #exceedsChannels(frame: ClientFrame): boolean {
    const isNew =
      (frame.type === "subscribe" && !this.#channels.has(frame.channel)) ||
      (frame.type === "watch" && !this.#watches.has(frame.target));
    return isNew && this.#channels.size + this.#watches.size >= LIMITS.channelsPerConnection.value;
  }

  #dispatch(frame: ClientFrame): Promise<void> {
    switch (frame.type) {
      case "publish":
        return this.#channels.publish(frame.channel, frame.event, frame.data);
      case "watch":
        return this.#watches.watch(frame.target, frame.resume);
      case "unwatch":
        return this.#watches.unwatch(frame.target);
      default:
        return this.#channels[frame.type](frame.channel);
    }
  }

  /** Re-reads the user's role and the canvas's policy. If one of them has changed, updates the channels and watches of the connection. */
  async #refreshAccess(): Promise<void> {
    const before = this.access;
    const now = await this.#readAccess();
    this.access = now;
    if (now.role === before.role && now.policy === before.policy) return;
    this.#watches.applyAccess(before);
    await this.#channels.applyAccess();
  }

  /** Sends the members of each channel of which `join` and `leave` frames may have been missed. */
  async #sendMissed(): Promise<void> {
    const isMissed = this.#isMissed;
    this.#isMissed = null;
    if (isMissed !== null) await this.#channels.messagesMissed(isMissed);
  }

  #onError(error: unknown): void {
    if (this.#closed) return;
    const refusal = error instanceof Refusal && error.status < 500 ? error : null;
    if (refusal === null) this.#node.env.log.error({ err: error }, "a realtime connection failed");
    if (refusal === null) this.close("unchecked");
    else if (refusal.code !== "CAPABILITY_DISABLED") this.close("accessLost");
    else this.close("disabled", { lastFrame: JSON.stringify({ type: "error", ...refusal.body }) });
  }

  /**
   * Stops sending and handling frames. Once the current frame is handled, removes everything that the connection has registered on the bus.
   */
  #release(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.addLast(async () => {
      try {
        const { bus } = this.#node.env;
        const released = bus.release(this.#place, this.id);
        await Promise.all([this.#channels.unsubscribeAll(), this.#watches.unwatchAll(), released]);
      } finally {
        this.#node.remove(this);
      }
    });
  }
}
