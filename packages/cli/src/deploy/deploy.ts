import path from "node:path";
import type { Access } from "@easel/protocol/types";
import { isDraft, requireAgreement } from "../api/agreement.ts";
import { bodyOf, connect, type Service } from "../api/service.ts";
import { isListed } from "../canvas/who-may-enter.ts";
import type { Context } from "../context.ts";
import { readEaselJson } from "../project/easel-json.ts";
import { readFolderCanvas } from "../project/folder-canvas.ts";
import { clean } from "../terminal/clean.ts";
import { dryRun, isUnchanged, readChanges } from "./dry-run.ts";
import { readFolder } from "./folder.ts";
import { hashFiles } from "./manifest.ts";
import { keepVersion, publishFiles } from "./publish.ts";
import { applySettings, enableCapabilities } from "./settings.ts";
import { summaryOf } from "./summary.ts";
import { chooseAccess, discard, findTarget, makeCanvas, setUp, slugFor } from "./target.ts";

/** The flags of `easel deploy`. */
export interface DeployOptions {
  url?: string;
  slug?: string;
  access?: Access;
  message?: string;
  release?: string;
  publish?: boolean;
  dryRun?: boolean;
  force?: boolean;
  unlisted?: boolean;
  enable?: boolean;
  yes?: boolean;
}

/** Makes a link that shows a version of a canvas once, in the browser that opens it. */
async function previewOf(id: string, version: string, { api }: Service): Promise<string> {
  const path = { id, version };
  const { url } = await bodyOf(
    api.POST("/api/canvases/{id}/versions/{version}/preview", { params: { path } }),
  );
  return url;
}

/**
 * Deploys a folder: creates its canvas if there is none, uploads the files that the service does not have, publishes the new version and
 * prints the address. With `publish: false`, only stores the version and prints a link to its preview. Publishes nothing if the published version has the same files. Resumes a run that was interrupted. If the first deploy
 * fails, deletes the canvas that it has created.
 */
export async function deploy(given: string, options: DeployOptions, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const start = performance.now();
  const folder = path.resolve(context.cwd, given);
  const own = await readEaselJson(folder);
  const settings = options.unlisted === true ? { ...own, listed: false } : own;
  const content = await readFolder(folder);
  const slug = await slugFor(folder, options.slug, settings);
  const service = await connect({ url: options.url, folder }, context);
  const files = await hashFiles(content.files, signal);

  const known = await readFolderCanvas(folder, service.url, context);
  const found = await findTarget(slug, known, service);
  if (options.dryRun) return dryRun(slug.slug, found, files, content, service, terminal);
  const isKnown = known?.isAgreed === true && known.canvasId === found?.id;
  if (found !== undefined && !isKnown && slug.source !== "flag" && options.force !== true) {
    const purpose = { question: "Replace its page?", flag: "--slug", yes: options.yes, canForce: true };
    await requireAgreement(folder, found, purpose, service, context);
  }

  for (const { path: name, reason } of content.leftOut) terminal.say(`left out: ${clean(name)} (${reason})`);
  const isFirst = found === undefined || isDraft(found);
  const access = isFirst ? await chooseAccess(options, context) : undefined;
  if (!isFirst && options.access !== undefined && options.access !== found.access)
    terminal.say(
      `Who may enter stays ${clean(found.access)}: --access is for new canvases. \`easel share\` changes it.`,
    );
  const changes = isFirst ? undefined : await readChanges(found, files, service);
  const canvas = found ?? (await makeCanvas(slug, service));
  const project = known?.canvasId === canvas.id ? known : undefined;
  // A folder that knows no version, as in CI, expects the one that is current now.
  const version = project?.version === undefined ? canvas.version : project.version;
  const applied: string[] = [];
  const publish = options.publish !== false;
  // Settings apply to the published version, so a version that is only stored leaves them as they are.
  const apply = async () => {
    if (publish || isFirst) applied.push(...(await applySettings(canvas, settings, service, context)));
  };
  try {
    if (access !== undefined) await setUp(canvas, settings, access, service);
    else if (publish)
      applied.push(...(await enableCapabilities(canvas, settings.capabilities, options, service, context)));
    const isSame = changes !== undefined && isUnchanged(changes) && options.force !== true;
    const { deployed, sent, published, stored, ...received } = isSame
      ? await keepVersion(folder, canvas, service, context, apply)
      : await publishFiles(
          folder,
          files,
          {
            canvas,
            version,
            staged: project?.staged,
            force: options.force === true,
            message: options.message,
            release: options.release,
            publish,
          },
          service,
          context,
          apply,
        );
    const warnings = [...new Set([...content.warnings, ...received.warnings])];
    for (const warning of warnings) terminal.warn(warning);
    const outcome = {
      first: isFirst,
      needed: settings.capabilities,
      published,
      stored,
      release: options.release,
      changes,
      applied,
      files,
      sent,
    };
    for (const line of summaryOf(deployed, outcome, performance.now() - start)) terminal.say(line);
    const preview = stored === null ? null : await previewOf(deployed.id, stored, service);
    const result = {
      url: deployed.url,
      id: deployed.id,
      slug: deployed.slug,
      version: deployed.version,
      created: isFirst,
      published,
      stored,
      preview,
      files: files.length,
      sent,
      changed: changes ?? null,
      settings: applied,
      access: deployed.access,
      listed: isListed(deployed),
      leftOut: content.leftOut,
      warnings,
    };
    terminal.result(result, () => `${clean(preview ?? deployed.url)}\n`);
  } catch (error) {
    if (found === undefined) await discard(canvas, service, context);
    throw error;
  }
}
