import { PHASED, type PhasedSection, type RuntimePolicy } from "@easel/protocol/policy";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import type { Canvas } from "./access-lookup.ts";

/**
 * Returns the entry `name` of `table`, for example of the collections in a policy document. Returns undefined if there is no such entry.
 */
export const entryOf = <Entry>(table: Record<string, Entry> | undefined, name: string): Entry | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

/** The current phase of each collection and file group that is in one, by section of the policy and name. */
export type Phases = { [Section in PhasedSection]?: Record<string, string> };

/** The number of times that a switch is tried again because somebody has switched another phase of the canvas meanwhile. */
const ATTEMPTS = 20;

const parsePhases = (text: string | null): Phases => (text === null ? {} : JSON.parse(text));

/**
 * Returns the current phase of a collection or file group. Returns null if it is in none, or in one that the policy no longer has. `phases`
 * is the column of the canvas.
 */
export function phaseOf(
  { section, name }: { section: PhasedSection; name: string },
  policy: RuntimePolicy,
  phases: string | null,
): string | null {
  const phase = entryOf(parsePhases(phases)[section], name);
  const known = entryOf(policy[section], name)?.phases;
  return phase !== undefined && entryOf(known, phase) !== undefined ? phase : null;
}

/** Returns a policy in which the rights of the current phases replace those of the entries (decision 058). */
function inPhases(policy: RuntimePolicy, phases: string | null): RuntimePolicy {
  const current = Object.fromEntries(
    PHASED.map((section) => [
      section,
      mapped(policy[section], (entry, name) => {
        const rights = entryOf(entry.phases, phaseOf({ section, name }, policy, phases) ?? "");
        return rights === undefined ? entry : { ...entry, overrides: { ...entry.overrides, ...rights } };
      }),
    ]),
  );
  return { ...policy, ...current };
}

const mapped = <Entry>(
  table: Record<string, Entry> | undefined,
  change: (entry: Entry, name: string) => Entry,
): Record<string, Entry> =>
  Object.fromEntries(Object.entries(table ?? {}).map(([name, entry]) => [name, change(entry, name)]));

/**
 * Switches the phase of a collection or file group; null ends it. Returns false if it was in this phase. Forgets the phases of names that the
 * policy no longer has. Throws 404 `NOT_FOUND` if the canvas is deleted.
 */
export async function setPhase(
  canvasId: string,
  { section, name, phase }: { section: PhasedSection; name: string; phase: string | null },
  policy: RuntimePolicy,
  { db }: Env,
): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = await db.get<{ phases: string | null }>`
      select phases from canvases where id = ${canvasId} and deleted_at is null`;
    if (row === undefined) return refuse("NOT_FOUND");
    const next = withPhase(parsePhases(row.phases), { section, name, phase }, policy);
    if (next === row.phases) return false;
    // A switch can end the access of readers, so it goes on while less than the disk reserve is free.
    const changed = await db.withReserve.run`
      update canvases set phases = ${next}
      where id = ${canvasId} and deleted_at is null and phases is not distinct from cast(${row.phases} as text)`;
    if (changed === 1) return true;
  }
  return refuse("UNAVAILABLE");
}

/** Returns the column of a canvas after a switch: JSON with its sections and names in order, or null if nothing is in a phase. */
function withPhase(
  phases: Phases,
  { section, name, phase }: { section: PhasedSection; name: string; phase: string | null },
  policy: RuntimePolicy,
): string | null {
  const sections = PHASED.flatMap((each) => {
    const { [name]: _, ...others } = phases[each] ?? {};
    const all = each !== section ? phases[each] : phase === null ? others : { ...others, [name]: phase };
    const kept = Object.entries(all ?? {}).filter(([key]) => entryOf(policy[each], key) !== undefined);
    return kept.length === 0 ? [] : [[each, Object.fromEntries(kept.sort())] as const];
  });
  return sections.length === 0 ? null : JSON.stringify(Object.fromEntries(sections));
}

const NONE: RuntimePolicy = {};

const keyOf = (revision: string, phases: string | null) =>
  phases === null ? revision : `${revision} ${phases}`;

/**
 * Returns the policy document of a canvas, in the revision `policyRevision` or a newer one, with the rights of the current phases. Returns
 * an empty document if the canvas has none. Throws 404 `NOT_FOUND` if the canvas has been removed for good.
 */
export async function policyOf(
  { id, policyRevision, phases }: Pick<Canvas, "id" | "policyRevision" | "phases">,
  { db, policies }: Env,
): Promise<RuntimePolicy> {
  if (policyRevision === null) return NONE;
  const known = policies.get(keyOf(policyRevision, phases));
  if (known !== undefined) return known;
  const row = await db.get<{ runtime_policy: string | null; runtime_policy_revision: string }>`
    select runtime_policy, runtime_policy_revision from canvases where id = ${id}`;
  if (row === undefined) return refuse("NOT_FOUND");
  const document = row.runtime_policy ?? "{}";
  const text = phases === null ? document : JSON.stringify(inPhases(JSON.parse(document), phases));
  return policies.keep(keyOf(row.runtime_policy_revision, phases), text);
}
