import path from "node:path";
import { type EaselJson, easelJson, faultsOf } from "@easel/server/easel-json";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { readUntrusted } from "./files.ts";

/** The maximum size of an `easel.json`. */
const MAX_BYTES = 1024 * 1024;

/** An `easel.json`, null if it has faults. `faults` are sentences. */
export interface ParsedEaselJson {
  settings: EaselJson | null;
  faults: string[];
}

/** Reads an `easel.json`. A missing file is read as `{}`. Throws a `Failure` for a symbolic link, a special file or one over 1 MiB. */
export async function parseEaselJson(file: string): Promise<ParsedEaselJson> {
  // `readFolder` reports a path that is not a folder.
  const text = (await readUntrusted(file, MAX_BYTES)) ?? "{}";
  const faults = faultsOf(text);
  return { settings: faults.length > 0 ? null : easelJson.parse(JSON.parse(text)), faults };
}

/** Reads the `easel.json` of a folder. A missing file is read as `{}`. Throws a `Failure` that lists the faults of the file. */
export async function readEaselJson(folder: string): Promise<EaselJson> {
  const { settings, faults } = await parseEaselJson(path.join(folder, "easel.json"));
  return settings ?? fail(faults.map((fault) => `easel.json: ${clean(fault)}`).join("\n"));
}
