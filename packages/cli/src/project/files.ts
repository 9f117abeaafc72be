import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { formatBytes } from "../terminal/format.ts";

/**
 * Replaces a file atomically. A symbolic link at the path is replaced and not followed. `mode` are the permissions of the new file. The
 * content is on the disk when the promise resolves.
 */
export async function replaceFile(file: string, text: string, mode = 0o666): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(draft, "wx", mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The kind of a path: a regular file, a folder, a symbolic link (also a junction of Windows), or anything else, such as a pipe. */
export type Kind = "file" | "folder" | "link" | "other";

const NAMES: Record<Kind, string> = {
  file: "a file",
  folder: "a folder",
  link: "a symbolic link, which is not followed",
  other: "neither a file nor a folder",
};

/** Returns the kind of a path without following a link. Returns undefined if nothing is there. */
export async function kindOf(file: string): Promise<Kind | undefined> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

/** Returns whether a path exists. Throws a `Failure` if it exists and is not of the expected kind. */
export async function requireKind(file: string, expected: "file" | "folder"): Promise<boolean> {
  const kind = await kindOf(file);
  if (kind !== undefined && kind !== expected)
    fail(`${clean(file)} is ${NAMES[kind]}; ${NAMES[expected]} is expected there.`, { hint: "Remove it." });
  return kind !== undefined;
}

/**
 * Reads a text file of at most `maxBytes` bytes from a folder that may come from somebody else. Returns undefined if there is none. Throws
 * a `Failure` for a longer file, and for a symbolic link, a device or a pipe, which could lead out of the folder or block.
 */
export async function readUntrusted(file: string, maxBytes: number): Promise<string | undefined> {
  if (!(await requireKind(file, "file"))) return undefined;
  // The path may have been replaced since the check: a link then makes `open` fail, and a pipe does not make it wait.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags);
  try {
    if (!(await handle.stat()).isFile()) await requireKind(file, "file");
    const bytes = Buffer.concat(
      await Array.fromAsync(handle.createReadStream({ end: maxBytes, autoClose: false })),
    );
    if (bytes.length > maxBytes) fail(`${clean(file)} is longer than ${formatBytes(maxBytes)}.`);
    return bytes.toString("utf8");
  } finally {
    await handle.close();
  }
}
