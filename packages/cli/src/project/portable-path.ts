import { pathFault } from "@easel/protocol/bundle";
import { hasDotFile } from "@easel/server/bundle-files";

/*
 * Which paths every system can hold: the rules of git for NTFS and HFS+ (`verify_path`, `is_ntfs_dotgit`, `is_hfs_dotgit`,
 * `is_valid_win32_path`), applied on every system, because a folder may lie on a disk with another file system, or be copied to one.
 */

/** The code points that HFS+ ignores in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The names of devices of Windows, also with an extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9\u00b9\u00b2\u00b3]) *(?:\.|$)/i;

/**
 * The short names that NTFS gives to files with long ones, such as `GIT~1` for `.git` and `EASEL~1` for `.easel`. Which file a short name
 * leads to depends on the folder.
 */
const SHORT = /^(?=[^.]{1,8}(?:\.|$))[^.]*~\d+(?:\.[^.]{0,3})?$/;

/** The maximum length of a name in bytes of UTF-8 on most file systems. */
const MAX_NAME_BYTES = 255;

/** The reasons why a system cannot hold a name, or mistakes it for another one, with the names that they are about. */
const NAME_FAULTS: [fault: string, isAbout: (name: string) => boolean][] = [
  ["has characters that Windows does not allow in names", (name) => /["*:<>?|]/.test(name)],
  ["has a name that ends with a dot or a space, which Windows removes", (name) => /[. ]$/.test(name)],
  ["has the name of a device of Windows", (name) => DEVICE.test(name)],
  ["has a name that is short for another one on Windows", (name) => SHORT.test(name)],
  ["has only characters that macOS ignores in a name", (name) => name.replace(IGNORED, "") === ""],
  ["has a name of more than 255 bytes", (name) => Buffer.byteLength(name) > MAX_NAME_BYTES],
];

/** Returns why some system cannot hold a path, or mistakes it for a dot file. Returns undefined if every system can hold it. */
function faultOf(path: string): string | undefined {
  const names = path.split("/");
  return (
    pathFault(path) ??
    ([path, path.replace(IGNORED, "")].some(hasDotFile) ? "leads to a dot file" : undefined) ??
    NAME_FAULTS.find(([, isAbout]) => names.some(isAbout))?.[0]
  );
}

/** Returns a key that is equal for names that some file system mistakes for each other, such as `A` and `a`. */
const fold = (name: string): string =>
  name.replace(IGNORED, "").normalize("NFC").toLowerCase().toUpperCase().normalize("NFC");

/** A path that some system cannot hold, and the reason as the rest of a sentence. */
export interface Unportable {
  path: string;
  fault: string;
}

/**
 * Returns the paths of files that some system cannot hold, mistakes for a dot file, or mistakes for another path of the list because they
 * differ only in case, in their Unicode normalization or in ignored characters.
 */
export function unportablePaths(paths: readonly string[]): Unportable[] {
  /** The files, and the folders with a slash at the end, by their folded paths. */
  const spelled = new Map<string, string>();
  const collisionOf = (path: string): string | undefined => {
    let [key, prefix] = ["", ""];
    for (const name of path.split("/")) {
      prefix += name;
      key += fold(name);
      const isFile = prefix.length === path.length;
      if (!isFile) prefix += "/";
      const known = spelled.get(key);
      if (known !== undefined && (isFile || known !== prefix)) return known;
      spelled.set(key, prefix);
      key += "/";
    }
    return undefined;
  };
  return paths.flatMap((path) => {
    const own = faultOf(path);
    if (own !== undefined) return [{ path, fault: own }];
    const other = collisionOf(path);
    return other === undefined ? [] : [{ path, fault: `is the same as \`${other}\` on some systems` }];
  });
}
