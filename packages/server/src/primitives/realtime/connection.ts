import type { Duplex } from "node:stream";
import { LIMITS } from "@easel/protocol/limits";
import { CLOSE_CODES, type FrameErrorCode } from "@easel/protocol/realtime";
import { hasExpired } from "../../access/ladder.ts";
import { manages } from "../../access/roles.ts";
import { newId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { Refusal } from "../../http/refusal.ts";
import type { AccessState, ReadAccess } from "./access-state.ts";
import { Channels } from "./channels.ts";
import type { Client } from "./client.ts";
import type { ClientSocket } from "./client-socket.ts";
import {
  type ClientFrame,
  type ErrorSubject,
  errorFrame,
  isNameTooLong,
  parseFrame,
  subjectOf,
} from "./frames.ts";
import { HeldFrames } from "./held-frames.ts";
import { type FlushQueue, Outbox, textFrame } from "./outbox.ts";
import { RateMeter } from "./rate-meter.ts";
import { SerialQueue } from "./serial-queue.ts";
import type { Subscription } from "./subscription.ts";
import type { Topics } from "./topics.ts";
import { Watches } from "./watches.ts";

/** The state that the connections of a node share. */
interface Node {
  env: Env;
  /** The lease of the node. */
  lease: string;
  flushes: FlushQueue;
  channels: Topics<Subscription>;
  watches: Topics<Watches>;
  /** The number of changes of access so far that may concern every connection. */
  accessVersion: number;
  /** Forgets a connection that is closed and holds nothing on the bus any more. */
  remove(connection: Connection): void;
}

/** The frames that may wait in the queue before the socket is paused. */
const MAX_QUEUED = 64;

/**
 * The WebSocket of one client. Handles its frames one after the other, and reads access anew before each. While a recheck of access
 * is pending, outgoing frames are held.
 */
export class Connection implements Client {
  readonly id: string = newId();
  readonly lease: string;
  access: AccessState;
  /** The time of the last heartbeat, in epoch milliseconds. */
  heartbeatAt: number;
  readonly #ws: ClientSocket;
  readonly #readAccess: ReadAccess;
  readonly #node: Node;
  readonly #outbox: Outbox;
  readonly #channels: Channels;
  readonly #watches: Watches;
  readonly #rateMeter: RateMeter;
  readonly #queue: SerialQueue;
  readonly #held = new HeldFrames();
  /** The `accessVersion` of the node at the last recheck. */
  #checkedVersion: number;
  /** Whether the peer has sent anything since the last ping. */
  #alive = true;
  #closed = false;

  constructor(ws: ClientSocket, socket: Duplex, access: AccessState, readAccess: ReadAccess, node: Node) {
    this.access = access;
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
    };
    // Frames that came before the close frame are handled first.
    ws.on("close", () => this.#queue.add(async () => this.#release()));
  }

  /** Takes one of the canvas's places, or closes. Frames of the client wait meanwhile. */
  open(): void {
    this.#queue.add(async () => {
      // First come, first served; but an error about access is sent rather than that the canvas is full.
      const held = await this.#holdPlace();
      await this.#refreshAccess();
      if (!held) this.close("full");
    });
  }

  /** Takes its place and joins its channels again, after the lease of the node had expired. Closes when the canvas is full. */
  restore(): void {
    this.#queue.add(async () => {
      if (!(await this.#holdPlace())) return this.close("full");
      await this.#channels.rejoin();
    });
  }

  send(text: string): void {
    this.#push(textFrame(text));
  }

  sendError(code: FrameErrorCode, subject: ErrorSubject): void {
    this.send(errorFrame(code, subject));
  }

  deliver(frame: Buffer, isAllowed: () => boolean): void {
    if (this.#closed) return;
    if (this.isStale || (this.#hasExpired && !this.#held.isHolding)) void this.recheck();
    const outcome = this.#held.add(frame, isAllowed);
    if (outcome === "pass" && isAllowed()) this.#push(frame);
    if (outcome === "full") this.close("unchecked");
  }

  /** Whether access may have changed since the last recheck. */
  get isStale(): boolean {
    return this.#checkedVersion < this.#node.accessVersion;
  }

  /** Reads access anew, and holds outgoing frames until that is done. */
  recheck(): Promise<void> {
    this.#checkedVersion = this.#node.accessVersion;
    this.#held.hold();
    return this.#queue.add(async () => {
      await this.#refreshAccess();
      for (const frame of this.#held.release()) this.#push(frame);
    });
  }

  /** Drops a peer that has sent nothing since the last ping; otherwise pings it and rechecks access. */
  heartbeat(now: number): void {
    this.heartbeatAt = now;
    if (!this.#alive) this.#ws.terminate();
    if (this.#closed || !this.#alive) return;
    this.#alive = false;
    this.#ws.ping();
    void this.recheck();
  }

  /** Sends a close frame after all unsent frames, the last of which may be given. */
  close(cause: keyof typeof CLOSE_CODES, lastFrame?: string): void {
    if (this.#closed) return;
    if (lastFrame !== undefined) this.send(lastFrame);
    this.#release();
    this.#outbox.flush();
    const { code, reason } = CLOSE_CODES[cause];
    this.#ws.close(code, reason);
  }

  /** Whether the share of the canvas or the credentials have expired. */
  get #hasExpired(): boolean {
    const { canvas, role, until } = this.access;
    const now = this.#node.env.clock();
    return now >= until || (hasExpired(canvas, now) && !manages(role));
  }

  get #place(): string {
    return `realtime ${this.access.canvas.id}`;
  }

  #holdPlace(): Promise<boolean> {
    const most = LIMITS.connectionsPerCanvas.value;
    return this.#node.env.bus.hold(this.#place, most, this.id, this.lease);
  }

  #push(frame: Buffer): void {
    if (!this.#closed) this.#outbox.push(frame);
  }

  #onControlFrame(): void {
    this.#alive = true;
    this.#isWithinRate("other", {});
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    this.#alive = true;
    if (this.#closed) return;
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

  /** Counts a frame. False when it is past the rate limit, after an error was sent or the connection closed. */
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

  /** Re-reads the caller's role and the canvas's policy. Updates the channels and watches of the connection if they have changed. */
  async #refreshAccess(): Promise<void> {
    const before = this.access;
    const now = await this.#readAccess();
    this.access = now;
    if (now.role === before.role && now.policy === before.policy) return;
    this.#watches.applyAccess(before);
    await this.#channels.applyAccess();
  }

  #onError(error: unknown): void {
    if (this.#closed) return;
    const refusal = error instanceof Refusal && error.status < 500 ? error : null;
    if (refusal === null) this.#node.env.log.error({ err: error }, "a realtime connection failed");
    if (refusal === null) this.close("unchecked");
    else if (refusal.code !== "CAPABILITY_DISABLED") this.close("accessLost");
    else this.close("disabled", JSON.stringify({ type: "error", ...refusal.body }));
  }

  /** Stops sending and handling frames. After the frame that is being handled, gives back everything that was taken on the bus. */
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
