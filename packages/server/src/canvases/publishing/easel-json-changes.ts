import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Canvas, Capabilities } from "@easel/protocol/types";
import type { EaselJson } from "./easel-json.ts";

/*
 * What follows from an `easel.json` for a canvas. Browsers load this module: it needs neither the schema of the file nor modules of Node.
 */

/** The settings of `easel.json` that say who may use which capability. */
type Audiences = Pick<EaselJson, "aiAudience" | "connectionsAudience" | "authoringAudience" | "guestAi">;

/** Returns who may use which capability, as far as an `easel.json` says it. */
export const audiencesIn = ({
  aiAudience,
  connectionsAudience,
  authoringAudience,
  guestAi,
}: EaselJson): Audiences => ({ aiAudience, connectionsAudience, authoringAudience, guestAi });

/**
 * Returns the capability switches to set at the first deploy: on for each capability in `needed` that has a switch, off for all others. The
 * backend is off if `needed` is empty. If `needed` is undefined, returns only `{ backendEnabled: true }`, so that all other switches keep
 * their defaults.
 */
export function switchesFor(needed: readonly Capability[] | undefined): Partial<Capabilities> {
  if (needed === undefined) return { backendEnabled: true };
  const off = Object.values(CAPABILITIES).flatMap(({ switch: own }) => (own === null ? [] : [[own, false]]));
  return { ...Object.fromEntries(off), ...switchesOn(needed), backendEnabled: needed.length > 0 };
}

/** Returns the capability switches that turn on the capabilities in `names`, and leave the others as they are. */
export function switchesOn(names: readonly Capability[]): Partial<Capabilities> {
  const switches = names.flatMap((name) => CAPABILITIES[name].switch ?? []);
  return { backendEnabled: true, ...Object.fromEntries(switches.map((name) => [name, true])) };
}

/** Returns the capabilities that an `easel.json` needs and that are off on a canvas. */
export const capabilitiesOff = (
  { capabilities }: Pick<Canvas, "capabilities">,
  needed: readonly Capability[] = [],
): Capability[] =>
  needed.filter((name) => {
    const own = CAPABILITIES[name].switch;
    return !(capabilities.backendEnabled && (own === null || capabilities[own]));
  });

/** Whether two JSON values are the same. The order of the fields of an object does not count. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const fields = new Map(Object.entries(b));
  const entries = Object.entries(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    entries.length === fields.size &&
    entries.every(([name, value]) => fields.has(name) && isSame(value, fields.get(name)))
  );
}

/** Fields without those that are undefined. */
type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Returns the fields of `wanted` that differ from those of `stored`, or undefined if there are none. Fields that are undefined do not count. */
function differing<Fields extends object>(wanted: Fields, stored: object): Defined<Fields> | undefined {
  const known = new Map<string, unknown>(Object.entries(stored));
  const entries = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && !isSame(value, known.get(name)),
  );
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Defined<Fields>);
}

/** A JSON value whose absent fields are absent, and not undefined. */
type Exact<Value> = Value extends object
  ? { [Name in keyof Value]: Exact<Exclude<Value[Name], undefined>> }
  : Value;

/** What `changesFor` compares of a canvas. */
type Compared = Pick<
  Canvas,
  | "title"
  | "spa"
  | "access"
  | "discoverability"
  | "viewerRole"
  | "capabilities"
  | "runtimePolicy"
  | "runtimePolicyRevision"
>;

/** The bodies of the requests that apply an `easel.json` to a canvas. One that would change nothing is undefined. */
export interface EaselJsonChanges {
  /** Of `canvas.update`. */
  page: Defined<Pick<EaselJson, "title" | "spa">> | undefined;
  /** Of `canvas.update`. It needs more than the scope `deploy`. */
  listing: Defined<{ discoverability: "listed" | "link_only" | undefined }> | undefined;
  /** Of `canvas.capabilities`: refused if the policy has changed since the canvas was read. */
  policy: { expectedRuntimePolicy: string | null; runtimePolicy: Exact<RuntimePolicy> } | undefined;
  /** Of `canvas.capabilities`. It needs more than the scope `deploy`. */
  audiences: Defined<Audiences> | undefined;
  /** The names of settings that differ but that the caller may not change, because only the owner may. */
  ownerOnly: "guestAi"[];
}

/**
 * Returns what an `easel.json` changes on a canvas, as the management API returned it to the caller. What the file lacks stays as it is; a
 * section of its policy replaces that of the canvas. `listed` counts only where the members of the organisation may enter. The title of a new
 * canvas stays as it was chosen.
 */
export function changesFor(settings: EaselJson, canvas: Compared, isNew: boolean): EaselJsonChanges {
  const { title, spa, policy = {}, listed } = settings;
  const { guestAi, ...audiences } = audiencesIn(settings);
  const isOwner = canvas.viewerRole === "owner";
  const isListable = listed !== undefined && canvas.access === "whole_org";
  const discoverability = isListable ? (listed ? "listed" : "link_only") : undefined;
  const stored = canvas.runtimePolicy ?? {};
  return {
    page: differing({ title: isNew ? undefined : title, spa }, canvas),
    listing: differing({ discoverability }, canvas),
    policy: differing(policy, stored) && {
      expectedRuntimePolicy: canvas.runtimePolicyRevision,
      runtimePolicy: { ...stored, ...policy } as Exact<RuntimePolicy>,
    },
    audiences: differing({ ...audiences, guestAi: isOwner ? guestAi : undefined }, canvas.capabilities),
    ownerOnly: !isOwner && differing({ guestAi }, canvas.capabilities) !== undefined ? ["guestAi"] : [],
  };
}
