import { hash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { z } from "zod/mini";
import { configFile, writeConfig } from "../account/credentials.ts";
import type { Context } from "../context.ts";

const Stored = z.object({ folder: z.string(), url: z.string(), canvasId: z.string(), slug: z.string() });

/** A canvas to which the person has deployed a folder of this computer, or has agreed to. `slug` is its slug at that time. */
export interface Remembered {
  canvasId: string;
  slug: string;
}

/** Returns the file for a folder and the base URL of a service. Each pair has its own file, so that concurrent runs lose nothing. */
const fileOf = (folder: string, url: string, context: Pick<Context, "env">): string =>
  configFile(context, "folders", `${hash("sha256", `${url}\n${folder}`, "hex")}.json`);

/**
 * Returns the canvas that the person's own configuration has for a folder at a service (decision 054). Returns undefined if there is none,
 * also after the folder was moved, and if the file is damaged.
 */
export async function readRemembered(
  folder: string,
  url: string,
  context: Pick<Context, "env">,
): Promise<Remembered | undefined> {
  try {
    const real = await realpath(folder);
    const stored = Stored.parse(JSON.parse(await readFile(fileOf(real, url, context), "utf8")));
    return stored.folder === real && stored.url === url ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the canvas of a folder at a service in the person's own configuration. A failure only prints a warning. */
export async function remember(
  folder: string,
  url: string,
  { canvasId, slug }: Remembered,
  context: Pick<Context, "env" | "terminal">,
): Promise<void> {
  const known = await readRemembered(folder, url, context);
  if (known?.canvasId === canvasId && known.slug === slug) return;
  try {
    const real = await realpath(folder);
    await writeConfig(fileOf(real, url, context), { folder: real, url, canvasId, slug });
  } catch (error) {
    context.terminal.warn(`The canvas of this folder cannot be remembered: ${(error as Error).message}`);
  }
}
