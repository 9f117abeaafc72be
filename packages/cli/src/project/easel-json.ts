import { readFile } from "node:fs/promises";
import path from "node:path";
import { type EaselJson, easelJson, faultsOf } from "@easel/server/canvases/publishing/easel-json";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

/** Reads the `easel.json` of a folder. A folder without that file is read as if it had `{}`. Throws a `Failure` that lists the faults. */
export async function readEaselJson(folder: string): Promise<EaselJson> {
  const text = await readFile(path.join(folder, "easel.json"), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      // `readFolder` reports a folder that is none.
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return "{}";
      throw error;
    },
  );
  const faults = faultsOf(text);
  if (faults.length > 0) fail(faults.map((fault) => `easel.json: ${clean(fault)}`).join("\n"));
  return easelJson.parse(JSON.parse(text));
}
