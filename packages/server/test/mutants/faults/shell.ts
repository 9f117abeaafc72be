// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const ADMIN = "packages/server/src/commands/admin";
const ACTS = "packages/server/src/organisation/shell-acts.ts";
const ADMINISTRATORS = "packages/server/src/organisation/administrators.ts";
const TEST = "packages/server/test/instance/shell.test.ts";

/** Deliberate mistakes in the code of the administration from the shell. */
export const shell: Fault[] = [
  fault(
    "shell: it deactivates the last administrator",
    ADMINISTRATORS,
    "administrators.length === 1",
    "administrators.length === 0",
    TEST,
  ),
  fault(
    "shell: an administrator who has not come yet does not count",
    ADMINISTRATORS,
    "config.adminEmails.every((email) => taken.has(email))",
    "taken.size > 0",
    TEST,
  ),
  fault(
    "shell: without a terminal it does not ask",
    `${ADMIN}/admin-command.ts`,
    "if (isConfirmed) return;",
    "if (isConfirmed || ask === null) return;",
    TEST,
  ),
  fault(
    "shell: any answer is a yes",
    `${ADMIN}/admin-command.ts`,
    "/^\\s*y(es)?\\s*$/i",
    "/^\\s*(y|$)/i",
    TEST,
  ),
  fault("shell: names are printed as they are", `${ADMIN}/terminal.ts`, "row.map(printable)", "row", TEST),
  fault(
    "shell: JSON is printed as it is",
    `${ADMIN}/terminal.ts`,
    "JSON.stringify(value).replace(UNPRINTABLE, (each) =>",
    "JSON.stringify(value).replace(/\\0/g, (each) =>",
    TEST,
  ),
  fault(
    "shell: a token is recorded as made by the person",
    "packages/server/src/management/act.ts",
    "actor: recordedAs?.actor ?? user",
    "actor: user",
    TEST,
  ),
  fault(
    "shell: the audit log does not say who used it, and for whom",
    "packages/server/src/management/act.ts",
    "{ ...noted, ...recordedAs.details }",
    "{ ...noted }",
    TEST,
  ),
  fault(
    "shell: it writes beside a restore",
    "packages/server/src/drivers/db/sqlite-lock.ts",
    'if (besideService && holder?.use === "service") break;',
    "if (besideService) break;",
    TEST,
  ),
  fault(
    "shell: it writes beside a restore of PostgreSQL",
    "packages/server/src/instance/one-writer.ts",
    "if (isPostgres(config.databaseUrl)) await db.exclusively(async () => {});",
    "",
    "packages/server/test/instance/one-writer.test.ts",
  ),
  fault(
    "shell: it does not write beside a service",
    "packages/server/src/service.ts",
    'HAND_OVER_MS, "service")',
    'HAND_OVER_MS, "command")',
    "packages/server/test/instance/one-writer.test.ts",
  ),
  fault(
    "shell: it works on the database of an older release",
    "packages/server/src/open-instance.ts",
    "  if (pending.length > 0) {",
    "  if (pending.length > 1) {",
    TEST,
  ),
  fault(
    "shell: it works on a database that was copied away",
    "packages/server/src/open-instance.ts",
    "if (state !== null) requireUsed(state, place);",
    "",
    TEST,
  ),
  fault(
    "shell: it works on a database that a restore replaces",
    `${ADMIN}/shell.ts`,
    "if (await isRestoring(config))",
    "if (await isRestoring({ ...config, dataDir: '', databaseUrl: 'sqlite:/none/x' }))",
    TEST,
  ),
  fault(
    "shell: open connections are not rechecked",
    ACTS,
    "await announceAccess({ people: found.flatMap(({ target }) => target ?? []) }, env);",
    "",
    TEST,
  ),
  fault("shell: every node writes the lines", ACTS, "oldest.id === lease.id", "oldest.id !== ''", TEST),
  fault("shell: the lines are written again and again", ACTS, "!known.has(id)", "id !== ''", TEST),
  fault(
    "shell: the service does not look for what it has done",
    "packages/server/src/service.ts",
    "const stopShellActs = await startShellActs(env);",
    "const stopShellActs = () => {};",
    TEST,
  ),
  fault(
    "shell: a deactivated person gets a token",
    `${ADMIN}/token.ts`,
    "if (person === null)",
    "if (person === undefined)",
    TEST,
  ),
];
