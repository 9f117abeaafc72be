import { type Fault, fault } from "../fault.ts";

const FOLDER_CANVAS = "packages/cli/test/folder-canvas.test.ts";
const HOSTILE = "packages/cli/test/hostile-texts.test.ts";
const UNTRUSTED = "packages/cli/test/untrusted-folder.test.ts";

/** Faults of the command line. */
export const cli: Fault[] = [
  fault(
    "cli: files are read and written through links of the folder",
    "packages/cli/src/project/files.ts",
    "kind !== undefined && kind !== expected",
    'kind === "other"',
    UNTRUSTED,
  ),
  fault(
    "deploy: a clone replaces the canvas that it names",
    "packages/cli/src/deploy/deploy.ts",
    "if (found !== undefined && !isKnown &&",
    "if (found !== undefined && !isKnown && found.version === null &&",
    FOLDER_CANVAS,
  ),
  fault(
    "cli: a command acts on the canvas that a clone names",
    "packages/cli/src/api/find-canvas.ts",
    "canvas !== undefined && !own?.isAgreed",
    "canvas !== undefined && own?.isAgreed === undefined",
    FOLDER_CANVAS,
  ),
  fault(
    "deploy: --slug leads to the canvas whose id the folder has",
    "packages/cli/src/deploy/target.ts",
    "known?.slug !== slug || !known.isAgreed",
    "known?.slug !== slug",
    FOLDER_CANVAS,
  ),
  fault(
    "deploy: the same files make a version again",
    "packages/cli/src/deploy/deploy.ts",
    "changes !== undefined && isUnchanged(changes)",
    "changes === undefined",
    "packages/cli/test/deploy-command.test.ts",
  ),
  fault(
    "deploy: the version null expects nothing",
    "packages/cli/src/deploy/deploy.ts",
    "project?.version === undefined ? canvas.version : project.version",
    "project?.version ?? canvas.version",
    FOLDER_CANVAS,
  ),
  fault(
    "cli: control characters reach the terminal",
    "packages/cli/src/terminal/terminal.ts",
    "const shown = (text: string) => cleanLines(text)",
    "const shown = (text: string) => text",
    HOSTILE,
  ),
  fault(
    "cli: stored values control the terminal",
    "packages/cli/src/terminal/terminal.ts",
    "isTerminal ? texts() : chunks",
    "chunks",
    HOSTILE,
  ),
  fault(
    "cli: an export is written where the service says",
    "packages/cli/src/canvas-data/export-data.ts",
    'isSlug(slug) ? slug : "canvas"',
    "slug",
    HOSTILE,
  ),
  fault(
    "cli: an export replaces a file",
    "packages/cli/src/canvas-data/export-data.ts",
    "  await reserve(file, force);\n",
    "",
    "packages/cli/test/data-commands.test.ts",
  ),
  fault(
    "cli: a stored token goes to an http address of another computer",
    "packages/cli/src/api/service.ts",
    "  requireEncryption(url);\n",
    "",
    UNTRUSTED,
  ),
  fault(
    "deploy: a first deploy that fails leaves its canvas",
    "packages/cli/src/deploy/deploy.ts",
    "if (found === undefined) await discard(canvas, service, context);",
    "",
    "packages/cli/test/deploy-command.test.ts",
  ),
  fault(
    "deploy: a later deploy turns on capabilities that the owner has turned off",
    "packages/cli/src/deploy/settings.ts",
    "if (!enable && !yes && !(terminal.ask.possible && (await terminal.ask.confirm(question))))",
    "if (off.length === 0)",
    "packages/cli/test/deploy-settings.test.ts",
  ),
  fault(
    "deploy: a faulty easel.json is deployed",
    "packages/cli/src/project/easel-json.ts",
    "faults.length > 0 ? null",
    "faults.length > 99 ? null",
    "packages/cli/test/deploy-settings.test.ts",
  ),
  fault(
    "cli: EASEL_TOKEN goes to the service that a folder names",
    "packages/cli/src/api/service.ts",
    'if (source === "EASEL_TOKEN" && !isNamed',
    'if (source === "EASEL_TOKEN" && isNamed',
    "packages/cli/test/deploy-settings.test.ts",
  ),
];
