import type { Capability } from "@easel/protocol/capabilities";
import type { WatchTarget } from "@easel/protocol/realtime";
import type { Right } from "@easel/protocol/types";
import { allows, rightsOf } from "../../access/rights.ts";
import { whyOff } from "../../canvases/capabilities.ts";
import { entryOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { type Change, changesTopic, readChange } from "../change-feed.ts";
import { needsKv, scopeRights } from "../files/scope.ts";
import type { AccessState, Client } from "./client.ts";
import { textFrame } from "./outbox.ts";
import type { Topics } from "./subscription.ts";

const EVERYONE: Right = { own: true, any: true };
const OWNER: Right = { own: true, any: false };

/**
 * Returns the JSON text of the frame for a change: a `resync` frame for `clear`, otherwise a `change` frame. A `change` frame names the
 * changed key, record or file. If `content` is not empty, it is the JSON text of the new value or record, which becomes the last field.
 */
function changeFrame(change: Change, content: string): string {
  if (change.op === "clear") return resyncFrame(targetOf(change));
  const { op, of, ...subject } = { of: null, ...change };
  const frame = JSON.stringify({ type: "change", ...subject, op });
  const field = change.resource === "collection" ? "record" : "value";
  return content === "" ? frame : `${frame.slice(0, -1)},"${field}":${content}}`;
}

/** Returns the frame that asks a client to read a watched target again. */
const resyncFrame = (target: WatchTarget): string => JSON.stringify({ type: "resync", ...target });

const targetOf = (change: Extract<Change, { op: "clear" }>): WatchTarget =>
  change.resource === "files" ? { resource: "files" } : { resource: change.resource, name: change.name };

/** Whether a change concerns a watched target. */
function matches(target: WatchTarget, change: Change): boolean {
  if (target.resource !== change.resource) return false;
  if ("prefix" in target) return "key" in change && change.key.startsWith(target.prefix);
  return !("name" in target) || ("name" in change && target.name === change.name);
}

/** Returns the user's right to read a collection, or undefined if the policy does not name the collection. */
function collectionRight(name: string, { policy, role }: AccessState): Right | undefined {
  const entry = entryOf(policy.collections, name);
  return entry === undefined ? undefined : rightsOf(entry, role).read;
}

function readRight(change: Change, access: AccessState): Right | undefined {
  switch (change.resource) {
    case "kv":
      return EVERYONE;
    case "kv.user":
      return OWNER;
    case "collection":
      return collectionRight(change.name, access);
    case "files":
      return scopeRights(change.scope, access.policy, access.role)?.read;
  }
}

/** Returns the capabilities that must be on so that the changed data can be read. */
function capabilitiesFor(change: Change): Capability[] {
  if (change.resource !== "files") return ["kv"];
  return needsKv(change.scope) ? ["files", "kv"] : ["files"];
}

const isOn = (capability: Capability, { canvas }: AccessState, env: Env) =>
  whyOff(capability, canvas, env) === null;

/** Whether the capability that a watched target needs is on. */
const isEnabled = ({ resource }: WatchTarget, access: AccessState, env: Env): boolean =>
  isOn(resource === "files" ? "files" : "kv", access, env);

/** Whether the user may currently read the data that a change is about. */
function mayRead(change: Change, access: AccessState, env: Env): boolean {
  if (!capabilitiesFor(change).every((capability) => isOn(capability, access, env))) return false;
  const right = readRight(change, access);
  const isOwn = !("of" in change) || change.of === null || change.of === access.user.id;
  return right !== undefined && allows(right, isOwn);
}

/**
 * Whether the client must read a watched target again because the user may now read more or fewer of its entries. Returns false for a
 * collection of which the user may no longer read any record: there is nothing left to read.
 */
function readsOtherwise(target: WatchTarget, before: AccessState, now: AccessState): boolean {
  if (target.resource === "files") return before.policy !== now.policy || before.role !== now.role;
  if (target.resource !== "collection") return false;
  const [was, is] = [collectionRight(target.name, before), collectionRight(target.name, now)];
  return is?.own === true && (is.own !== was?.own || is.any !== was.any);
}

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

  /** Asks the client to read every target again if changes of the canvas may have been missed. */
  messagesMissed(isMissed: (topic: string) => boolean): void {
    if (this.size === 0 || !isMissed(this.#topic)) return;
    for (const target of this.#targets.values()) this.#client.send(resyncFrame(target));
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
