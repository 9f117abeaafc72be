import type { AuthoredCanvas } from "@easel/protocol/types";
import type { z } from "zod";
import { requireEnabled } from "../../canvases/publication-status.ts";
import type { ManagedRow } from "../../canvases/store.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import type { RuntimeCaller } from "../primitive.ts";
import { managedBy, requireAuthor, requireSharing, type SharingState, storedAccess } from "./author.ts";
import type { CanvasUpdateFields } from "./form.ts";
import { currentCanvas, deployBundle, recordChange, viewOf } from "./publish-canvas.ts";
import { saveChanges } from "./store.ts";

/**
 * The changes to a canvas as a page sends them, with the hash of the new password instead of the password. A hash of null removes the
 * password, and undefined keeps it.
 */
export type GivenUpdate = Omit<z.output<typeof CanvasUpdateFields>, "password"> & {
  passwordHash: string | null | undefined;
};

/** The maximum number of attempts to save an update while other requests change the same canvas. */
const ATTEMPTS = 20;

/** Returns the sharing settings that a canvas will have after an update. */
const resultOf = (row: ManagedRow, { access, passwordHash, expiresAt }: GivenUpdate): SharingState => ({
  access: access === undefined ? row.access : storedAccess(access),
  hasPassword: (passwordHash === undefined ? row.password_hash : passwordHash) !== null,
  expiresAt: expiresAt === undefined ? row.expires_at : expiresAt,
});

/**
 * If an update publishes a bundle or changes sharing settings, checks the settings that the canvas would then have; `requireSharing` lists the
 * errors. Returns as `org` the home organisation to save, or undefined if it does not change.
 */
async function requireResult(
  caller: RuntimeCaller,
  row: ManagedRow,
  given: GivenUpdate,
  publishes: boolean,
  env: Env,
): Promise<{ org?: string | undefined }> {
  const { access, passwordHash, expiresAt } = given;
  const changesSharing = [access, passwordHash, expiresAt].some((value) => value !== undefined);
  return publishes || changesSharing ? requireSharing(row, caller, resultOf(row, given), given, env) : {};
}

/**
 * Checks an update and saves it. If another request changes the canvas in between, starts again with the changed canvas. Throws 409
 * `SHARE_CONFLICT` with the `current` canvas if its `updatedAt` is not the one that the page expects, or after too many attempts.
 */
async function save(
  caller: RuntimeCaller,
  id: string,
  given: GivenUpdate,
  publishes: boolean,
  env: Env,
): Promise<void> {
  const { title, tags, access, passwordHash, expiresAt, metadata, expectedUpdatedAt } = given;
  const settings = { title, tags, passwordHash, expiresAt, metadata };
  for (let left = ATTEMPTS; ; left--) {
    const row = await managedBy(caller, id, env);
    requireEnabled(row);
    if (row.revoked_at !== null && !publishes) refuse("SHARE_REVOKED");
    const { org } = await requireResult(caller, row, given, publishes, env);
    const isStale = expectedUpdatedAt !== undefined && expectedUpdatedAt !== row.updated_at;
    if (isStale || left === 0) refuse("SHARE_CONFLICT", { current: await viewOf(row, env) });
    const changes = { ...settings, access: access && storedAccess(access), org };
    if (await saveChanges(row, changes, env)) return;
  }
}

/**
 * Saves changes to a canvas, and then publishes the bundle in `file`, if there is one (specification 4.8). If the deploy fails, throws 502
 * `UPDATE_PARTIAL` with the `current` canvas; the saved changes remain.
 */
export async function updateCanvas(
  caller: RuntimeCaller,
  id: string,
  given: GivenUpdate,
  file: string | undefined,
  signal: AbortSignal,
  env: Env,
): Promise<AuthoredCanvas> {
  if (file !== undefined) env.deploys.requireRoom(caller.user.id);
  await save(caller, id, given, file !== undefined, env);
  const { title, tags, access, expiresAt, passwordHash, metadata } = given;
  const flags = {
    ...(passwordHash === undefined ? {} : { password: passwordHash !== null }),
    ...(metadata === undefined ? {} : { metadata: true }),
  };
  await recordChange(
    caller,
    { act: "authoring.update", canvas: id, details: { title, tags, access, expiresAt, ...flags } },
    env,
  );
  const saved = await currentCanvas(caller, id, env);
  if (file === undefined) return saved;
  const recheck = async () => {
    const current = await caller.readmit();
    requireAuthor(current);
    await managedBy(current, id, env);
  };
  const failure = {
    code: "UPDATE_PARTIAL" as const,
    fields: async () => ({
      stage: "deploy",
      current: await currentCanvas(caller, id, env).catch(() => saved),
    }),
  };
  await deployBundle(
    { canvasId: id, caller, file, revokedAt: saved.revokedAt, signal },
    recheck,
    failure,
    env,
  );
  return currentCanvas(caller, id, env);
}
