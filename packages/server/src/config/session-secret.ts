import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { newId } from "../crypto/ids.ts";
import { makeDirectory } from "../disk/private-files.ts";
import type { Config } from "./config.ts";

/**
 * Returns the secrets that sign cookies. If the settings contain none, which is valid only in dev mode, generates a secret and stores it in
 * the data directory.
 */
export async function sessionSecrets({ sessionSecret, dataDir }: Config): Promise<string[]> {
  if (sessionSecret !== null) return sessionSecret;
  const file = path.join(dataDir, "session-secret");
  const kept = (await read(file)) ?? (await generate(file));
  if (kept.length < 32) throw new Error(`${file} holds no secret: remove it, and a new one is generated`);
  return [kept];
}

const read = (file: string) =>
  readFile(file, "utf8").catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });

/** Generates a secret and stores it in a file. Processes that do this at the same time all return the same secret. */
async function generate(file: string): Promise<string> {
  await makeDirectory(path.dirname(file));
  const draft = `${file}.${newId()}`;
  await writeFile(draft, randomBytes(32).toString("base64url"), { mode: 0o600 });
  await link(draft, file).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft);
  return readFile(file, "utf8");
}
