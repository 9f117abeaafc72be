import type { Duplex } from "node:stream";
import { LIMITS } from "@easel/protocol/limits";
import { CLOSE_CODES, type FrameErrorCode } from "@easel/protocol/realtime";
import { hasExpired } from "../../access/ladder.ts";
import { manages } from "../../access/roles.ts";
import { newId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { Refusal } from "../../http/refusal.ts";
import { Channels } from "./channels.ts";
import type { ClientSocket } from "./client-socket.ts";
import { type About, aboutOf, type ClientFrame, errorFrame, namesTooLong, readFrame } from "./frames.ts";
import { HeldFrames } from "./held-frames.ts";
import type { Line, Look, Standing } from "./line.ts";
import { Meter } from "./meter.ts";
import { Outbox, type Turn, textFrame } from "./outbox.ts";
import { SerialQueue } from "./serial-queue.ts";
import type { Subscription } from "./subscription.ts";
import type { Topics } from "./topics.ts";
import { Watches } from "./watches.ts";

/** What a connection has in common with the others of its node. */
interface Shared {
  env: Env;
  /** The lease of the node. */
  lease: string;
  turn: Turn;
  channels: Topics<Subscription>;
  watches: Topics<Watches>;
  /** How many changes there were that may concern anyone. */
  changes: number;
  /** Forgets a connection that has ended and given everything back. */
  left(connection: Connection): void;
}

/** So many frames may wait for their turn before no more are read. */
const MOST_WAITING = 64;

/**
 * One visitor's socket. What it is asked is done one after the other, and before each the visitor is looked at again. While
 * it is in doubt whether they may still be here, nothing is delivered.
 */
export class Connection implements Line {
  readonly id: string = newId();
  readonly lease: string;
  standing: Standing;
  /** When the visitor was last looked at from outside, in epoch milliseconds. */
  tendedAt: number;
  readonly #ws: ClientSocket;
  readonly #look: Look;
  readonly #hub: Shared;
  readonly #outbox: Outbox;
  readonly #channels: Channels;
  readonly #watches: Watches;
  readonly #meter: Meter;
  readonly #tasks: SerialQueue;
  readonly #doubt = new HeldFrames();
  /** Of the changes that may concern anyone, the last one that it was looked at after. */
  #knows: number;
  #alive = true;
  #ended = false;

  constructor(ws: ClientSocket, socket: Duplex, standing: Standing, look: Look, hub: Shared) {
    this.standing = standing;
    this.lease = hub.lease;
    this.tendedAt = hub.env.clock();
    this.#knows = hub.changes;
    this.#ws = ws;
    this.#look = look;
    this.#hub = hub;
    this.#meter = new Meter(hub.env.config.publishesPerMinute);
    this.#outbox = new Outbox(socket, hub.turn, () => ws.readyState === ws.OPEN);
    this.#channels = new Channels(this, hub.channels, hub.env.bus);
    this.#watches = new Watches(this, hub.watches, hub.env);
    this.#tasks = new SerialQueue(
      (error) => this.#fail(error),
      () => ws.isPaused && ws.resume(),
    );
    ws.on("message", (bytes: Buffer, isBinary) => this.#receive(bytes, isBinary));
    ws.on("ping", () => this.#beat());
    ws.on("pong", () => this.#beat());
    ws.on("error", () => {});
    ws.onTooLarge = () => {
      this.refuse("MESSAGE_TOO_LARGE", {});
      this.#outbox.flush();
    };
    // What was asked before the goodbye is done first.
    ws.on("close", () => this.#tasks.add(async () => this.#end()));
  }

  /** Takes one of the canvas's places, or closes; what the client sends meanwhile waits. */
  open(): void {
    this.#tasks.add(async () => {
      // First come, first served; but that realtime is off is said before that there is no place.
      const held = await this.#hold();
      await this.#check();
      if (!held) this.close("full");
    });
  }

  /** Takes again what was taken on the bus, after the lease of the node had expired. Closes when the canvas is full by now. */
  retake(): void {
    this.#tasks.add(async () => {
      if (!(await this.#hold())) return this.close("full");
      await this.#channels.rejoin();
    });
  }

  send(text: string): void {
    this.#push(textFrame(text));
  }

  refuse(code: FrameErrorCode, about: About): void {
    this.send(errorFrame(code, about));
  }

  deliver(frame: Buffer, isDue: () => boolean): void {
    if (this.#ended) return;
    if (this.isBehind || (this.#isOver && !this.#doubt.isOpen)) void this.recheck();
    const taken = this.#doubt.take(frame, isDue);
    if (taken === "pass" && isDue()) this.#push(frame);
    if (taken === "full") this.close("unchecked");
  }

  /** Whether something has changed that may concern anyone, and it has not been looked at since. */
  get isBehind(): boolean {
    return this.#knows < this.#hub.changes;
  }

  /** Looks at the visitor again, because something has changed or time has gone by. Resolved when that is over. */
  recheck(): Promise<void> {
    this.#knows = this.#hub.changes;
    this.#doubt.begin();
    return this.#tasks.add(async () => {
      await this.#check();
      for (const frame of this.#doubt.end()) this.#push(frame);
    });
  }

  /** What is done from time to time: a peer that has not answered the last ping is gone, a visitor is looked at again. */
  tend(now: number): void {
    this.tendedAt = now;
    if (!this.#alive) this.#ws.terminate();
    if (this.#ended || !this.#alive) return;
    this.#alive = false;
    this.#ws.ping();
    void this.recheck();
  }

  /** Says goodbye after everything that was said before, with a last frame if there is one. */
  close(cause: keyof typeof CLOSE_CODES, last?: string): void {
    if (this.#ended) return;
    if (last !== undefined) this.send(last);
    this.#end();
    this.#outbox.flush();
    const { code, reason } = CLOSE_CODES[cause];
    this.#ws.close(code, reason);
  }

  /** Whether the time has run out that the canvas is shared for, or that the visitor is identified for. */
  get #isOver(): boolean {
    const { canvas, role, until } = this.standing;
    const now = this.#hub.env.clock();
    return now >= until || (hasExpired(canvas, now) && !manages(role));
  }

  get #place(): string {
    return `realtime ${this.standing.canvas.id}`;
  }

  #hold(): Promise<boolean> {
    const most = LIMITS.connectionsPerCanvas.value;
    return this.#hub.env.bus.hold(this.#place, most, this.id, this.lease);
  }

  #push(frame: Buffer): void {
    if (!this.#ended) this.#outbox.push(frame);
  }

  #beat(): void {
    this.#alive = true;
    this.#meters("other", {});
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    this.#alive = true;
    if (this.#ended) return;
    this.#tasks.add(() => this.#answer(readFrame(bytes, isBinary)));
    if (this.#tasks.size > MOST_WAITING) this.#ws.pause();
  }

  async #answer(frame: ReturnType<typeof readFrame>): Promise<void> {
    if ("code" in frame) {
      if (this.#meters("other", frame.about)) this.refuse(frame.code, frame.about);
      return;
    }
    const about = aboutOf(frame);
    if (!this.#meters(frame.type === "publish" ? "publish" : "other", about)) return;
    if (namesTooLong(frame)) return this.refuse("CHANNEL_NAME_TOO_LARGE", about);
    await this.#check();
    if (this.#ended) return;
    if (this.#isFullFor(frame)) return this.refuse("CHANNEL_LIMIT", about);
    await this.#obey(frame);
  }

  /** Whether a frame is within the limits; where it is not, says so. */
  #meters(kind: "publish" | "other", about: About): boolean {
    const counted = this.#meter.count(kind, this.#hub.env.clock());
    if (counted === "refused") this.refuse("RATE_LIMITED", about);
    if (counted === "flood") this.close("flood");
    return counted === "allowed";
  }

  #isFullFor(frame: ClientFrame): boolean {
    const isNew =
      (frame.type === "subscribe" && !this.#channels.has(frame.channel)) ||
      (frame.type === "watch" && !this.#watches.has(frame.target));
    return isNew && this.#channels.size + this.#watches.size >= LIMITS.channelsPerConnection.value;
  }

  #obey(frame: ClientFrame): Promise<void> {
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

  /** Looks at the visitor, and at their channels and watches where something is different. */
  async #check(): Promise<void> {
    const before = this.standing;
    const now = await this.#look();
    this.standing = now;
    if (now.role === before.role && now.policy === before.policy) return;
    this.#watches.settle(before);
    await this.#channels.settle();
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    const refusal = error instanceof Refusal && error.status < 500 ? error : null;
    if (refusal === null) this.#hub.env.log.error({ err: error }, "a connection could not be served");
    if (refusal === null) this.close("unchecked");
    else if (refusal.code !== "CAPABILITY_DISABLED") this.close("accessLost");
    else this.close("disabled", JSON.stringify({ type: "error", ...refusal.body }));
  }

  /** Nothing more is said or asked; what is under way comes to its end, and then everything is given back. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#tasks.addLast(async () => {
      try {
        const { bus } = this.#hub.env;
        const released = bus.release(this.#place, this.id);
        await Promise.all([this.#channels.leaveAll(), this.#watches.leaveAll(), released]);
      } finally {
        this.#hub.left(this);
      }
    });
  }
}
