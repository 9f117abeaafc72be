import { chmod, mkdir, stat } from "node:fs/promises";
import path from "node:path";
import envPaths from "env-paths";
import type { Context } from "../context.ts";
import { replaceFile } from "../project/replace-file.ts";

/** Returns the path of a file in the folder in which `easel` keeps what belongs to the person: sign-ins, and the canvases of folders. */
export const configFile = ({ env }: Pick<Context, "env">, ...names: string[]): string =>
  path.join(env.EASEL_CONFIG_DIR ?? envPaths("easel", { suffix: "" }).config, ...names);

/** Removes all permissions of other users on a file or folder. Does nothing on Windows, which has no such permissions. */
export async function makePrivate(target: string): Promise<void> {
  if (process.platform === "win32") return;
  const { mode } = await stat(target);
  if ((mode & 0o077) !== 0) await chmod(target, mode & 0o700);
}

/** Writes a value as JSON to a file that only the person may read. Replaces the file atomically. */
export async function writeConfig(file: string, value: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await makePrivate(path.dirname(file));
  await replaceFile(file, `${JSON.stringify(value, null, 2)}\n`, 0o600);
}
