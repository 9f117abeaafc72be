import { readFile } from "node:fs/promises";
import path from "node:path";
import { type EaselJson, easelJson, faultsOf } from "@easel/server/canvases/publishing/easel-json";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

/** Reads the `easel.json` of a folder. A missing file is read as `{}`. Throws a `Failure` that lists the faults of the file. */
export async function readEaselJson(folder: string): Promise<EaselJson> {
  const text = await readFile(path.join(folder, "easel.json"), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      // `readFolder` reports a path that is not a folder.
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return "{}";
      throw error;
    },
  );
  const faults = faultsOf(text);
  if (faults.length > 0) fail(faults.map((fault) => `easel.json: ${clean(fault)}`).join("\n"));
  return easelJson.parse(JSON.parse(text));
}
