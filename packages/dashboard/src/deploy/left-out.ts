import { hasDotFile } from "@easel/server/bundle-files";
import type { LeftOutPath } from "./offered.ts";

const PACKAGES = "node_modules";

const REASONS = { hidden: "hidden", packages: "installed packages" };

/**
 * Returns the file or folder of a path that is left out before the rules of the service apply: hidden ones (of which the service publishes
 * `.well-known` alone) and installed packages. Returns undefined if nothing is. A folder ends with a slash.
 */
export function leftOutOf(path: string): { path: string; reason: string } | undefined {
  const segments = path.split("/");
  for (const [index, segment] of segments.entries()) {
    const isFolder = index < segments.length - 1;
    const part = segments.slice(0, index + 1).join("/");
    const isPackages = isFolder && segment === PACKAGES;
    if (isPackages || hasDotFile(part))
      return { path: isFolder ? `${part}/` : part, reason: isPackages ? REASONS.packages : REASONS.hidden };
  }
  return undefined;
}

/** Collects what is left out: each folder once, with the number of its files. */
export class LeftOutPaths {
  readonly #paths = new Map<string, LeftOutPath>();

  /** Adds the file or folder of a path that is left out. Returns whether it is. */
  add(path: string): boolean {
    const found = leftOutOf(path);
    if (found === undefined) return false;
    const known = this.#paths.get(found.path);
    if (known === undefined)
      this.#paths.set(found.path, { ...found, files: found.path.endsWith("/") ? 1 : null });
    else if (known.files !== null) known.files += 1;
    return true;
  }

  /** Adds a folder that is not read, so that the number of its files is unknown. Returns whether it is left out. */
  addFolder(path: string): boolean {
    const found = leftOutOf(`${path}/.`);
    if (found === undefined || found.path !== `${path}/`) return false;
    this.#paths.set(found.path, { ...found, files: null });
    return true;
  }

  get list(): LeftOutPath[] {
    return [...this.#paths.values()];
  }
}
