import type { WatchTarget } from "@easel/protocol/realtime";
import { allows, rightsOf } from "../../access/rights.ts";
import { whyOff } from "../../canvases/capabilities.ts";
import { entryOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { type Change, changesTopic } from "../change-feed.ts";
import type { AccessState } from "./access-state.ts";
import type { Client } from "./client.ts";
import { textFrame } from "./outbox.ts";
import type { Topics } from "./topics.ts";

/** The frame for a change. It names what has changed, without the new value. */
function changeFrame(change: Change): string {
  if (change.op === "clear") return resyncFrame({ resource: change.resource, name: change.name });
  const { resource, op } = change;
  const subject = "id" in change ? { name: change.name, id: change.id } : { key: change.key };
  return JSON.stringify({ type: "change", resource, ...subject, op });
}

const resyncFrame = (target: WatchTarget) => JSON.stringify({ type: "resync", ...target });

const matches = (target: WatchTarget, change: Change): boolean =>
  "prefix" in target
    ? target.resource === change.resource && "key" in change && change.key.startsWith(target.prefix)
    : target.resource === change.resource && target.name === change.name;

/** The right to read a collection; undefined for one that is not configured. */
const readRight = ({ policy, role }: AccessState, name: string) => {
  const entry = entryOf(policy.collections, name);
  return entry === undefined ? undefined : rightsOf(entry, role).read;
};

/** The watches of one connection. It receives only changes of data that its user may read at that moment. */
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

  /** Starts a watch. With `resume`, the client has watched the target before and may have missed changes since. */
  async watch(target: WatchTarget, resume: boolean): Promise<void> {
    if (!this.#isEnabled()) return this.#client.sendError("CAPABILITY_DISABLED", target);
    if (target.resource === "collection") {
      const read = readRight(this.#client.access, target.name);
      if (read === undefined) return this.#client.sendError("COLLECTION_NOT_CONFIGURED", target);
      if (!read.own) return this.#client.sendError("PERMISSION_DENIED", target);
    }
    this.#targets.set(JSON.stringify(target), target);
    await this.#topics.subscribe(this.#topic, this);
    this.#client.send(JSON.stringify({ type: "watching", ...target }));
    if (resume) this.#client.send(resyncFrame(target));
  }

  /** Sends `resync` for collections of which the client may read other records than before: it may have missed changes. */
  applyAccess(before: AccessState): void {
    for (const target of this.#targets.values()) {
      if (target.resource !== "collection") continue;
      const was = readRight(before, target.name);
      const is = readRight(this.#client.access, target.name);
      if (is?.own && (is.own !== was?.own || is.any !== was.any)) this.#client.send(resyncFrame(target));
    }
  }

  async unwatch(target: WatchTarget): Promise<void> {
    if (this.#targets.delete(JSON.stringify(target)) && this.size === 0) await this.unwatchAll();
  }

  async unwatchAll(): Promise<void> {
    this.#targets.clear();
    await this.#topics.unsubscribe(this.#topic, this);
  }

  onChange(change: Change, frame: Buffer): void {
    const isAllowed = () => this.#matches(change) && this.#mayRead(change);
    if (this.#matches(change)) this.#client.deliver(frame, isAllowed);
  }

  get #topic(): string {
    return changesTopic(this.#client.access.canvas.id);
  }

  #isEnabled(): boolean {
    return whyOff("kv", this.#client.access.canvas, this.#env) === null;
  }

  #matches(change: Change): boolean {
    return this.#targets.values().some((target) => matches(target, change));
  }

  #mayRead(change: Change): boolean {
    const { access } = this.#client;
    if (!this.#isEnabled()) return false;
    if (change.resource === "kv") return true;
    const isOwn = change.of === null || change.of === access.user.id;
    if (change.resource === "kv.user") return isOwn;
    const read = readRight(access, change.name);
    return read !== undefined && allows(read, isOwn);
  }
}

/** Delivers a change from the bus to the watches of this node. */
export function deliverToWatches(message: string, watches: Set<Watches>): void {
  const change: Change = JSON.parse(message);
  const frame = textFrame(changeFrame(change));
  for (const each of watches) each.onChange(change, frame);
}
