import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** The file in `.easel` with the JSON Schema of `easel.json`, which editors load. */
export const SCHEMA_FILE = "easel.schema.json";

/** The `.gitignore` of the folder. Its files belong to one working copy, except the schema, to which `easel.json` refers. */
const IGNORED = `*\n!.gitignore\n!${SCHEMA_FILE}\n`;

/** Makes the subfolder `.easel`, in which `easel` keeps its own data. It is never deployed. Returns its path. */
export async function makeOwnFolder(folder: string): Promise<string> {
  const own = path.join(folder, ".easel");
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, ".gitignore"), IGNORED);
  return own;
}
