/** Rules for bundles that the browser SDK checks too. See `realtime-constants.ts` for why they stand apart from the table of limits. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** The maximum size of a zipped bundle in bytes (specification 8). */
export const BUNDLE_BYTES = 50 * MiB;

/** The maximum number of entries of a bundle. */
export const BUNDLE_ENTRIES = 5_000;

/** The maximum size of all files of a bundle in bytes. */
export const BUNDLE_UNPACKED_BYTES = 250 * MiB;

/** The maximum compression of an entry over 1 MiB, to one. */
export const BUNDLE_RATIO = 100;

/** The maximum length of a path of a bundle in bytes of UTF-8. */
export const BUNDLE_PATH_BYTES = 1 * KiB;

/** Returns the reason why a path cannot be served, as the end of a sentence, or undefined if it can. */
export function pathFault(path: string): string | undefined {
  if (new TextEncoder().encode(path).length > BUNDLE_PATH_BYTES) return "is too long";
  // `Cs` is a surrogate without its other half.
  if (/[\p{Cc}\p{Cs}\\]/u.test(path)) return "has characters that a path cannot have";
  const segments = path.split("/");
  // A drive of Windows, such as `C:`, is a path of its own.
  if (/^[a-z]:/i.test(path) || segments.some((segment) => ["", ".", ".."].includes(segment))) {
    return "does not stay inside the bundle";
  }
  return undefined;
}
