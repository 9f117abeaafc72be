import { existsSync } from "node:fs";
import path from "node:path";
import { LIMITS } from "@easel/protocol/limits";
import type { Context } from "../context.ts";
import { readFolder } from "../deploy/folder.ts";
import { readEaselJson } from "../project/easel-json.ts";
import { readProject } from "../project/project.ts";
import { clean } from "../terminal/clean.ts";
import { count, formatBytes } from "../terminal/format.ts";
import { type Finding, fault, faultOf, ok, warning } from "./finding.ts";

async function checkFiles(folder: string): Promise<Finding[]> {
  const { files, leftOut, warnings } = await readFolder(folder);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const most = LIMITS.bundleUnpackedBytes.value;
  const size = `${count(files.length, "file")}, ${formatBytes(bytes)}`;
  return [
    bytes > most
      ? fault("folder", `${size}; a canvas may have ${formatBytes(most)}.`, "Remove what it does not need.")
      : ok("folder", `${size}${leftOut.length > 0 ? `; ${leftOut.length} left out` : ""}.`),
    ...warnings.map((text) => warning("folder", clean(text), "See `easel deploy --dry-run`.")),
  ];
}

/** Checks the working directory, if it is the folder of a canvas: `easel.json`, the files, and what was deployed last. */
export async function checkFolder({ cwd }: Context): Promise<Finding[]> {
  if (!["index.html", "easel.json", ".easel"].some((name) => existsSync(path.join(cwd, name))))
    return [ok("folder", "The working directory has no canvas; nothing of it is checked.")];
  const checks: [check: string, run: () => Promise<Finding[]>][] = [
    ["easel.json", async () => [await readEaselJson(cwd).then(() => ok("easel.json", "It has no faults."))]],
    ["folder", () => checkFiles(cwd)],
    [
      "project",
      async () => {
        const project = await readProject(cwd);
        const text =
          project === undefined ? "Never deployed" : `Deployed to ${project.url} as ${project.slug}`;
        return [ok("project", `${clean(text)}.`)];
      },
    ],
  ];
  const found = await Promise.all(
    checks.map(([check, run]) => run().catch((error) => [faultOf(check, error, "Correct it.")])),
  );
  return found.flat();
}
