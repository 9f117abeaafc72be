// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const MCP = "packages/server/src/mcp";
const ASK = `${MCP}/confirmation/ask.ts`;
const MOUNT = `${MCP}/confirmation/confirm.ts`;
const WIDENING = `${MCP}/sharing/widening.ts`;
const ANSWERS = "packages/server/src/identity/used-tickets.ts";
const SHARE = `${MCP}/tools/share-canvas.ts`;
const DELETE = `${MCP}/tools/delete-canvas.ts`;
const WRITE = `${MCP}/tools/write-data.ts`;
const HARMLESS = `${MCP}/sharing/harmless.ts`;

const PAGE_TEST = "packages/server/test/mcp/confirmation.test.ts";
const SHARE_TEST = "packages/server/test/mcp/share-canvas.test.ts";
const DELETE_TEST = "packages/server/test/mcp/delete-canvas.test.ts";
const WRITE_TEST = "packages/server/test/mcp/write-data.test.ts";
const WIDENING_TEST = "packages/server/src/mcp/sharing/widening.test.ts";

/** Faults of what people confirm of what tools do. */
export const confirmation: Fault[] = [
  fault(
    "confirmation: an answer counts twice",
    MOUNT,
    '!(await recordAnswer(ticket, "allowed", env))',
    "false",
    PAGE_TEST,
  ),
  fault(
    "confirmation: a second answer replaces the first",
    ANSWERS,
    "where used_tickets.expires_at <=",
    "where 0 <>",
    PAGE_TEST,
  ),
  fault(
    "confirmation: what was shown does not count",
    MOUNT,
    "shownBy(proposal) !== shown",
    "false",
    PAGE_TEST,
  ),
  fault("confirmation: pages can be embedded", MOUNT, "blockEmbedding(reply);\n", "", PAGE_TEST),
  fault(
    "confirmation: programs that are no longer connected ask",
    "packages/server/src/identity/apps.ts",
    "where id = ${id} and user_id = ${user.id} and (expires_at is null or expires_at > ${clock()})`;",
    "where id = ${id} and user_id = ${user.id} and (expires_at is null or ${clock()} > 0)`;",
    PAGE_TEST,
  ),
  fault(
    "confirmation: a refusal is forgotten",
    ASK,
    'if ((await answerTo(sameQuestion(asked), env)) === "refused") return refuseForPerson();',
    "",
    PAGE_TEST,
  ),
  fault(
    "confirmation: the state of another call counts",
    ASK,
    "link === null || sameQuestion(link.asked) !== sameQuestion(asked)",
    "link === null",
    SHARE_TEST,
  ),
  fault(
    "confirmation: the state of a link can be answered by a form",
    ASK,
    "if (form === null) return refuseUntilConfirmed(linkTo(dialogue.state), done);\n    if (formFor === null || form.asked.revision !== formFor) return refuseState();",
    "if (form !== null && form.asked.revision !== formFor) return refuseState();",
    SHARE_TEST,
  ),
  fault(
    "confirmation: a form is answered for other settings",
    ASK,
    "formFor === null || form.asked.revision !== formFor",
    "formFor === null",
    SHARE_TEST,
  ),
  fault(
    "confirmation: a form is answered by any value",
    ASK,
    "answer.allow !== true",
    "!answer.allow",
    SHARE_TEST,
  ),
  fault(
    "confirmation: a form is answered twice",
    ASK,
    '(await recordAnswer(form, "allowed", env)) ? "allowed" : refuseState()',
    '"allowed"',
    SHARE_TEST,
  ),
  fault(
    "confirmation: a program asks for editors",
    HARMLESS,
    'added.some(([, role]) => role !== "viewer")',
    "false",
    SHARE_TEST,
  ),
  fault(
    "confirmation: a program asks for strangers",
    HARMLESS,
    "known.length === emails.length",
    "true",
    SHARE_TEST,
  ),
  fault(
    "confirmation: a program asks for a listing",
    HARMLESS,
    'wideningsOf(before, after).some((each) => each !== "people")',
    "false",
    SHARE_TEST,
  ),
  fault(
    "sharing: strangers are let in where questions are waived",
    SHARE,
    'need === "always" || (need === "unless waived" && app.confirms)',
    'need !== "never" && app.confirms',
    SHARE_TEST,
  ),
  fault(
    "sharing: a password is replaced",
    SHARE,
    'typeof password !== "string" || hash === null',
    "true",
    SHARE_TEST,
  ),
  fault(
    "confirmation: a refused act cannot be allowed again",
    MOUNT,
    "await withdrawAnswer(ticket, env);",
    "",
    PAGE_TEST,
  ),
  fault("sharing: roles are raised", WIDENING, "roles: lists.some(isRaised)", "roles: false", WIDENING_TEST),
  fault("sharing: guests are no strangers", WIDENING, ' || each === "guests"', "", WIDENING_TEST),
  fault(
    "sharing: a later end widens nothing",
    WIDENING,
    "end: endOf(after) > endOf(before)",
    "end: false",
    WIDENING_TEST,
  ),
  fault(
    "sharing: no password widens nothing",
    WIDENING,
    'before.password !== "none" && after.password !== before.password',
    'before.password !== "none" && after.password === "new"',
    WIDENING_TEST,
  ),
  fault(
    "sharing: a listing widens nothing",
    WIDENING,
    "LISTINGS.some((each) => after[each] && !before[each])",
    "false",
    WIDENING_TEST,
  ),
  fault(
    "sharing: what narrows at once widens, too",
    WIDENING,
    "guests: before.guests.intersection(after.guests)",
    "guests: after.guests",
    WIDENING_TEST,
  ),
  fault(
    "deletion: a canvas is opened again without a question",
    DELETE,
    'need === "always" || (need === "unless waived" && app.confirms)',
    "false",
    DELETE_TEST,
  ),
  fault(
    "deletion: the trash is open to other connections",
    `${MCP}/canvas-reference.ts`,
    "deleted !== undefined && (await isAllowed(call, deleted.id)) ? deleted : undefined",
    "deleted",
    DELETE_TEST,
  ),
  fault("deletion: editors ask", DELETE, "await requireMay(deleteAct, row.id, call);", "", DELETE_TEST),
  fault(
    "writes: what was done before a refusal is not recorded",
    WRITE,
    "await record(call, canvas, writes.slice(0, results.length));",
    "",
    WRITE_TEST,
  ),
  fault(
    "writes: the condition of a record is left out",
    WRITE,
    '{ "if-match": `"${updatedAt}"` }',
    "{}",
    WRITE_TEST,
  ),
];
