// The browser SDK also checks the limits in this file. They are not in the table `LIMITS`, because the SDK would then contain all texts of
// that table.

const KiB = 1024;
const MiB = 1024 * KiB;

/** The maximum size of a zipped bundle in bytes (specification 8). */
export const BUNDLE_BYTES = 50 * MiB;

/** The maximum number of entries in a zipped bundle. */
export const BUNDLE_ENTRIES = 5_000;

/** The maximum total size of the unpacked files of a bundle, in bytes. */
export const BUNDLE_UNPACKED_BYTES = 250 * MiB;

/** The maximum compression ratio of a file over 1 MiB in a bundle: its unpacked size divided by its zipped size. */
export const BUNDLE_RATIO = 100;

/** The maximum length of a file's path in a bundle, in bytes of UTF-8. */
export const BUNDLE_PATH_BYTES = 1 * KiB;

/**
 * Matches the paths at which certificate authorities look for proofs that someone controls a host (ACME, RFC 8555). A canvas on a host of its
 * own could get a certificate for that host with such a file.
 */
const PROOF_OF_HOST = /^\.well-known\/acme-challenge(\/|$)/i;

/** Returns the reason why a file with this path cannot be served, such as `is too long`. Returns undefined if the path is valid. */
export function pathFault(path: string): string | undefined {
  if (new TextEncoder().encode(path).length > BUNDLE_PATH_BYTES) return "is too long";
  // `Cs` matches a surrogate without its other half.
  if (/[\p{Cc}\p{Cs}\\]/u.test(path)) return "has characters that a path cannot have";
  const segments = path.split("/");
  // A path with a Windows drive, such as `C:`, would be absolute.
  if (/^[a-z]:/i.test(path) || segments.some((segment) => ["", ".", ".."].includes(segment))) {
    return "does not stay inside the bundle";
  }
  if (PROOF_OF_HOST.test(path)) return "is reserved for proofs to certificate authorities";
  return undefined;
}

/** Whether a text begins like an HTML document: with `<`, possibly after a byte order mark and white space. */
export const beginsLikePage = (text: string): boolean => /^\ufeff?\s*</.test(text);
