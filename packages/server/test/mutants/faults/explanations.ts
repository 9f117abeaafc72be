import { type Fault, fault } from "../fault.ts";

const SUBJECT = "packages/server/src/management/access-subject.ts";
const ACCESS = "packages/server/src/management/access.ts";
const EXPLAIN = "packages/server/src/pipeline/explain.ts";
const TEST = "packages/server/test/management/management-explain.test.ts";
const MATRIX = "packages/server/test/pipeline/explained-matrix.test.ts";

/** Faults of the explanations of access: what they reveal, and where they could differ from what happens. */
export const explanations: Fault[] = [
  fault(
    "explanations: an editor learns who of another organisation has an account",
    SUBJECT,
    "isShown || listings.length > 0 ? row : undefined",
    "row",
    TEST,
  ),
  fault(
    "explanations: a person in a hidden team is named",
    SUBJECT,
    "(isShown && known?.name)",
    "known?.name",
    TEST,
  ),
  fault(
    "explanations: a hidden team is named",
    SUBJECT,
    "visible.includes(team.id) ? team.name : undefined",
    "team.name",
    TEST,
  ),
  fault(
    "explanations: an editor learns of invitations to other canvases",
    SUBJECT,
    "!isAdministrator && row.invite_canvas !== canvasId",
    "false",
    TEST,
  ),
  fault(
    "explanations: everyone is a colleague",
    "packages/server/src/organisation/orgs.ts",
    "domain === null || domain === domainOf(other)",
    "true",
    TEST,
  ),
  fault(
    "explanations: deactivated people can sign in",
    SUBJECT,
    "row !== undefined && row.deactivated_at !== null",
    "false",
    TEST,
  ),
  fault(
    "explanations: addresses of every domain can sign in",
    SUBJECT,
    "normalEmail(email, config.allowedEmailDomains) === null",
    "false",
    TEST,
  ),
  fault(
    "explanations: rights that another rule than the password withholds",
    ACCESS,
    "role !== null && apiAfterPassword",
    "role !== null",
    MATRIX,
  ),
  fault(
    "explanations: no rights behind the password",
    EXPLAIN,
    "apiAfterPassword: climb(facts, true, env).api",
    "apiAfterPassword: climb(facts, gateOpen, env).api",
    TEST,
  ),
  fault(
    "explanations: pages are refused as the API is",
    EXPLAIN,
    "gateOpen, openToVisitors: true, env",
    "gateOpen, openToVisitors: false, env",
    MATRIX,
  ),
  fault(
    "explanations: a rule is reached although all is refused",
    EXPLAIN,
    "surfaces.filter((surface) => result[surface])",
    "surfaces",
    MATRIX,
  ),
  fault("explanations: a draft has a page", EXPLAIN, "publishedVersion(canvas) === null", "false", MATRIX),
  fault(
    "explanations: a backend that is off answers",
    EXPLAIN,
    'whyOff("identity", canvas, env) !== null',
    "false",
    MATRIX,
  ),
  fault(
    "explanations: nobody has to sign in",
    EXPLAIN,
    'principal.kind === "visitor" && !admitsAnonymous(canvas, now)',
    "false",
    MATRIX,
  ),
  fault(
    "explanations: easel asks about the member instead of the guest",
    "packages/cli/src/canvas/explain.ts",
    "options.guest\n",
    "false\n",
    "packages/cli/test/explain-command.test.ts",
  ),
  fault(
    "explanations: easel shows no reason of a refusal in full",
    "packages/cli/src/canvas/explain.ts",
    "[verdictOf(explained), ...refused]",
    "[verdictOf(explained)]",
    "packages/cli/test/explain-command.test.ts",
  ),
];
