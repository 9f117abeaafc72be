// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const CREDENTIALS = "packages/server/src/management/admin/credentials.ts";
const SIGN_OUT = "packages/server/src/identity/sign-out.ts";
const GUESTS = "packages/server/src/identity/guests.ts";
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
];
