import { readFile } from "node:fs/promises";
import { z } from "zod/mini";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { configFile, makePrivate, writeConfig } from "./config-folder.ts";

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
