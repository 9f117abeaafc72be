import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

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
