import type { Canvas, LeftOut, VersionFiles } from "@easel/protocol/types";
import { z } from "zod";
import type { EaselJson } from "../../canvases/publishing/easel-json.ts";
import { commonFolder, selectFiles } from "../../canvases/publishing/select-files.ts";
import type { CanvasRow } from "../../canvases/store.ts";
import { listVersions, requireExpected } from "../../canvases/versions.ts";
import { refuse } from "../../http/refusal.ts";
import type { StoredBytes } from "../../management/act.ts";
import { actNamed } from "../../management/acts.ts";
import { findMeant } from "../canvas-reference.ts";
import { type Applied, applyEaselJson, parseEaselJson } from "../deploy/apply-easel-json.ts";
import { applyChanges, type Base, type ChangedFiles, fileChanges } from "../deploy/file-changes.ts";
import { discardCanvas, makeCanvas } from "../deploy/make-canvas.ts";
import { PUBLIC_NOTE, requireNotPublic } from "../deploy/public-link.ts";
import { type StoreOptions, storeVersion } from "../deploy/store-version.ts";
import { explainingConflict } from "../deploy/version-conflict.ts";
import { previewLink } from "../preview-link.ts";
import { tool } from "../tool.ts";
import { perform, type ToolCall } from "../tool-call.ts";

const readAct = actNamed<Canvas>("canvas.read");
const filesAct = actNamed<VersionFiles>("canvas.version-files");
const fileAct = actNamed<StoredBytes>("canvas.version-file");

/** The maximum numbers of warnings and of left-out files in an answer, and the maximum length of a warning. */
const SHOWN = 20;
const SHOWN_LENGTH = 300;

const NO_FILES: Base = {
  version: null,
  files: [],
  read: () => refuse("NOT_FOUND", { message: "A new canvas has no files." }),
};

/**
 * Returns the id of the version that changes of a canvas begin with: the given one, by default the published one, or the one that was
 * published last, or for a canvas that has published none, the newest one. Returns null for no files.
 */
async function baseVersion(
  { id, version_id: published }: CanvasRow,
  given: string | null | undefined,
  call: ToolCall,
): Promise<string | null> {
  if (given !== undefined) return given;
  return published ?? (await listVersions(id, call.env))[0]?.id ?? null;
}

/** Reads the list of files that changes of a canvas begin with. */
async function readBase(
  call: ToolCall,
  canvas: CanvasRow | null,
  given: string | null | undefined,
): Promise<Base> {
  const version = canvas === null ? null : await baseVersion(canvas, given, call);
  if (canvas === null || version === null) return NO_FILES;
  const params = { id: canvas.id, version };
  const { files } = await perform(call, filesAct, { params });
  const read = async (path: string) => {
    const { open } = await perform(call, fileAct, { params, query: { path } });
    return Buffer.concat(open === null ? [] : await Array.fromAsync(await open()));
  };
  return { version, files, read };
}

/**
 * Returns the settings in the `easel.json` of the files, or null if there is none. One with faults counts only if it is among the changed
 * files: then it is refused.
 */
async function settingsOf({ files, contents }: ChangedFiles, base: Base): Promise<EaselJson | null> {
  const file = files.find(({ path }) => path === "easel.json");
  if (file === undefined) return null;
  const changed = contents.get(file.sha256);
  if (changed !== undefined) return parseEaselJson(changed);
  try {
    return parseEaselJson(await base.read(file.path));
  } catch {
    return null; // The deploy warns of its faults.
  }
}

/** Returns a warning if the deploy removes a folder from all paths, which then begin below it. */
function folderWarnings({ files }: ChangedFiles): string[] {
  const folder = commonFolder(files.map(({ path }) => path));
  return folder === ""
    ? []
    : [`All files are in ${JSON.stringify(folder)}, so their paths on the canvas begin below it.`];
}

/** What a deploy has done. */
interface Outcome {
  canvas: Canvas;
  version: string;
  state: "published" | "stored" | "unchanged";
  isNew: boolean;
  wasOffline: boolean;
  applied: Applied;
  leftOut: LeftOut[];
  warnings: string[];
}

const cut = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH).toWellFormed()}…` : text;

/** Returns the first entries of a list, and how many more there are in words. */
const firstOf = (entries: string[]): string[] =>
  entries.length > SHOWN
    ? [...entries.slice(0, SHOWN).map(cut), `${entries.length - SHOWN} more`]
    : entries.map(cut);

/** Says what a deploy has done in a sentence. */
function sentenceOf({ canvas, version, state, isNew, wasOffline }: Outcome): string {
  const title = JSON.stringify(canvas.title);
  if (state === "unchanged") return `Nothing to deploy: version ${version} of ${title} has these files.`;
  if (state === "stored")
    return `Stored version ${version} of ${title} without publishing it: \`publish_version\` does.`;
  const at = `${title} at ${canvas.url}, version ${version}.`;
  if (isNew) return `Created ${at} Only its owner can open it.`;
  return `Published ${at}${wasOffline ? " The canvas was offline and is online again." : ""}`;
}

const NEXT = "Open the preview in your browser, then call `read_errors`.";

