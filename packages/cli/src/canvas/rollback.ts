import type { Version } from "@easel/protocol/types";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import { bodyOf } from "../api/service.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { readProject, writeProject } from "../project/project.ts";
import { clean } from "../terminal/clean.ts";
import { describe, pickVersion, readVersions } from "./versions.ts";

/**
 * Returns the version that was deployed before the published one. If none is published, returns the newest. Passes over versions that have
 * never been published.
 */
function previousOf(versions: Version[]): Version {
  const current = versions.findIndex((each) => each.current);
  return (
    versions.slice(current + 1).find(({ published }) => published !== false) ??
    fail("There is no version before the published one.", { hint: "`easel versions` lists the versions." })
  );
}

/** Publishes another version of a canvas: the given one, or the one before the published one. Prints the address. */
export async function rollback(
  given: string | undefined,
  options: CanvasOptions & { yes?: boolean },
  context: Context,
): Promise<void> {
  const { terminal, cwd } = context;
  const { service, canvas } = await findCanvas(options, context);
  const versions = await readVersions(canvas.id, service);
  const current = versions.find((each) => each.current);
  const target = given === undefined ? previousOf(versions) : pickVersion(versions, given);
  if (target.id === current?.id) fail("This version is published already.");
  const instead = current === undefined ? "" : `, instead of ${describe(current)}`;
  terminal.say(`Publishing ${describe(target)}${instead}.`);
  if (terminal.ask.possible && !options.yes) {
    const agreed = await terminal.ask.confirm({ message: "Publish it?", flag: "--yes", initial: true });
    if (!agreed) fail("Nothing was changed.");
  }
  const path = { id: canvas.id, version: target.id };
  const { url, id, slug, version } = await bodyOf(
    service.api.POST("/api/canvases/{id}/versions/{version}/publish", { params: { path } }),
  );
  // Stores the version in the folder, so that the next deploy does not report it as a conflict.
  const project = await readProject(cwd);
  if (project?.url === service.url && project.canvasId === id)
    await writeProject(cwd, { ...project, version });
  terminal.result({ url, id, slug, version, previous: current?.id ?? null }, () => `${clean(url)}\n`);
}
