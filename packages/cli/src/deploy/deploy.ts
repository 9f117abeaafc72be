import path from "node:path";
import { LIMITS } from "@easel/protocol/limits";
import type { Access, Canvas, FinishedDeploy } from "@easel/protocol/types";
import type { EaselJson } from "@easel/server/canvases/publishing/easel-json";
import { isAllowedSlug, slugOf } from "@easel/server/canvases/publishing/slug";
import { canvasById, canvasBySlug } from "../api/find-canvas.ts";
import { Refusal } from "../api/refusal.ts";
import { bodyOf, connect, type Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { readEaselJson } from "../project/easel-json.ts";
import { type Project, readProject, writeProject } from "../project/project.ts";
import { clean } from "../terminal/clean.ts";
import { explainConflict } from "./conflict.ts";
import { dryRun } from "./dry-run.ts";
import { chooseAccess, discard, setUp } from "./first-deploy.ts";
import { readFolder } from "./folder.ts";
import { hashFiles, manifestDigest } from "./manifest.ts";
import { applySettings, enableCapabilities } from "./settings.ts";
import { finish, resume, stage } from "./staging.ts";
import { uploadFiles } from "./upload.ts";

/** The flags of `easel deploy`. */
export interface DeployOptions {
  url?: string;
  slug?: string;
  access?: Access;
  message?: string;
  dryRun?: boolean;
  force?: boolean;
  enable?: boolean;
  yes?: boolean;
}

/** Returns the slug of a folder's canvas: the flag, that of `easel.json`, or one derived from the folder's name. */
function slugFor(folder: string, given: string | undefined, settings: EaselJson): string {
  const slug = given ?? settings.slug ?? slugOf(path.basename(folder));
  if (isAllowedSlug(slug)) return slug;
  const from = given === undefined && settings.slug === undefined ? "The folder's name makes" : "You gave";
  return fail(`${from} the slug \`${clean(slug)}\`, which is too short, malformed or reserved.`, {
    exit: "usage",
    hint: "Give --slug, with 3 to 63 lower-case letters, digits and inner hyphens.",
  });
}

/**
 * Returns the canvas that a folder is deployed to: the one that it was deployed to last, unless another slug is given, or else the one that
 * has its slug. Returns undefined if there is none yet.
 */
async function findTarget(
  slug: string,
  isGiven: boolean,
  project: Project | undefined,
  service: Service,
): Promise<Canvas | undefined> {
  const isSame = project !== undefined && project.url === service.url && (!isGiven || project.slug === slug);
  if (!isSame) return canvasBySlug(slug, service);
  try {
    return await canvasById(project.canvasId, service);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return canvasBySlug(slug, service);
    throw error;
  }
}

/** Makes a canvas without a version. Throws a `Failure` with advice if the slug is taken. */
async function makeCanvas(title: string, slug: string, { api }: Service): Promise<Canvas> {
  try {
    return (await bodyOf(api.POST("/api/canvases", { body: { title, slug } }))) as Canvas;
  } catch (error) {
    if (error instanceof Refusal && error.code === "SLUG_TAKEN")
      fail(`The address \`${slug}\` is taken by a canvas of someone else, or was until lately.`, {
        exit: "conflict",
        hint: "Give another one with --slug, or in easel.json.",
      });
    throw error;
  }
}

/**
 * Deploys a folder: makes its canvas if there is none, uploads the files that the service misses, publishes the new version and prints its
 * address. A run that was cut off is resumed by the next one. A first deploy that fails leaves no canvas behind.
 */
export async function deploy(given: string, options: DeployOptions, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const folder = path.resolve(context.cwd, given);
  const settings = await readEaselJson(folder);
  const content = await readFolder(folder);
  const slug = slugFor(folder, options.slug, settings);
  const files = await hashFiles(content.files, signal);

  const service = await connect({ url: options.url, folder }, context);
  const stored = await readProject(folder);
  const isGiven = options.slug !== undefined || settings.slug !== undefined;
  const found = await findTarget(slug, isGiven, stored, service);
  if (options.dryRun) return dryRun(slug, found, files, content, service, terminal);

  for (const { path: name, reason } of content.leftOut) terminal.say(`left out: ${clean(name)} (${reason})`);
  const isFirst = found === undefined || found.version === null;
  const access = isFirst ? await chooseAccess(options.access, options.yes === true, context) : undefined;
  const title = settings.title ?? path.basename(folder).slice(0, LIMITS.titleLength.value);
  const canvas = found ?? (await makeCanvas(title, slug, service));
  try {
    if (access !== undefined) await setUp(canvas, settings, access, service);
    else await enableCapabilities(canvas, settings.capabilities, options.enable === true, service, context);
    await applySettings(canvas, settings, service);

    const own = stored?.url === service.url && stored.canvasId === canvas.id ? stored : undefined;
    const expectedVersion = options.force ? undefined : (own?.version ?? canvas.version);
    const project: Project = {
      url: service.url,
      canvasId: canvas.id,
      slug: canvas.slug,
      version: own?.version ?? null,
    };
    const manifest = manifestDigest(files);
    const resumed = own && !options.force ? await resume(own, manifest, service) : undefined;
    const staged =
      resumed ?? (await stage(canvas.id, files, { expectedVersion, message: options.message }, service));
    await writeProject(folder, { ...project, staged: { id: staged.id, manifest } });
    await uploadFiles({ canvasId: canvas.id, id: staged.id }, files, staged.missing, service, terminal);
    const response = await finish(canvas.id, staged.id, service);
    const deployed = (await response.json()) as FinishedDeploy;
    await writeProject(folder, { ...project, version: deployed.version });

    const warnings = [...new Set([...content.warnings, ...staged.warnings, ...deployed.warnings])];
    for (const warning of warnings) terminal.warn(warning);
    if (access === "private") terminal.say("Only you may enter. `easel share` lets others in.");
    const { id, url, version } = deployed;
    const sent = staged.missing.length;
    const result = { url, id, slug: deployed.slug, version, created: isFirst, files: files.length, sent };
    terminal.result({ ...result, leftOut: content.leftOut, warnings }, () => `${url}\n`);
  } catch (error) {
    if (found === undefined) await discard(canvas, service, context);
    throw await explainConflict(error, canvas.id, service);
  }
}
