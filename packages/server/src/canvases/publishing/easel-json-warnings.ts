import type { BundleFile } from "./bundle.ts";
import { faultsOf } from "./easel-json.ts";

/** The maximum length of an `easel.json` that is read, in bytes. */
const MAX_BYTES = 64 * 1024;
/** The maximum number of faults of `easel.json` that a response lists. */
const MAX_FAULTS = 10;

/**
 * Returns a warning for each fault in the file `easel.json` of a bundle. A deploy only checks this file and does not apply its settings.
 * Throws if the file cannot be read.
 */
export async function easelJsonWarnings(files: BundleFile[]): Promise<string[]> {
  const file = files.find(({ path }) => path === "easel.json");
  if (file === undefined) return [];
  if (file.size > MAX_BYTES) return ["`easel.json` is larger than 64 KiB."];
  const text = Buffer.concat(await Array.fromAsync(await file.open())).toString("utf8");
  const faults = faultsOf(text);
  const shown = faults.slice(0, MAX_FAULTS).map((fault) => `\`easel.json\`: ${fault}`);
  return faults.length > MAX_FAULTS ? [...shown, "`easel.json` has more faults."] : shown;
}
