import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** The file in `.easel` with the JSON Schema of `easel.json`, which editors load. */
export const SCHEMA_FILE = "easel.schema.json";

/** Git ignores the folder, because it is about this copy of the folder alone. The schema stays, because `easel.json` names it. */
const IGNORED = `*\n!.gitignore\n!${SCHEMA_FILE}\n`;

/** Makes the folder `.easel`, in which `easel` keeps what it knows about a folder. It is never deployed. Returns its path. */
export async function makeOwnFolder(folder: string): Promise<string> {
  const own = path.join(folder, ".easel");
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, ".gitignore"), IGNORED);
  return own;
}
