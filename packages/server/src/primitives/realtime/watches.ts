import type { WatchTarget } from "@easel/protocol/realtime";
import type { Env } from "../../env.ts";
import { type Change, changesTopic, readChange } from "../change-feed.ts";
import type { AccessState } from "./access-state.ts";
import type { Client } from "./client.ts";
import { textFrame } from "./outbox.ts";
import type { Topics } from "./topics.ts";
import {
  changeFrame,
  collectionRight,
  isEnabled,
  matches,
  mayRead,
  readsOtherwise,
  resyncFrame,
} from "./watched-changes.ts";

/** The watches of one connection. The connection receives only changes of data that its user may read when the change is sent. */
export class Watches {
  readonly #client: Client;
  readonly #topics: Topics<Watches>;
  readonly #env: Env;
  readonly #targets = new Map<string, WatchTarget>();

  constructor(client: Client, topics: Topics<Watches>, env: Env) {
    this.#client = client;
    this.#topics = topics;
    this.#env = env;
  }

  get size(): number {
    return this.#targets.size;
  }

  has(target: WatchTarget): boolean {
    return this.#targets.has(JSON.stringify(target));
  }

  /**
   * Starts a watch. `resume` means that the client has watched the target before. The client then also gets a `resync` frame, which asks it
   * to read the target again, because it may have missed changes.
   */
  async watch(target: WatchTarget, resume: boolean): Promise<void> {
    const { access } = this.#client;
    if (!isEnabled(target, access, this.#env)) return this.#client.sendError("CAPABILITY_DISABLED", target);
    if (target.resource === "collection") {
      const read = collectionRight(target.name, access);
      if (read === undefined) return this.#client.sendError("COLLECTION_NOT_CONFIGURED", target);
      if (!read.own) return this.#client.sendError("PERMISSION_DENIED", target);
    }
    this.#targets.set(JSON.stringify(target), target);
    await this.#topics.subscribe(this.#topic, this);
    this.#client.send(JSON.stringify({ type: "watching", ...target }));
    if (resume) this.#client.send(resyncFrame(target));
  }

  /**
   * Called when the user's access has changed; `before` is the previous access. Sends a `resync` frame for each target of which the user
   * may now be able to read more or fewer entries. The client then reads the target again.
   */
  applyAccess(before: AccessState): void {
    for (const target of this.#targets.values())
      if (readsOtherwise(target, before, this.#client.access)) this.#client.send(resyncFrame(target));
  }

  async unwatch(target: WatchTarget): Promise<void> {
    if (this.#targets.delete(JSON.stringify(target)) && this.size === 0) await this.unwatchAll();
  }

  async unwatchAll(): Promise<void> {
    this.#targets.clear();
    await this.#topics.unsubscribe(this.#topic, this);
  }

  onChange(change: Change, frame: Buffer): void {
    const isAllowed = () => this.#matches(change) && mayRead(change, this.#client.access, this.#env);
    if (this.#matches(change)) this.#client.deliver(frame, isAllowed);
  }

  get #topic(): string {
    return changesTopic(this.#client.access.canvas.id);
  }

  #matches(change: Change): boolean {
    return this.#targets.values().some((target) => matches(target, change));
  }
}

/** Delivers a change from the bus to the watches of its canvas on this node. */
export function deliverToWatches(message: string, watches: Set<Watches>): void {
  const { change, content } = readChange(message);
  const frame = textFrame(changeFrame(change, content));
  for (const each of watches) each.onChange(change, frame);
}
