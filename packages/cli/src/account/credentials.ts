import { chmod, mkdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import envPaths from "env-paths";
import { z } from "zod/mini";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { replaceFile } from "../project/files.ts";

/** Returns the path of a file in the folder in which `easel` keeps what belongs to the person: sign-ins, and the canvases of folders. */
export const configFile = ({ env }: Pick<Context, "env">, ...names: string[]): string =>
  path.join(env.EASEL_CONFIG_DIR ?? envPaths("easel", { suffix: "" }).config, ...names);

/** Removes all permissions of other users on a file or folder. Does nothing on Windows, which has no such permissions. */
async function makePrivate(target: string): Promise<void> {
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

const TOKEN = /^[\x21-\x7e]+$/;

/** Whether a text can be sent as a token in a header. */
export const isTokenText = (text: string): boolean => TOKEN.test(text);

const Stored = z.object({
  /** The base URL of the service of the last sign-in, or null if there is none. */
  last: z.nullable(z.string()),
  /** The sign-ins by the base URL of their service. */
  services: z.record(
    z.string(),
    z.object({
      token: z.string().check(z.regex(TOKEN)),
      email: z.string(),
      expiresAt: z.nullable(z.number()),
    }),
  ),
});

/** The stored sign-ins of the person. */
export type Credentials = z.infer<typeof Stored>;

/** Returns the path of the file that holds the tokens of the person. */
export const credentialsFile = (context: Pick<Context, "env">): string =>
  configFile(context, "credentials.json");

/** Reads the stored sign-ins; there are none without a file. Makes the file private. Throws a `Failure` if the file is damaged. */
export async function readCredentials(context: Pick<Context, "env">): Promise<Credentials> {
  const file = credentialsFile(context);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return { last: null, services: {} };
  await makePrivate(file);
  try {
    return Stored.parse(JSON.parse(text));
  } catch {
    return fail(`${file} is damaged, or another version of easel has written it.`, {
      hint: "Delete it and run `easel login` again.",
    });
  }
}

/** Writes the stored sign-ins to a file that only the person may read. */
export const writeCredentials = (credentials: Credentials, context: Pick<Context, "env">): Promise<void> =>
  writeConfig(credentialsFile(context), credentials);
