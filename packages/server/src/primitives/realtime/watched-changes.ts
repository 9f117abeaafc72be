import type { Capability } from "@easel/protocol/capabilities";
import type { WatchTarget } from "@easel/protocol/realtime";
import type { Right } from "@easel/protocol/types";
import { allows, rightsOf } from "../../access/rights.ts";
import { whyOff } from "../../canvases/capabilities.ts";
import { entryOf } from "../../canvases/entry-of.ts";
import type { Env } from "../../env.ts";
import type { Change } from "../change-feed.ts";
import { needsKv, scopeRights } from "../files/scope.ts";
import type { AccessState } from "./access-state.ts";

const EVERYONE: Right = { own: true, any: true };
const OWNER: Right = { own: true, any: false };

/**
 * Returns the JSON text of the frame for a change: a `resync` frame for `clear`, otherwise a `change` frame. A `change` frame names the
 * changed key, record or file. If `content` is not empty, it is the JSON text of the new value or record, which becomes the last field.
 */
export function changeFrame(change: Change, content: string): string {
  if (change.op === "clear") return resyncFrame(targetOf(change));
  const { op, of, ...subject } = { of: null, ...change };
  const frame = JSON.stringify({ type: "change", ...subject, op });
  const field = change.resource === "collection" ? "record" : "value";
  return content === "" ? frame : `${frame.slice(0, -1)},"${field}":${content}}`;
}

/** Returns the frame that asks a client to read a watched target again. */
export const resyncFrame = (target: WatchTarget): string => JSON.stringify({ type: "resync", ...target });

const targetOf = (change: Extract<Change, { op: "clear" }>): WatchTarget =>
  change.resource === "files" ? { resource: "files" } : { resource: change.resource, name: change.name };

/** Whether a change concerns a watched target. */
export function matches(target: WatchTarget, change: Change): boolean {
  if (target.resource !== change.resource) return false;
  if ("prefix" in target) return "key" in change && change.key.startsWith(target.prefix);
  return !("name" in target) || ("name" in change && target.name === change.name);
}

/** Returns the user's right to read a collection, or undefined if the policy does not name the collection. */
export function collectionRight(name: string, { policy, role }: AccessState): Right | undefined {
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
export const isEnabled = ({ resource }: WatchTarget, access: AccessState, env: Env): boolean =>
  isOn(resource === "files" ? "files" : "kv", access, env);

/** Whether the user may currently read the data that a change is about. */
export function mayRead(change: Change, access: AccessState, env: Env): boolean {
  if (!capabilitiesFor(change).every((capability) => isOn(capability, access, env))) return false;
  const right = readRight(change, access);
  const isOwn = !("of" in change) || change.of === null || change.of === access.user.id;
  return right !== undefined && allows(right, isOwn);
}

/**
 * Whether the client must read a watched target again because the user may now read more or fewer of its entries. Returns false for a
 * collection of which the user may no longer read any record: there is nothing left to read.
 */
export function readsOtherwise(target: WatchTarget, before: AccessState, now: AccessState): boolean {
  if (target.resource === "files") return before.policy !== now.policy || before.role !== now.role;
  if (target.resource !== "collection") return false;
  const [was, is] = [collectionRight(target.name, before), collectionRight(target.name, now)];
  return is?.own === true && (is.own !== was?.own || is.any !== was.any);
}
