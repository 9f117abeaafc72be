import type { WatchTarget } from "@easel/protocol/realtime";
import { may, rightsOf } from "../../access/rights.ts";
import { whyOff } from "../../canvases/capabilities.ts";
import { entryOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { type Change, changesOf } from "../change-feed.ts";
import type { Line, Standing } from "./line.ts";
import { textFrame } from "./outbox.ts";
import type { Topics } from "./topics.ts";

/** The frame that tells of a change: that something is different, never what it is now. */
function frameOf(change: Change): string {
  if (change.op === "clear") return resyncFrame({ resource: change.resource, name: change.name });
  const { resource, op } = change;
  const what = "id" in change ? { name: change.name, id: change.id } : { key: change.key };
  return JSON.stringify({ type: "change", resource, ...what, op });
}

const resyncFrame = (target: WatchTarget) => JSON.stringify({ type: "resync", ...target });

const covers = (target: WatchTarget, change: Change): boolean =>
  "prefix" in target
    ? target.resource === change.resource && "key" in change && change.key.startsWith(target.prefix)
    : target.resource === change.resource && target.name === change.name;

const readOf = ({ policy, role }: Standing, name: string) => {
  const entry = entryOf(policy.collections, name);
  return entry === undefined ? undefined : rightsOf(entry, role).read;
};

/** What one connection watches. It is told of what it could read itself at that moment, and of nothing else. */
export class Watches {
  readonly #line: Line;
  readonly #topics: Topics<Watches>;
  readonly #env: Env;
  readonly #targets = new Map<string, WatchTarget>();

  constructor(line: Line, topics: Topics<Watches>, env: Env) {
    this.#line = line;
    this.#topics = topics;
    this.#env = env;
  }

  get size(): number {
    return this.#targets.size;
  }

  has(target: WatchTarget): boolean {
    return this.#targets.has(JSON.stringify(target));
  }

  /** `resume`: the client has watched this before and may have missed something since. */
  async watch(target: WatchTarget, resume: boolean): Promise<void> {
    if (!this.#isOn()) return this.#line.refuse("CAPABILITY_DISABLED", target);
    if (target.resource === "collection") {
      const read = readOf(this.#line.standing, target.name);
      if (read === undefined) return this.#line.refuse("COLLECTION_NOT_CONFIGURED", target);
      if (!read.own) return this.#line.refuse("PERMISSION_DENIED", target);
    }
    this.#targets.set(JSON.stringify(target), target);
    await this.#topics.enter(this.#topic, this);
    this.#line.send(JSON.stringify({ type: "watching", ...target }));
    if (resume) this.#line.send(resyncFrame(target));
  }

  /** Where the visitor may read otherwise than they did, changes may have been missed: they are told to read again. */
  settle(before: Standing): void {
    for (const target of this.#targets.values()) {
      if (target.resource !== "collection") continue;
      const was = readOf(before, target.name);
      const is = readOf(this.#line.standing, target.name);
      if (is?.own && (is.own !== was?.own || is.any !== was.any)) this.#line.send(resyncFrame(target));
    }
  }

  async unwatch(target: WatchTarget): Promise<void> {
    if (this.#targets.delete(JSON.stringify(target)) && this.size === 0) await this.leaveAll();
  }

  async leaveAll(): Promise<void> {
    this.#targets.clear();
    await this.#topics.leave(this.#topic, this);
  }

  hear(change: Change, frame: Buffer): void {
    const isDue = () => this.#covers(change) && this.#mayRead(change);
    if (this.#covers(change)) this.#line.deliver(frame, isDue);
  }

  get #topic(): string {
    return changesOf(this.#line.standing.canvas.id);
  }

  #isOn(): boolean {
    return whyOff("kv", this.#line.standing.canvas, this.#env) === null;
  }

  #covers(change: Change): boolean {
    return this.#targets.values().some((target) => covers(target, change));
  }

  #mayRead(change: Change): boolean {
    const { standing } = this.#line;
    if (!this.#isOn()) return false;
    if (change.resource === "kv") return true;
    const isOwn = change.of === null || change.of === standing.user.id;
    if (change.resource === "kv.user") return isOwn;
    const read = readOf(standing, change.name);
    return read !== undefined && may(read, isOwn);
  }
}

/** Gives what the bus has brought to those who watch here. */
export function tellWatches(carried: string, watches: Set<Watches>): void {
  const change: Change = JSON.parse(carried);
  const frame = textFrame(frameOf(change));
  for (const each of watches) each.hear(change, frame);
}
