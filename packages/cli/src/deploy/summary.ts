import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import type { Canvas } from "@easel/protocol/types";
import { hintFor } from "@easel/server/ladder";
import { shortId } from "../canvas/versions.ts";
import { whoMayEnter } from "../canvas/who-may-enter.ts";
import { clean } from "../terminal/clean.ts";
import { count, formatBytes } from "../terminal/format.ts";
import { describeChanges, type FileChanges, isUnchanged } from "./dry-run.ts";
import type { HashedFile } from "./manifest.ts";

/**
 * What a deploy has done. `published` is false if the version was only stored, or the published one had the same files or the same release.
 * `stored` is the version that was only stored.
 */
export interface Outcome {
  first: boolean;
  published: boolean;
  stored: string | null;
  release: string | undefined;
  /** How the files differ from the version before. Undefined if none was published. */
  changes: FileChanges | undefined;
  /** The capabilities that `easel.json` lists. Undefined if it has no list. */
  needed: readonly Capability[] | undefined;
  /** The names of the settings that have changed. */
  applied: string[];
  files: readonly HashedFile[];
  /** The number of uploaded files. */
  sent: number;
}

/** Says what a deploy has published, in `ms` milliseconds. */
function publication({ title }: Canvas, { first, changes, files, sent }: Outcome, ms: number): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const time = `in ${(ms / 1000).toFixed(1)} s`;
  const all = `${count(files.length, "file")}, ${formatBytes(bytes)}`;
  const name = `“${clean(title)}”`;
  if (first) return `Published ${name}: ${all}, ${time}.`;
  const what =
    changes === undefined || isUnchanged(changes) ? all : `${describeChanges(changes)} (${all} in all)`;
  return `Published a new version of ${name}: ${what}; ${sent} sent, ${time}.`;
}

/**
 * Returns a sentence for each capability that the page may need and the instance does not have. A page may need those that its `easel.json`
 * lists. Without a list, the first deploy has turned all of them on.
 */
function missingOn({ capabilitiesOff = {} }: Canvas, { needed, first }: Outcome): string[] {
  const names = needed ?? (first ? (Object.keys(CAPABILITIES) as Capability[]) : []);
  return names
    .filter((name) => capabilitiesOff[name] === "operator_disabled")
    .map((name) => `Off: ${name}. ${hintFor(name, "operator_disabled")}`);
}

/** Says why a deploy has published nothing. */
function keptVersion({ applied, changes, release }: Outcome): string {
  if (release !== undefined && changes !== undefined && !isUnchanged(changes))
    return `Nothing was published: the release ${clean(release)} is published already.`;
  const same = "the published version has these files already.";
  return applied.length > 0 ? `T${same.slice(1)}` : `Nothing has changed: ${same}`;
}

/** Says what a deploy has stored without publishing it, and how it is published. */
const storedVersion = ({ title }: Canvas, version: string): string =>
  `Stored a version of “${clean(title)}”, and published nothing. The link works once, for ten minutes. \`easel rollback ${shortId(version)}\` publishes it.`;

/** Returns what a person wants to know after a deploy, in sentences: what has changed, what is off, and who may enter. */
export function summaryOf(canvas: Canvas, outcome: Outcome, ms: number): string[] {
  const { published, stored, applied, first } = outcome;
  const settings = applied.length > 0 && !first ? [`Settings changed: ${applied.join(", ")}.`] : [];
  const kept = stored === null ? keptVersion(outcome) : storedVersion(canvas, stored);
  const done = published ? publication(canvas, outcome, ms) : kept;
  return [done, ...settings, ...missingOn(canvas, outcome), ...whoMayEnter(canvas)];
}
