import {
  type CollectionPolicy,
  type Operation,
  type Overrides,
  type PolicyRight,
  PRESETS,
  type RecordPolicy,
  type RuntimePolicy,
} from "@easel/protocol/policy";
import { isSame } from "@easel/server/easel-json-changes";
import type { checkPolicy } from "@easel/server/policy-faults";
import type { ValueFault } from "../../../kit/json-editor/json-text.ts";

/** The sections of a policy document that have entries by name, in the order of the screen. */
export const SECTIONS = ["collections", "fileGroups", "channels", "connections"] as const;
export type Section = (typeof SECTIONS)[number];

/** The entry of a section. */
export type Entry<In extends Section = Section> = NonNullable<RuntimePolicy[In]>[string];

/** Names an entry. */
export interface EntryName {
  section: Section;
  name: string;
}

/** A policy as its document shows it. */
export const textOf = (policy: RuntimePolicy): string => JSON.stringify(policy, null, 2);

/**
 * Reads a document. `policy` is null if it has faults; those of JSON itself are left to the editor. Names such as `__proto__` are faults, so
 * entries of a policy can be read and written as properties.
 */
export function readPolicy(
  text: string,
  check: typeof checkPolicy,
): { policy: RuntimePolicy | null; faults: ValueFault[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { policy: null, faults: [] };
  }
  const { data, faults } = check(value);
  // The checked copy of a valid document says the same. The document itself keeps the order of its fields.
  if (data !== undefined) return { policy: value as RuntimePolicy, faults: [] };
  return {
    policy: null,
    faults: faults.map(({ path, sentence }) => ({
      path,
      message: /[.?]$/.test(sentence) ? sentence : `${sentence}.`,
    })),
  };
}

/** Returns the entries of a section by name, in the order of the document. */
export const entriesIn = <In extends Section>(policy: RuntimePolicy, section: In): [string, Entry<In>][] =>
  Object.entries(policy[section] ?? {}) as [string, Entry<In>][];

/** Returns an entry, or undefined if there is none. */
export const entryIn = (policy: RuntimePolicy, { section, name }: EntryName): Entry | undefined => {
  const entries = policy[section];
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
};

/** Returns a policy with an entry, in its old place if it has one, or without it. A section without entries goes with its last one. */
export function withEntry(
  policy: RuntimePolicy,
  { section, name }: EntryName,
  entry: Entry | undefined,
): RuntimePolicy {
  const { [name]: _, ...others } = (policy[section] ?? {}) as Record<string, Entry>;
  const entries = entry === undefined ? others : { ...policy[section], [name]: entry };
  if (Object.keys(entries).length > 0) return { ...policy, [section]: entries };
  const { [section]: __, ...rest } = policy;
  return rest;
}

/** How an entry differs between two policies. */
export interface EntryChange extends EntryName {
  kind: "added" | "changed" | "removed";
}

/** Returns what differs between two policies, entry by entry. */
export function changesBetween(before: RuntimePolicy, after: RuntimePolicy): EntryChange[] {
  return SECTIONS.flatMap((section) => {
    const names = new Set([...Object.keys(before[section] ?? {}), ...Object.keys(after[section] ?? {})]);
    return [...names].flatMap((name): EntryChange[] => {
      const [was, is] = [entryIn(before, { section, name }), entryIn(after, { section, name })];
      if (isSame(was, is)) return [];
      return [
        { section, name, kind: was === undefined ? "added" : is === undefined ? "removed" : "changed" },
      ];
    });
  });
}

/** Whether two policies say the same. A section without entries says as much as none. */
export const isSamePolicy = (one: RuntimePolicy, other: RuntimePolicy): boolean =>
  one.defaultMode === other.defaultMode && changesBetween(one, other).length === 0;

/** The right that a preset gives. Presets treat increment as update. */
export const presetRight = ({ preset }: Pick<RecordPolicy, "preset">, operation: Operation): PolicyRight =>
  PRESETS[preset][operation === "increment" ? "update" : operation];

/** Returns an entry in which an operation has a right. A right that the preset gives already is not written. */
export function withRight<Policy extends RecordPolicy>(
  entry: Policy,
  operation: Operation,
  right: PolicyRight,
): Policy {
  const { overrides, ...rest } = entry;
  const { [operation]: _, ...others } = overrides ?? {};
  const next = right === presetRight(entry, operation) ? others : { ...overrides, [operation]: right };
  return { ...rest, ...(Object.keys(next).length > 0 && { overrides: next }) } as Policy;
}

/** Returns an entry with another preset, which gives all rights again. */
export function withPreset<Policy extends RecordPolicy>(entry: Policy, preset: Policy["preset"]): Policy {
  const { overrides: _, ...rest } = entry;
  return { ...rest, preset } as Policy;
}

/** Returns an entry with a phase, or without it. */
export function withPhase<Policy extends RecordPolicy>(
  entry: Policy,
  phase: string,
  rights: Overrides | undefined,
): Policy {
  const { phases, ...rest } = entry;
  const { [phase]: _, ...others } = phases ?? {};
  const next = rights === undefined ? others : { ...phases, [phase]: rights };
  return { ...rest, ...(Object.keys(next).length > 0 && { phases: next }) } as Policy;
}

/** Returns a collection with another value of a field, or without it. */
export function withField<Field extends "aggregateCount" | "unique">(
  entry: CollectionPolicy,
  field: Field,
  value: CollectionPolicy[Field],
): CollectionPolicy {
  const { [field]: _, ...rest } = entry;
  return value === undefined ? (rest as CollectionPolicy) : { ...entry, [field]: value };
}
