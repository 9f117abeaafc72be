import { ERRORS } from "@easel/protocol/errors";
import type { AuthoredCanvas } from "@easel/protocol/types";
import type { z } from "zod";
import { announceAccess } from "../../canvases/open-connections.ts";
import { createCanvas, homeOfNew, missingHome } from "../../canvases/publishing/create.ts";
import { publishStored, storeBundle } from "../../canvases/publishing/deploy.ts";
import type { ManagedRow } from "../../canvases/store.ts";
import { discardVersion } from "../../canvases/version-files.ts";
import { authoredViews, unsharedView } from "../../canvases/view.ts";
import { type Sql, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { auditEntry, type NewAuditEntry, writeAudit } from "../../organisation/audit.ts";
import type { RuntimeCaller } from "../primitive.ts";
import { authoringQuotas, managedBy, requireRoom, requireSharing, storedAccess } from "./author.ts";
import type { NewCanvasFields } from "./form.ts";

/** A change to a canvas, as the audit log records it. `target` is the id of the deployed version. */
interface Change {
  act: "authoring.create" | "authoring.update" | "authoring.deploy" | "authoring.revoke";
  canvas: string;
  target?: string;
  /** Further facts for the audit log. Contains no secrets. */
  details?: object;
}

/** Returns the entry of the audit log that records a change to a canvas by a page. */
const entryOf = (
  { user, address, canvas: page }: RuntimeCaller,
  { act, canvas, target, details }: Change,
): NewAuditEntry => ({
  actor: user,
  address,
  act,
  canvas,
  target: target ?? null,
  details: { ...details, page: page.id },
});

/** Records a change to a canvas in the audit log, and announces it so that the access of open connections to the canvas is rechecked. */
export async function recordChange(caller: RuntimeCaller, change: Change, env: Env): Promise<void> {
  await announceAccess({ canvas: change.canvas }, env);
  await writeAudit(entryOf(caller, change), env);
}

/** Converts a database row to the canvas that the API returns. */
export async function viewOf(row: ManagedRow, env: Env): Promise<AuthoredCanvas> {
  const [canvas] = await authoredViews([row], env);
  return canvas as AuthoredCanvas;
}

/** Reads a canvas that the caller manages, as the API returns it. Throws 404 `NOT_FOUND` for any other canvas. */
export const currentCanvas = async (caller: RuntimeCaller, id: string, env: Env): Promise<AuthoredCanvas> =>
  viewOf(await managedBy(caller, id, env), env);

/**
 * A deploy of a page: `file` is the path of the bundle, and `caller` is the person who deploys it. `revokedAt` is when the canvas was revoked
 * before the deploy (epoch milliseconds), or null.
 */
interface Deploy {
  canvasId: string;
  caller: RuntimeCaller;
  file: string;
  revokedAt: number | null;
  /** Stops the deploy before it is published. */
  signal: AbortSignal;
}

/** The response to a failed deploy: its error code, and a function that returns its further fields. */
export interface Failure {
  code: "PUBLISH_FAILED" | "UPDATE_PARTIAL";
  fields(): Promise<object>;
}

/**
 * Throws 502 in place of the error of a failed deploy. If the error is a `Refusal`, the new message includes its message; any other error
 * is logged.
 */
async function fail(error: unknown, { code, fields }: Failure, { log }: Env): Promise<never> {
  const { message } = ERRORS[code];
  const given = await fields();
  if (error instanceof Refusal) return refuse(code, { ...given, message: `${message} ${error.message}` });
  log.error({ err: error }, "a deploy from a page failed");
  return refuse(code, { ...given });
}

/** Builds the SQL step that rolls back its batch if the canvas has been revoked since `revokedAt` was read. */
const notRevoked = ({ canvasId, revokedAt }: Deploy): Sql => sql`
  update canvases set title = title where id = ${canvasId} and (revoked_at is null or revoked_at = ${revokedAt})`;

/** Throws 409 `SHARE_REVOKED` if a canvas has been revoked since `revokedAt` was read. */
async function requireNotRevoked({ canvasId, revokedAt }: Deploy, { db }: Env): Promise<void> {
  const row = await db.get<{ revoked_at: number | null }>`
    select revoked_at from canvases where id = ${canvasId}`;
  const now = row?.revoked_at ?? null;
  if (now !== null && now !== revokedAt)
    refuse("SHARE_REVOKED", { message: "The canvas was revoked meanwhile." });
}

/**
 * Stores a bundle as a version of a canvas, calls `recheck`, and publishes the version, which is recorded in the audit log in the same batch.
 * `recheck` throws if the caller may no longer deploy. If it throws, or the canvas was revoked meanwhile, discards the version and throws.
 */
export async function deployBundle(
  deploy: Deploy,
  recheck: () => Promise<unknown>,
  failure: Failure,
  env: Env,
): Promise<void> {
  const { canvasId, caller, file, signal } = deploy;
  const failed = (error: unknown) => fail(error, failure, env);
  const { version } = await storeBundle(canvasId, caller.user.id, file, env, signal).catch(failed);
  try {
    await recheck();
  } catch (error) {
    await discardVersion(version, env);
    throw error;
  }
  const entry = entryOf(caller, { act: "authoring.deploy", canvas: canvasId, target: version.id });
  const recorded = auditEntry(entry, env);
  const conditions = [notRevoked(deploy), recorded.statement];
  await publishStored(version, env, conditions).catch(async (error) => {
    await requireNotRevoked(deploy, env).catch(failed);
    return failed(error);
  });
  recorded.log();
  await announceAccess({ canvas: canvasId }, env);
}

/** The fields of a new canvas as a page sends them, with the hash of the password instead of the password. */
export type GivenCanvas = Omit<z.output<typeof NewCanvasFields>, "password"> & {
  passwordHash: string | null;
};

/**
 * Creates a canvas with its settings as a draft, counts it against the quotas of its owner and records it in the audit log, in one batch. Throws without writing
 * anything if a setting is not allowed, a quota is used up, or the queue of deploys is full.
 */
async function create(
  caller: RuntimeCaller,
  given: GivenCanvas,
  env: Env,
): Promise<{ id: string; slug: string }> {
  const { user, canvas } = caller;
  const { title, slug, tags, access: rung, expiresAt = null, metadata = null, passwordHash } = given;
  const access = storedAccess(rung);
  const org = await homeOfNew(user, given.orgId, env);
  const target = { id: "", owner_id: user.id, owner_email: user.email, org_id: org, role: "owner" as const };
  if (access === "whole_org") await missingHome(target, env);
  await requireSharing(
    target,
    { user },
    { access, hasPassword: passwordHash !== null, expiresAt },
    given,
    env,
  );
  await requireRoom(user.id, env);
  env.deploys.requireRoom(user.id);
  const facts = { title, tags, access: rung, expiresAt: given.expiresAt, password: passwordHash !== null };
  let recorded: ReturnType<typeof auditEntry> | undefined;
  const settings = {
    record({ id, slug }: { id: string; slug: string }) {
      const entry = { act: "authoring.create", canvas: id, details: { slug, ...facts } } as const;
      recorded = auditEntry(entryOf(caller, entry), env);
      return recorded.statement;
    },
    from: canvas.id,
    access,
    passwordHash,
    expiresAt,
    metadata,
    ...authoringQuotas(user.id, env),
  };
  const created = await createCanvas(user, { title, slug, tags, orgId: org ?? undefined }, env, settings);
  recorded?.log();
  return created;
}

/**
 * Creates a canvas that the caller owns, and publishes the bundle in `file` on it (specification 4.8). If the deploy fails, throws 502
 * `PUBLISH_FAILED` with the `id` of the canvas, which remains a draft.
 */
export async function publishCanvas(
  caller: RuntimeCaller,
  given: GivenCanvas,
  file: string,
  signal: AbortSignal,
  env: Env,
): Promise<AuthoredCanvas> {
  const { id } = await create(caller, given, env);
  const failure = { code: "PUBLISH_FAILED" as const, fields: async () => ({ id }) };
  await deployBundle({ canvasId: id, caller, file, revokedAt: null, signal }, async () => {}, failure, env);
  return unsharedView(await managedBy(caller, id, env), env);
}
