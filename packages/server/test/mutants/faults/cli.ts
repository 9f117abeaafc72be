import { type Fault, fault } from "../fault.ts";

const UNTRUSTED = "packages/cli/test/untrusted-folder.test.ts";

/** Faults of the command line. */
export const cli: Fault[] = [
  fault(
    "cli: files are read and written through links of the folder",
    "packages/cli/src/project/untrusted-file.ts",
    "kind !== undefined && kind !== expected",
    'kind === "other"',
    UNTRUSTED,
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
