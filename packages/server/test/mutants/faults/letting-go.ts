// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const CREDENTIALS = "packages/server/src/management/admin/credentials.ts";
const SIGN_OUT = "packages/server/src/identity/sign-out.ts";
const GUESTS = "packages/server/src/identity/guests.ts";
const VALIDITY = "packages/server/test/identity/validity.test.ts";
const AGES = "packages/server/src/identity/token-ages.ts";
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
    "letting go: a common password opens a canvas",
    "packages/server/src/canvases/publishing/canvas-schemas.ts",
    "!isCommonPassword(given)",
    "given !== isCommonPassword.name",
    "packages/server/test/canvases/sharing-rungs.test.ts",
  ),
];
