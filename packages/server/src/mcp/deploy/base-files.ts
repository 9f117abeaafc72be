import type { VersionFiles } from "@easel/protocol/types";
import type { Canvas } from "../../canvases/access-lookup.ts";
import type { EaselJson } from "../../canvases/publishing/easel-json.ts";
import { listVersions } from "../../canvases/versions.ts";
import { refuse } from "../../http/refusal.ts";
import type { StoredBytes } from "../../management/act.ts";
import { actNamed } from "../../management/acts.ts";
import { type Acting, perform } from "../tool-call.ts";
import { parseEaselJson } from "./apply-easel-json.ts";
import type { Base, ChangedFiles } from "./file-changes.ts";

const filesAct = actNamed<VersionFiles>("canvas.version-files");
const fileAct = actNamed<StoredBytes>("canvas.version-file");

const NO_FILES: Base = {
  version: null,
  files: [],
  read: () => refuse("NOT_FOUND", { message: "A new canvas has no files." }),
};

/** Reads the bytes of a file of a version. Throws 404 `NOT_FOUND` if there is none. */
export async function readFileOf(call: Acting, id: string, version: string, path: string): Promise<Buffer> {
  const { open } = await perform(call, fileAct, { params: { id, version }, query: { path } });
  return Buffer.concat(open === null ? [] : await Array.fromAsync(await open()));
}

/**
 * Returns the id of the version that changes of a canvas begin with: the given one, `none` for no files, by default the published one, or the one that was
 * published last, or for a canvas that has published none, the newest one. Returns null for none.
 */
async function baseVersion(
  { id, versionId: published }: Canvas,
  given: string | undefined,
  call: Acting,
): Promise<string | null> {
  if (given !== undefined) return given === "none" ? null : given;
  return published ?? (await listVersions(id, call.env))[0]?.id ?? null;
}

/** Reads the list of files that changes of a canvas begin with. A new canvas is null. */
export async function readBase(
  call: Acting,
  canvas: Canvas | null,
  given: string | undefined,
): Promise<Base> {
  const version = canvas === null ? null : await baseVersion(canvas, given, call);
  if (canvas === null || version === null) return NO_FILES;
  const { id } = canvas;
  const { files } = await perform(call, filesAct, { params: { id, version } });
  return { version, files, read: (path) => readFileOf(call, id, version, path) };
}

/**
 * Returns the settings in the `easel.json` of changed files; no settings if there is none. One with faults counts only if it is among the changed
 * files: then it is refused.
 */
export async function settingsOf({ files, contents }: ChangedFiles, base: Base): Promise<EaselJson> {
  const file = files.find(({ path }) => path === "easel.json");
  if (file === undefined) return {};
  const changed = contents.get(file.sha256);
  if (changed !== undefined) return parseEaselJson(changed);
  try {
    return parseEaselJson(await base.read(file.path));
  } catch {
    return {}; // The deploy warns of its faults.
  }
}
