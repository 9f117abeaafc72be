// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const ACTIVITY = "packages/server/src/management/activity.ts";
const AUDIT = "packages/server/src/organisation/audit.ts";
const TEST = "packages/server/test/management/management-activity.test.ts";

const SCREEN = "packages/dashboard/src/screens/activity";
const MESSAGE = `${SCREEN}/assistant.ts`;
const MESSAGE_TEST = `${SCREEN}/assistant.test.ts`;
const HINTS = `${SCREEN}/policy-hints.ts`;

/** Faults of the activity of a canvas, which shows the audit log to people who may not know all those in it. */
export const activity: Fault[] = [
  fault(
    "activity: details that no act shows",
    ACTIVITY,
    "filter(([name]) => fields.includes(name))",
    "filter(() => fields.length > 0)",
    TEST,
  ),
  fault(
    "activity: the addresses of those with whom a canvas was shared",
    ACTIVITY,
    "{ people: numbersOf(given.people) }",
    "{ people: given.people }",
    TEST,
  ),
  fault(
    "activity: the address of a new owner",
    ACTIVITY,
    '"canvas.transfer": { ...only(), target: "person" }',
    '"canvas.transfer": { ...only(), target: "as it is" }',
    TEST,
  ),
  fault("activity: names that are addresses", ACTIVITY, " || normalEmail(name) !== null", "", TEST),
  fault(
    "activity: administrators have a name",
    ACTIVITY,
    "actor: byAdministrator ? null : {",
    "actor: {",
    TEST,
  ),
  fault("activity: acts that are not shown", ACTIVITY, "rows.filter(isShown)", "rows as ShownRow[]", TEST),
  fault(
    "activity: the entries of other canvases",
    AUDIT,
    "where canvas_id = ${canvas} and act = ${act} and id",
    "where act = ${act} and id",
    TEST,
  ),
  fault("activity: viewers read it", ACTIVITY, 'allow: "editor"', 'allow: "viewer"', TEST),
  fault(
    "activity: a page adds lines of its own to the message for an assistant",
    MESSAGE,
    '.replace(/[\\p{Cc}\\p{Zl}\\p{Zp}]+/gu, " ")',
    "",
    MESSAGE_TEST,
  ),
  fault(
    "activity: the message for an assistant names people",
    MESSAGE,
    "`Caller: ${callerOf(call, { owner })}`",
    "`Caller: ${call.userName}`",
    MESSAGE_TEST,
  ),
  fault(
    "activity: the hint says who may do something else",
    HINTS,
    'if (last === "increment") return "increment";',
    'if (last === "increment") return "create";',
    `${SCREEN}/policy-hints.test.ts`,
  ),
  fault(
    "activity: somebody who follows goes on asking while the page is hidden",
    `${SCREEN}/pause.ts`,
    "if (document.hidden && !signal.aborted) return;",
    "if (signal.aborted === null) return;",
    `${SCREEN}/pause.test.ts`,
  ),
];
