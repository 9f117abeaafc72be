import { existsSync } from "node:fs";
import path from "node:path";
import { hasDotFile } from "@easel/server/canvases/publishing/left-out";
import { watch } from "chokidar";

/** The time without a further change after which changes are told. An editor or a build writes several files, and each in several steps. */
const QUIET_MS = 25;
/** The time after which changes are told although further ones come. */
const LONGEST_MS = 250;
/** The time between two looks for a folder that was removed. */
const ABSENCE_MS = 200;

/**
 * Watches a folder, and calls `onChange` with the paths of the files that were changed, added or removed, relative to the folder. Does not
 * report what a deploy leaves out. If the folder itself is removed, waits until it is there again. Returns a function that ends this.
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

  function tell(): void {
    const paths = [...changed];
    changed.clear();
    onChange(paths);
  }

  function add(name: string): void {
    if (changed.size === 0) since = Date.now();
    changed.add(name);
    clearTimeout(timer);
    timer = setTimeout(tell, Math.max(0, Math.min(QUIET_MS, since + LONGEST_MS - Date.now())));
  }

  function open() {
    const opened = watch(folder, { ignored: isLeftOut, ignoreInitial: true, followSymlinks: false });
    opened.on("all", (_event, file) => {
      if (nameOf(file) !== "") add(nameOf(file));
      if (!existsSync(folder)) awaitReturn();
    });
    // A folder that cannot be read, or too many of them: what can be watched is watched.
    opened.on("error", () => {});
    return new Promise<typeof opened>((resolve) => opened.once("ready", () => resolve(opened)));
  }

  /** Watches anew when the folder is there again, because a watcher stays with the folder that was removed. */
  function awaitReturn(): void {
    if (absence !== undefined) return;
    absence = setInterval(() => {
      if (!existsSync(folder)) return;
      clearInterval(absence);
      absence = undefined;
      void restart();
    }, ABSENCE_MS);
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
