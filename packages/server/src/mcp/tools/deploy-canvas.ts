import type { Canvas } from "@easel/protocol/types";
import { z } from "zod";
import type { Canvas as CanvasAccess } from "../../canvases/access-lookup.ts";
import type { EaselJson } from "../../canvases/publishing/easel-json.ts";
import { commonFolder, selectFiles } from "../../canvases/publishing/select-files.ts";
import { requireExpected } from "../../canvases/versions.ts";
import { actNamed } from "../../management/acts.ts";
import { findMeant } from "../canvas-reference.ts";
import { type Applied, applyEaselJson } from "../deploy/apply-easel-json.ts";
import { readBase, settingsOf } from "../deploy/base-files.ts";
import { type Deployed, deployWords } from "../deploy/deploy-words.ts";
import { applyChanges, type Base, type ChangedFiles, fileChanges } from "../deploy/file-changes.ts";
import { discardCanvas, makeCanvas, refuseNewFields } from "../deploy/make-canvas.ts";
import { isTooPublic, requireNotPublic } from "../deploy/public-link.ts";
import { type StoreOptions, storeVersion } from "../deploy/store-version.ts";
import { explainingConflict } from "../deploy/version-conflict.ts";
import { previewLink } from "../preview-link.ts";
import { tool } from "../tool.ts";
import { perform, type ToolCall } from "../tool-call.ts";
import { NOTICE, quoted } from "../untrusted.ts";

const readAct = actNamed<Canvas>("canvas.read");

/** Returns a warning if the deploy removes a folder from all paths, which then begin below it. */
function folderWarnings({ files }: ChangedFiles): string[] {
  const folder = commonFolder(files.map(({ path }) => path));
  return folder === ""
    ? []
    : [`All files are in ${quoted(folder)}, so their paths on the canvas begin below it.`];
}

const NEXT = "Open the preview in your browser, then call `read_errors`.";

async function answerOf(call: ToolCall, deployed: Deployed) {
  const { canvas, version, settings } = deployed;
  const preview = await previewLink(call, canvas.id, version);
  const { lines, warnings, leftOut } = deployWords(deployed);
  return {
    text: [...lines, `Preview, for one browser within 10 minutes: ${preview}`, NEXT].join("\n"),
    content: {
      canvas: canvas.id,
      url: canvas.url,
      version,
      published: canvas.version === version,
      preview_url: preview,
      settings,
      ...(deployed.fileWarnings.length > 0 && { notice: NOTICE }),
      warnings,
      left_out: leftOut,
      next: NEXT,
    },
  };
}

/** What is deployed. */
interface Plan {
  base: Base;
  files: ChangedFiles;
  settings: EaselJson;
  isNew: boolean;
  options: StoreOptions;
}

/**
 * Deploys files to a canvas that exists. Their `easel.json` is applied if the version is published, or if the canvas has published none and the
 * connected tool may publish on it. Stores nothing if the version that the changes began with has the same files already.
 */
async function deployTo(call: ToolCall, canvas: Canvas, plan: Plan): Promise<Deployed> {
  const { base, files, settings, isNew, options } = plan;
  const { id } = canvas;
  const isFirst = canvas.version === null && canvas.revokedAt === null;
  let applied: Applied = { changed: [], warnings: [] };
  const apply = async () => {
    if (options.publish || (isFirst && !isTooPublic(call, canvas)))
      applied = await applyEaselJson(call, canvas, settings, { isFirst, isNew });
  };
  const before = { isNew, wasOffline: canvas.revokedAt !== null };
  if (!files.changed && base.version !== null && (base.version === canvas.version || !options.publish)) {
    await apply();
    const now = await perform(call, readAct, { params: { id } });
    const { changed, warnings } = applied;
    const same = { canvas: now, version: base.version, state: "unchanged" } as const;
    return { ...before, ...same, settings: changed, leftOut: [], warnings, fileWarnings: [] };
  }
  const { deployed, leftOut, warnings } = await storeVersion(call, id, files, options, apply);
  return {
    ...before,
    canvas: deployed,
    version: deployed.storedVersion,
    state: options.publish ? "published" : "stored",
    settings: applied.changed,
    leftOut,
    warnings: [...applied.warnings, ...folderWarnings(files)],
    fileWarnings: warnings,
  };
}

/** Makes a canvas and deploys files to it. If that fails, the canvas is deleted again. */
async function deployNew(
  call: ToolCall,
  title: string | undefined,
  slug: string | undefined,
  plan: Plan,
): Promise<Deployed> {
  await selectFiles(plan.files.files); // What no canvas can have is refused before one is made.
  const canvas = await makeCanvas(call, title ?? plan.settings.title, slug ?? plan.settings.slug);
  try {
    return await deployTo(call, canvas, plan);
  } catch (error) {
    await discardCanvas(call, canvas.id);
    throw error;
  }
}

const input = z.strictObject({
  canvas: z.string().optional(),
  title: z.string().optional(),
  slug: z.string().optional(),
  files: fileChanges,
  base: z.string().optional().describe("version to change, or `none`"),
  expected_version: z.string().optional(),
  publish: z.boolean().optional().describe("false: preview only"),
});

/**
 * Applies the changes that a call asks for to the files of a version, and reads their settings. Nothing is stored yet. Throws 503
 * `UNAVAILABLE` before it reads anything if too many deploys of the person wait.
 */
async function planOf(
  call: ToolCall,
  canvas: CanvasAccess | null,
  args: z.output<typeof input>,
): Promise<Plan> {
  const { publish = true } = args;
  call.env.deploys.requireRoom(call.caller.user.id);
  if (canvas !== null) await requireExpected(canvas.id, args.expected_version, call.env);
  const base = await readBase(call, canvas, args.base);
  const files = await applyChanges(args.files, base, call.work);
  const settings = await settingsOf(files, base);
  const expectedVersion = args.expected_version ?? canvas?.versionId ?? null;
  return { base, files, settings, isNew: canvas === null, options: { expectedVersion, publish } };
}

export const deployCanvas = tool({
  name: "deploy_canvas",
  title: "Deploy a canvas",
  description:
    "Creates a canvas from files (`title`), or changes files of one (`canvas`): files you do not send stay. Applies `easel.json`.",
  scope: "deploy",
  hints: { destructiveHint: false },
  input,
  output: z.object({
    canvas: z.string(),
    url: z.string(),
    version: z.string(),
    published: z.boolean(),
    preview_url: z.string(),
    settings: z.array(z.unknown()),
    notice: z.string().optional(),
    warnings: z.array(z.unknown()),
    left_out: z.array(z.unknown()),
    next: z.string(),
  }),
  async run(call, args) {
    const { canvas: reference, title, slug } = args;
    if (reference === undefined)
      return answerOf(call, await deployNew(call, title, slug, await planOf(call, null, args)));
    const canvas = await findMeant(call, reference);
    refuseNewFields(args);
    if (args.publish !== false)
      requireNotPublic(
        call,
        canvas,
        "publish",
        "Deploy with `publish: false` and let your person publish it.",
      );
    const deployed = await explainingConflict(call, canvas.id, async () => {
      const plan = await planOf(call, canvas, args);
      return deployTo(call, await perform(call, readAct, { params: { id: canvas.id } }), plan);
    });
    return answerOf(call, deployed);
  },
});
