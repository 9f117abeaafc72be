import { setImmediate as immediate } from "node:timers/promises";
import type { ImportResult } from "@easel/protocol/management";
import type { Env } from "../../env.ts";
import { attachedRecords } from "../files/transfer.ts";
import { type ImportArchive, MANIFEST, withArchive } from "./import-archive.ts";
import { codeOf } from "./import-lines.ts";
import { type Access, ImportReport } from "./transfer.ts";
import { TRANSFERS } from "./transfers.ts";

/** The number of paths that are checked in one turn of the event loop. */
const PATHS_AT_ONCE = 1_000;

/** Reports the files of an archive that belong to no part of an export. */
async function reportUnknown({ paths }: ImportArchive, report: ImportReport): Promise<void> {
  for (const [index, path] of paths.entries()) {
    if (index % PATHS_AT_ONCE === 0) await immediate();
    const isKnown = path === MANIFEST || TRANSFERS.some((transfer) => transfer.paths.test(path));
    if (!isKnown) report.skip(path.slice(0, 200), "UNKNOWN_FILE");
  }
}

/**
 * Imports an uploaded zip, part by part, with the rights of the caller, whose id is `by`. Leaves out and reports what the caller may not write and what
 * exceeds a quota. An interrupted import can be repeated, because it then finds the entries that it has imported. If `signal` aborts, stops
 * before the next batch and throws its reason. Throws 400 `INVALID_BODY` if the zip is damaged or does not have the format of an export.
 */
export const importData = (
  file: string,
  existing: ImportResult["existing"],
  by: string,
  check: Access,
  env: Env,
  signal?: AbortSignal,
): Promise<ImportResult> =>
  env.imports.run(
    by,
    (signal) =>
      withArchive(file, async (archive) => {
        const access: Access = (capability) => {
          signal.throwIfAborted();
          return check(capability);
        };
        const report = new ImportReport();
        await reportUnknown(archive, report);
        const attached = await attachedRecords(archive);
        for (const { part, capability, paths, ...transfer } of TRANSFERS) {
          if (!archive.paths.some((path) => paths.test(path))) continue;
          const refused = await access(capability).then(() => null, codeOf);
          if (refused === "CAPABILITY_DISABLED") report.skip(part, refused);
          else await transfer.import({ access, archive, report, existing, attached, env });
        }
        return { existing, imported: report.imported, skipped: report.skipped };
      }),
    signal,
  );