async function answerOf(call: ToolCall, outcome: Outcome) {
  const { canvas, version, state, applied, leftOut } = outcome;
  const preview = await previewLink(call, canvas.id, version);
  const warnings = firstOf([...new Set(outcome.warnings)]);
  const left = firstOf(leftOut.map(({ path, reason }) => `${JSON.stringify(path)} (${reason})`));
  const isPublic = canvas.access === "public_link" && state === "published";
  const lines = [
    sentenceOf(outcome),
    ...(isPublic ? [PUBLIC_NOTE] : []),
    ...(applied.changed.length > 0 ? [`easel.json has set: ${applied.changed.join(", ")}.`] : []),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(left.length > 0 ? [`Left out: ${left.join(", ")}`] : []),
    `Preview, for one browser within 10 minutes: ${preview}`,
    NEXT,
  ];
  return {
    text: lines.join("\n"),
    content: {
      canvas: canvas.id,
      url: canvas.url,
      version,
      published: canvas.version === version,
      preview_url: preview,
      settings: applied.changed,
      warnings,
      left_out: left,
      next: NEXT,
    },
  };
}

/** What is deployed, and where to. */
interface Plan {
  files: ChangedFiles;
  settings: EaselJson | null;
  isNew: boolean;
  options: StoreOptions;
  /** The row of the canvas as it was before; null for a new one. */
  before: CanvasRow | null;
  base: Base;
}

/** Deploys files to a canvas that exists, with the settings of their `easel.json` if the version is published or is the first one. */
async function deployTo(call: ToolCall, canvas: Canvas, plan: Plan): Promise<Outcome> {
  const { files, isNew, before, base, options } = plan;
  const { publish } = options;
  const isFirst = canvas.version === null && canvas.revokedAt === null;
  const settings = plan.settings ?? {};
  let applied: Applied = { changed: [], warnings: [] };
  const apply = async () => {
    if (publish || isFirst) applied = await applyEaselJson(call, canvas, settings, { isFirst, isNew });
  };
  const outcome = { isNew, wasOffline: canvas.revokedAt !== null };
  const isCurrent = base.version !== null && base.version === canvas.version;
  if (!files.changed && (isCurrent || (!publish && base.version !== null))) {
    await apply();
    const version = base.version as string;
    const now = await perform(call, readAct, { params: { id: canvas.id } });
    const { warnings } = applied;
    return { ...outcome, canvas: now, version, state: "unchanged", applied, leftOut: [], warnings };
  }
  const stored = await storeVersion(call, canvas.id, files, options, apply);
  const { deployed, leftOut } = stored;
  const warnings = [
    ...applied.warnings,
    ...(before === null ? folderWarnings(files) : []),
    ...stored.warnings,
  ];
  const state = publish ? "published" : "stored";
  return { ...outcome, canvas: deployed, version: deployed.storedVersion, state, applied, leftOut, warnings };
}

export const deployCanvas = tool({
  name: "deploy_canvas",
  title: "Deploy a canvas",
  description:
    "Creates a canvas from files (`title`), or changes files of one (`canvas`): files you do not send stay. Applies `easel.json`.",
  scope: "deploy",
  hints: { destructiveHint: false },
  input: z.strictObject({
    canvas: z.string().optional(),
    title: z.string().optional(),
    slug: z.string().optional(),
    files: fileChanges,
    base: z.string().nullish().describe("version to change; null for no files"),
    expected_version: z.string().nullish(),
    publish: z.boolean().optional().describe("false: preview only"),
    message: z.string().optional(),
  }),
  output: z.object({
    canvas: z.string(),
    url: z.string(),
    version: z.string(),
    published: z.boolean(),
    preview_url: z.string(),
    settings: z.array(z.unknown()),
    warnings: z.array(z.unknown()),
    left_out: z.array(z.unknown()),
    next: z.string(),
  }),
  async run(call, { canvas: reference, title, slug, files: changes, publish = true, message, ...given }) {
    const before = reference === undefined ? null : await findMeant(call, reference);
    if (before !== null && (title ?? slug) !== undefined)
      refuse("INVALID_BODY", {
        message: "`title` and `slug` are for a new canvas.",
        hint: "Leave them out: `configure_canvas` changes them. To create a canvas, leave out `canvas`.",
      });
    if (before !== null && publish)
      requireNotPublic(
        call,
        before,
        "publish",
        "Deploy with `publish: false` and let your person publish it.",
      );
    const conflicts = <Result>(work: () => Promise<Result>) =>
      before === null ? work() : explainingConflict(call, before.id, work);
    return conflicts(async () => {
      if (before !== null) await requireExpected(before.id, given.expected_version, call.env);
      const base = await readBase(call, before, given.base);
      const files = await applyChanges(changes, base);
      const settings = await settingsOf(files, base);
      const expectedVersion = given.expected_version ?? before?.version_id ?? null;
      const options = { expectedVersion, message, publish };
      const plan: Plan = { files, settings, isNew: before === null, options, before, base };
      if (before !== null) {
        const canvas = await perform(call, readAct, { params: { id: before.id } });
        return answerOf(call, await deployTo(call, canvas, plan));
      }
      // What no canvas can have is refused before one is made.
      await selectFiles(files.files);
      const canvas = await makeCanvas(call, title ?? settings?.title, slug ?? settings?.slug);
      try {
        return await answerOf(call, await deployTo(call, canvas, plan));
      } catch (error) {
        await discardCanvas(call, canvas.id);
        throw error;
      }
    });
  },
});
