import { BUNDLE_BYTES, BUNDLE_ENTRIES, BUNDLE_UNPACKED_BYTES, pathFault } from "@easel/protocol/bundle";
import { EaselError, invalid, QuotaExceededError } from "../errors.ts";
import { blobOf, type FileContent, isBinary } from "../files/content.ts";
import { zip } from "./zip.ts";

/**
 * The files of a canvas: a zip, or a map from paths to contents. Paths are relative, with slashes.
 * @example const bundle = { "index.html": "<h1>Tea</h1>", "img/cup.png": await (await fetch("cup.png")).blob() };
 */
export type Bundle =
  | Exclude<FileContent, string>
  | { [path: string]: FileContent }
  | Map<string, FileContent>;

/** Returns a bundle as a zip. If the service would refuse the bundle, throws an error with the same message as the service. */
export async function zipOf(bundle: Bundle, signal?: AbortSignal): Promise<Blob> {
  const archive = isBinary(bundle) ? blobOf(bundle) : await zip(filesOf(bundle), signal);
  if (archive.size > BUNDLE_BYTES)
    throw new QuotaExceededError({ status: 413, code: "INVALID_BODY", message: "bundle too large" });
  return archive;
}

function filesOf(bundle: Exclude<Bundle, Exclude<FileContent, string>>): [string, Blob][] {
  if (typeof bundle !== "object" || bundle === null || Array.isArray(bundle))
    throw invalid("A bundle must be a zip, as a Blob or bytes, or an object from paths to contents.");
  const given = bundle instanceof Map ? [...bundle] : Object.entries(bundle);
  if (given.length === 0) throw invalid("The bundle is empty.");
  if (given.length > BUNDLE_ENTRIES) throw invalid("The bundle has too many entries.");
  const files = given.map(([path, content]): [string, Blob] => {
    const fault = pathFault(path);
    if (fault !== undefined) throw invalid(`The path \`${path.slice(0, 100)}\` ${fault}.`);
    return [path, contentOf(path, content)];
  });
  if (files.reduce((sum, [, { size }]) => sum + size, 0) > BUNDLE_UNPACKED_BYTES)
    throw invalid("The bundle is too large when unpacked.");
  return files;
}

/** Converts the content of a file to a blob. If the content has a wrong type, such as a promise, throws an error that names the path. */
function contentOf(path: string, content: FileContent): Blob {
  try {
    return blobOf(content);
  } catch (error) {
    throw error instanceof EaselError ? invalid(`\`${path}\`: ${error.message}`) : error;
  }
}
