// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const MAIL = "packages/server/src/mail";
const TESTS = "packages/server/test/mail";

/** Deliberate mistakes in the outbox, its turns and its limits, and in who gets a mail. */
export const mail: Fault[] = [
  fault(
    "mail: a person causes any number of mails",
    `${MAIL}/mail-queue.ts`,
    "where caused < ${MAILS_PER_DAY.causedBy}",
    "where caused < ${MAILS_PER_DAY.causedBy * 100}",
    `${TESTS}/mail.test.ts`,
  ),
  fault(
    "mail: a person causes any number of mails to one address",
    `${MAIL}/mail-queue.ts`,
    "pair < ${MAILS_PER_DAY.pair}",
    "pair < ${MAILS_PER_DAY.pair * 100}",
    `${TESTS}/mail.test.ts`,
  ),
  fault(
    "mail: strangers get mails about sharing",
    `${MAIL}/mail-queue.ts`,
    "!(isForGuest || isOfMember(recipient, env))",
    "false",
    `${TESTS}/mail.test.ts`,
  ),
  fault(
    "mail: the link of an invitation is kept",
    `${MAIL}/sender.ts`,
    "subject = '', body = '', error = ${why} where",
    "subject = '', error = ${why} where",
    `${TESTS}/mail.test.ts`,
  ),
  fault(
    "mail: a title is as many lines as it likes",
    `${MAIL}/mails.ts`,
    '.replace(/[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\s]+/gu, " ")',
    "",
    `${TESTS}/mail.test.ts`,
  ),
  fault(
    "mail: a kind that somebody has turned off is sent to them",
    `${MAIL}/mail-queue.ts`,
    "mails_off.kind = ${kind}",
    "mails_off.kind = ${id}",
    `${TESTS}/mail-switches.test.ts`,
  ),
  fault(
    "mail: the mails of one person go before those of others",
    `${MAIL}/sender.ts`,
    "          place.person = person;\n",
    "",
    `${TESTS}/mail-server.test.ts`,
  ),
  fault(
    "mail: a deactivated person still gets and causes mails",
    `${MAIL}/sender.ts`,
    "if (is_void === 1)",
    "if (is_void === 2)",
    `${TESTS}/mail-server.test.ts`,
  ),
  fault(
    "mail: a server that refuses the service loses the mails",
    `${MAIL}/sender.ts`,
    ' && command !== "MAIL FROM"',
    "",
    `${TESTS}/mail-server.test.ts`,
  ),
  fault(
    "mail: a server that hangs holds up the stop",
    `${MAIL}/sender.ts`,
    "    signal: AbortSignal.any([ended, AbortSignal.timeout(MAIL_MS)]),\n",
    "",
    `${TESTS}/mail-server.test.ts`,
  ),
  fault(
    "mail: pages of other canvases ask for access in somebody's name",
    "packages/server/src/content/forms.ts",
    " || (canvas !== null && canvas !== slug)",
    "",
    `${TESTS}/ask-access.test.ts`,
  ),
  fault(
    "mail: pages of other origins ask for access in somebody's name",
    "packages/server/src/content/ask-access.ts",
    "  requireOwnForm(visit.slug, visit.request, env);\n",
    "",
    `${TESTS}/ask-access.test.ts`,
  ),
  fault(
    "mail: a person asks for access any number of times a day",
    `${MAIL}/access-requests.ts`,
    "-${dayOf(now)}`",
    "-${now}`",
    `${TESTS}/ask-access.test.ts`,
  ),
  fault(
    "mail: asking for access has no limit",
    "packages/server/src/content/ask-access.ts",
    "if (!mayTry)",
    "if (false)",
    `${TESTS}/ask-access.test.ts`,
  ),
  fault(
    "mail: the session of a preview asks for access as its person",
    "packages/server/src/content/error-pages.ts",
    'principal.restriction === null ? await askingOf(askable, principal, env) : "off"',
    "await askingOf(askable, principal, env)",
    `${TESTS}/ask-access.test.ts`,
  ),
  fault(
    "mail: owners who want no requests get them",
    `${MAIL}/access-requests.ts`,
    'Number(row?.off) > 0 ? "off" : "open"',
    '"open"',
    `${TESTS}/ask-access.test.ts`,
  ),
  fault(
    "mail: a quota is told to people who are deactivated",
    `${MAIL}/mail-queue.ts`,
    "and (deactivated_at is not null",
    "and (false",
    `${TESTS}/notices.test.ts`,
  ),
  fault(
    "mail: a host name in a title is a link",
    `${MAIL}/mails.ts`,
    '.replace(HOST_DOT, "\\u2024")',
    "",
    `${TESTS}/mail.test.ts`,
  ),
  fault(
    "mail: two nodes send the same mail",
    `${MAIL}/sender.ts`,
    'await alone("mail", send, env, { stop });',
    "await send(stop);",
    `${TESTS}/mail-server.test.ts`,
  ),
];
