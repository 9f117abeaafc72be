import { existsSync } from "node:fs";
import path from "node:path";
import { hasDotFile } from "@easel/server/bundle-files";
import { hintFor } from "@easel/server/ladder";
import { watch } from "chokidar";
import { type ParsedEaselJson, parseEaselJson } from "../project/easel-json.ts";
import { stateFor } from "./dev-pages.ts";
import { applyEaselJson } from "./embedded.ts";
import type { FolderContent } from "./folder-content.ts";
import { canvasPath, type Site } from "./page-hosts.ts";

/** The time without a further change after which changes are reported. Editors and builds write several files, each in several steps. */
const DEBOUNCE_MS = 25;
/** The time after the first change at which changes are reported even if further ones follow. */
const MAX_DELAY_MS = 250;
/** The interval of the checks whether a folder that was removed exists again. */
const POLL_MS = 200;

/**
 * Watches a folder, and calls `onChange` with the paths of the files that were changed, added or removed, relative to the folder. Does not
 * report dot files and `node_modules`. If the folder itself is removed, waits until it exists again. Returns a function that stops the
 * watcher.
 */
export async function watchFolder(
  folder: string,
  onChange: (paths: string[]) => void,
): Promise<() => Promise<void>> {
  const nameOf = (file: string) => path.relative(folder, file).split(path.sep).join("/");
  const isLeftOut = (file: string) => {
    const name = nameOf(file);
    return name !== "" && (hasDotFile(name) || /(^|\/)node_modules(\/|$)/.test(name));
  };
  const changed = new Set<string>();
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  let absence: NodeJS.Timeout | undefined;
  let closed = false;
  let watcher = await open();

  function report(): void {
    const paths = [...changed];
    changed.clear();
    onChange(paths);
  }

  function add(name: string): void {
    if (changed.size === 0) since = Date.now();
    changed.add(name);
    clearTimeout(timer);
    timer = setTimeout(report, Math.max(0, Math.min(DEBOUNCE_MS, since + MAX_DELAY_MS - Date.now())));
  }

  function open() {
    const opened = watch(folder, { ignored: isLeftOut, ignoreInitial: true, followSymlinks: false });
    opened.on("all", (_event, file) => {
      if (nameOf(file) !== "") add(nameOf(file));
      if (!existsSync(folder)) restartOnReturn();
    });
    // Some folders may be unreadable, or too many to watch. The others are still watched.
    opened.on("error", () => {});
    return new Promise<typeof opened>((resolve) => opened.once("ready", () => resolve(opened)));
  }

  /** Starts a new watcher when the folder exists again, because the old one still watches the folder that was removed. */
  function restartOnReturn(): void {
    if (absence !== undefined) return;
    absence = setInterval(() => {
      if (!existsSync(folder)) return;
      clearInterval(absence);
      absence = undefined;
      void restart();
    }, POLL_MS);
  }

  async function restart(): Promise<void> {
    await watcher.close();
    watcher = await open();
    if (closed) return void watcher.close();
    add("index.html");
  }

  return async () => {
    closed = true;
    clearTimeout(timer);
    clearInterval(absence);
    await watcher.close();
  };
}

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
