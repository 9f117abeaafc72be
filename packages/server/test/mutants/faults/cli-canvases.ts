// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const PULL = "packages/cli/test/pull-command.test.ts";
const PORTABLE = "packages/cli/src/project/portable-path.test.ts";
const COMMANDS = "packages/cli/test/canvas-commands.test.ts";
const SHARE = "packages/cli/test/share-commands.test.ts";
const FOLLOW = "packages/cli/test/logs-follow.test.ts";

/** Faults of the commands that manage canvases: pull, versions, sharing, logs, delete and restore. */
export const cliCanvases: Fault[] = [
  fault(
    "cli: pull writes dot files, such as hooks of git",
    "packages/cli/src/project/portable-path.ts",
    ".some(hasDotFile)",
    ".every(() => false)",
    PORTABLE,
  ),
  fault(
    "cli: pull writes .git as macOS spells it",
    "packages/cli/src/project/portable-path.ts",
    '[path, path.replace(IGNORED, "")]',
    "[path]",
    PULL,
  ),
  fault(
    "cli: pull writes .git by its short name on Windows",
    "packages/cli/src/project/portable-path.ts",
    "SHORT.test(name)",
    "false",
    PULL,
  ),
  fault(
    "cli: pull writes through a link to a folder",
    "packages/cli/src/pull/unpack.ts",
    "found === undefined || found.isDirectory()",
    "found === undefined || found.isDirectory() || found.isSymbolicLink()",
    PULL,
  ),
  fault(
    "cli: pull writes through a link to a file",
    "packages/cli/src/pull/unpack.ts",
    'createWriteStream(draft, { flags: "wx" }), { signal });\n    await rename(draft, target);',
    "createWriteStream(target), { signal });",
    PULL,
  ),
  fault(
    "cli: pull overwrites without --force",
    "packages/cli/src/pull/unpack.ts",
    "different.length > 0 && !force",
    "different.length > 0 && force === undefined",
    PULL,
  ),
  fault(
    "cli: pull does not remember the version",
    "packages/cli/src/pull/pull.ts",
    "await writeProject(folder, { url: service.url, canvasId: id, slug, version });",
    "",
    PULL,
  ),
  fault(
    "cli: a rollback makes the next deploy a conflict",
    "packages/cli/src/canvas/rollback.ts",
    "await writeProject(cwd, { ...project, version });",
    "{}",
    COMMANDS,
  ),
  fault(
    "cli: delete accepts any answer",
    "packages/cli/src/canvas/delete.ts",
    "typed.trim() !== slug",
    'typed.trim() === ""',
    COMMANDS,
  ),
  fault(
    "cli: share drops the people that are listed already",
    "packages/cli/src/canvas/share.ts",
    "new Map<string, Entry>(people.map((entry) => [entry.email, entry]))",
    "new Map<string, Entry>(people.slice(people.length).map((entry) => [entry.email, entry]))",
    SHARE,
  ),
  fault(
    "cli: two different passwords are accepted",
    "packages/cli/src/canvas/password.ts",
    "given === again ? given",
    "again !== null ? given",
    SHARE,
  ),
  fault(
    "cli: logs prints the same calls again",
    "packages/cli/src/canvas/logs.ts",
    "      print(page, terminal);\n      after = page.next;",
    "      print(page, terminal);",
    FOLLOW,
  ),
  fault(
    "cli: logs ends at a broken line",
    "packages/cli/src/canvas/logs.ts",
    "if (signal.aborted || !isTemporary(error)) throw error;",
    "throw error;",
    FOLLOW,
  ),
  fault(
    "cli: the slug that a service sends leads out of the working directory",
    "packages/cli/src/pull/pull.ts",
    "if (!isHere && !isAllowedSlug(slug))",
    "if (!isHere && isAllowedSlug(`../${slug}`))",
    PULL,
  ),
  fault(
    "cli: pull mixes two canvases in one folder",
    "packages/cli/src/pull/pull.ts",
    "project !== undefined && !isOf(project) && !force",
    "project !== undefined && !isOf(project) && force === undefined",
    PULL,
  ),
  fault(
    "easel rollback: goes back to a version that was never published",
    "packages/cli/src/canvas/rollback.ts",
    ".find(({ published }) => published !== false)",
    "[0]",
    "packages/cli/test/deploy-command.test.ts",
  ),
  fault(
    "easel deploy: a version that is only stored changes the settings of the canvas",
    "packages/cli/src/deploy/deploy.ts",
    "if (publish || isFirst)",
    "",
    "packages/cli/test/deploy-command.test.ts",
  ),
  fault(
    "easel deploy: --no-publish publishes",
    "packages/cli/src/deploy/staging.ts",
    "const init = publish\n",
    "const init = publish || !publish\n",
    "packages/cli/test/deploy-command.test.ts",
  ),
];
