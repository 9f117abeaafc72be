import path from "node:path";
import { hintFor } from "@easel/server/access/ladder";
import { type ParsedEaselJson, parseEaselJson } from "../project/easel-json.ts";
import { stateFor } from "./dev-pages.ts";
import { canvasPath, type Site } from "./dev-site.ts";
import { applyEaselJson } from "./embedded.ts";
import type { FolderContent } from "./folder-content.ts";

/** A folder that is served as the canvas `id`. `file` is the path of its `easel.json`. */
export interface ServedFolder {
  site: Site;
  id: string;
  folder: string;
  file: string;
  /** The title of the canvas if `easel.json` has none. */
  title: string;
  content: FolderContent;
}

/** Applies settings without faults to the canvas, and reports faults. */
export async function applySettings(
  { settings, faults }: ParsedEaselJson,
  { site, id, title }: ServedFolder,
): Promise<void> {
  const { report, slug, env } = site;
  site.faults = faults;
  for (const fault of faults) report.add(`easel.json: ${fault}`);
  if (settings !== null) {
    await applyEaselJson(id, settings, title, env);
    const needsAi = settings.capabilities?.includes("ai") ?? false;
    if (needsAi && env.ai === null) report.add(`ai is off: ${hintFor("ai", "operator_disabled", true)}`);
  }
  if (settings?.slug !== undefined && settings.slug !== slug)
    report.add(`easel.json: the slug is \`${slug}\` until you start \`easel dev\` again`);
}

/** Applies a changed `easel.json`, and makes the open pages load changed files. With `--proxy`, the dev server reloads the pages itself. */
export async function handleChange(paths: string[], served: ServedFolder): Promise<void> {
  const { site, folder, file, content } = served;
  content.refresh();
  const isSettings = paths.some((each) => path.join(folder, each) === file);
  if (isSettings) {
    await applySettings(await parseEaselJson(file), served);
    await site.live.refresh(stateFor(site));
  }
  if (site.proxy !== null && !isSettings) return;
  const base = canvasPath(site);
  if (paths.every((each) => each.endsWith(".css")))
    site.live.broadcast({ type: "styles", paths: paths.map((each) => base + encodeURI(each)) });
  else if (!isSettings || site.faults.length === 0) site.live.broadcast({ type: "reload" });
}
