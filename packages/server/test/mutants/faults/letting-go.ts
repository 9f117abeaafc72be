// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const CREDENTIALS = "packages/server/src/management/admin/credentials.ts";
const SIGN_OUT = "packages/server/src/identity/sign-out.ts";
const GUESTS = "packages/server/src/identity/guests.ts";
const VALIDITY = "packages/server/test/identity/validity.test.ts";
const AGES = "packages/server/src/identity/token-ages.ts";
const DATA_TEST = "packages/server/test/management/admin-personal-data.test.ts";
const ROWS = "packages/server/src/organisation/person-rows.ts";
const ERASURE = "packages/server/src/organisation/erasure.ts";
const TEST = "packages/server/test/management/admin-credentials.test.ts";

/** Deliberate mistakes in the code by which administrators end what lets people in. */
export const lettingGo: Fault[] = [
  fault(
    "letting go: an administrator takes a canvas like any other change of owner",
    "packages/server/src/management/admin/canvases.ts",
    "if (to === user.email)",
    "if (to === id)",
    TEST,
  ),
  fault(
    "letting go: a handover to oneself is recorded like any other",
    "packages/server/src/organisation/handover.ts",
    'to.id === by.actor.id ? "canvas.take"',
    'to.id === from.id ? "canvas.take"',
    TEST,
  ),
  fault(
    "letting go: one session stands for all sessions of the person",
    CREDENTIALS,
    "session === undefined\n          ? await",
    "session !== undefined\n          ? await",
    TEST,
  ),
  fault(
    "letting go: guests of others end, too",
    GUESTS,
    "where created_by = ${userId} and revoked_at is null and (cast",
    "where created_by is not null and revoked_at is null and (cast",
    TEST,
  ),
  fault(
    "letting go: the sessions of guests go on",
    GUESTS,
    "select id from invites where created_by = ${userId} and revoked_at is not null",
    "select id from invites where created_by = ${userId} and revoked_at is null",
    TEST,
  ),
  fault(
    "letting go: everyone but the caller keeps their session",
    SIGN_OUT,
    'id <> ${kept ?? ""}',
    'id = ${kept ?? ""}',
    TEST,
  ),
  fault(
    "letting go: tokens end although only sessions were to",
    SIGN_OUT,
    "if (tokens) await",
    "if (!tokens) await",
    TEST,
  ),
  fault(
    "letting go: a person who was added deactivated signs in",
    "packages/server/src/organisation/user-details.ts",
    "${deactivated ? now : null}",
    "${deactivated ? null : null}",
    TEST,
  ),
  fault(
    "letting go: the link of an invitation never ends",
    GUESTS,
    "sql`> ${clock()}`",
    "sql`<> ${clock()}`",
    VALIDITY,
  ),
  fault(
    "letting go: a revoked invitation gets another link",
    GUESTS,
    "invites.canvas_id = ${canvasId} and invites.revoked_at is null",
    "invites.canvas_id = ${canvasId}",
    VALIDITY,
  ),
  fault(
    "letting go: an owner makes links for guests of other canvases",
    GUESTS,
    "id = ${id} and invites.canvas_id = ${canvasId} and",
    "id = ${id} and",
    VALIDITY,
  ),
  fault(
    "letting go: another link for a guest leaves the former one valid, or does not work",
    GUESTS,
    "update invites set token_hash = ${tokenHash(token)}, link",
    "update invites set link",
    VALIDITY,
  ),
  fault(
    "letting go: an invitation may be valid for longer than the settings say",
    "packages/server/src/management/sharing.ts",
    "if (linkExpiresAt > latest)",
    "if (linkExpiresAt < 0)",
    VALIDITY,
  ),
  fault(
    "letting go: a token may be valid for longer than the settings say",
    "packages/server/src/management/tokens.ts",
    "asked !== null && latest !== null && asked > latest",
    "asked !== null && latest !== null && asked < 0",
    VALIDITY,
  ),
  fault(
    "letting go: a token without an end is valid for ever",
    "packages/server/src/management/tokens.ts",
    "expiresAt: asked ?? latest",
    "expiresAt: asked",
    VALIDITY,
  ),
  fault(
    "letting go: tokens that were made before a limit have no end",
    AGES,
    "where (expires_at is null or expires_at > created_at",
    "where (expires_at > created_at",
    VALIDITY,
  ),
  fault(
    "names: a name that nobody sees is one",
    "packages/server/src/http/visible-name.ts",
    "\\p{Zp}\\u2800",
    "\\p{Zp}",
    "packages/server/src/http/visible-name.test.ts",
  ),
  fault(
    "names: a name turns the direction of the text around it",
    "packages/server/src/http/visible-name.ts",
    "|\\ufe0f)\\p{Default_Ignorable_Code_Point}",
    "|\\ufe0f)\\u200b",
    "packages/server/src/http/visible-name.test.ts",
  ),
  fault(
    "letting go: a common password opens a canvas",
    "packages/server/src/canvases/publishing/canvas-schemas.ts",
    "!isCommonPassword(given)",
    "given !== isCommonPassword.name",
    "packages/server/test/canvases/sharing-rungs.test.ts",
  ),
  fault(
    "personal data: an export has the keys of everybody",
    ROWS,
    "`${column} = ?${where",
    "`${column} >= ?${where",
    DATA_TEST,
  ),
  fault(
    "personal data: a row that names somebody twice is exported twice",
    ROWS,
    "keys.slice(0, at)",
    "keys.slice(at, at)",
    DATA_TEST,
  ),
  fault(
    "personal data: a token exports what a person may",
    "packages/server/src/management/admin/personal-data.ts",
    'allow: "session"',
    'allow: "members"',
    DATA_TEST,
  ),
  fault(
    "personal data: an erasure of somebody who owns something leaves it to nobody",
    "packages/server/src/management/admin/personal-data.ts",
    "if (transferTo === undefined)",
    "if (transferTo === null)",
    DATA_TEST,
  ),
  fault(
    "personal data: an erasure goes on although something could not be handed over",
    "packages/server/src/management/admin/personal-data.ts",
    "left.length > 0 || remaining > 0",
    "left.length < 0 || remaining < 0",
    DATA_TEST,
  ),
  fault(
    "personal data: what is of the person alone stays",
    ERASURE,
    'table.erased === "removed" && !isOfAddresses(name)',
    "table.erased === undefined",
    DATA_TEST,
  ),
  fault(
    "personal data: details of the audit log keep the address",
    ERASURE,
    "details = replace(details, ${own}, ${instead}),",
    "details = replace(details, ${instead}, ${own}),",
    DATA_TEST,
  ),
  fault(
    "personal data: the audit log keeps where somebody was",
    ERASURE,
    "set actor_email = ${to}, address = ''",
    "set actor_email = ${to}",
    DATA_TEST,
  ),
  fault(
    "personal data: the audit log keeps what a person did as a guest",
    ERASURE,
    "actor_email = case when actor_email = ${email} then ${to} else actor_email end",
    "actor_email = actor_email",
    DATA_TEST,
  ),
  fault(
    "personal data: an invitation keeps name and address",
    ERASURE,
    "name = ${NAME}, email = ${to}\n",
    "name = ${NAME}\n",
    DATA_TEST,
  ),
  fault(
    "personal data: an export tells who did something to the person, and what they noted",
    "packages/server/src/organisation/audit.ts",
    "views: { target: AS_TARGET },",
    "",
    DATA_TEST,
  ),
  fault(
    "personal data: an act tells its target all details",
    "packages/server/src/organisation/audit-of-person.ts",
    "names.includes(name)",
    "names.length > 0",
    DATA_TEST,
  ),
  fault(
    "personal data: an erasure forgets former addresses",
    "packages/server/src/identity/renaming.ts",
    "keepAddress(id, email, now),",
    "",
    DATA_TEST,
  ),
  fault(
    "personal data: an erasure takes what belongs to somebody who got the address since",
    "packages/server/src/identity/person-addresses.ts",
    "then 1 else 0 end as taken",
    "then 0 else 0 end as taken",
    DATA_TEST,
  ),
  fault(
    "personal data: an erased person is reactivated",
    "packages/server/src/organisation/user-details.ts",
    "where id = ${id} and erased_at is null",
    "where id = ${id}",
    DATA_TEST,
  ),
];
