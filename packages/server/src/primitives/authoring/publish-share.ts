import type { AuthoredCanvas } from "@easel/protocol/types";
import type { z } from "zod";
import { createCanvas } from "../../canvases/publishing/create.ts";
import { homeOfNew, missingHome } from "../../canvases/publishing/home-org.ts";
import type { Env } from "../../env.ts";
import type { Call } from "../primitive.ts";
import { authoringQuotas, requireRoom } from "./authoring-quotas.ts";
import { currentShare } from "./current-share.ts";
import { deployShare } from "./deploy-share.ts";
import { requireShare, storedAccess } from "./gates.ts";
import type { NewShare } from "./metadata.ts";
import { recordChange } from "./record-change.ts";

/** The fields of a new canvas as a page sends them, with the hash of the password instead of the password. */
export type GivenShare = Omit<z.output<typeof NewShare>, "password"> & { passwordHash: string | undefined };

/**
 * Creates a canvas with its settings as a draft and counts it against the quotas of its owner, in one batch. Throws without writing
 * anything if a setting is not allowed, a quota is used up, or the queue of deploys is full.
 */
async function create(
  { user, canvas }: Call,
  given: GivenShare,
  env: Env,
): Promise<{ id: string; slug: string }> {
  const { title, slug, tags, access: rung, expiresAt = null, metadata = null, passwordHash = null } = given;
  const access = storedAccess(rung);
  const org = await homeOfNew(user, given.orgId, env);
  const target = { id: "", owner_id: user.id, owner_email: user.email, org_id: org, role: "owner" as const };
  if (access === "whole_org") await missingHome(target, env);
  await requireShare(target, user, { access, hasPassword: passwordHash !== null, expiresAt }, given, env);
  await requireRoom(user.id, env);
  env.deploys.requireRoom(user.id);
  const settings = {
    from: canvas.id,
    access,
    passwordHash,
    expiresAt,
    metadata,
    ...authoringQuotas(user.id, env),
  };
  return createCanvas(user, { title, slug, tags, orgId: org ?? undefined }, env, settings);
}

/**
 * Creates a canvas that the caller owns, and publishes the bundle in `file` on it (specification 4.8). If the deploy fails, throws 502
 * `PUBLISH_FAILED` with the `id` of the canvas, which remains a draft.
 */
export async function publishShare(
  call: Call,
  share: GivenShare,
  file: string,
  env: Env,
): Promise<AuthoredCanvas> {
  const { id, slug } = await create(call, share, env);
  const { title, tags, access, expiresAt, passwordHash } = share;
  const details = { slug, title, tags, access, expiresAt, password: passwordHash !== undefined };
  await recordChange(call, { act: "authoring.create", canvas: id, details }, env);
  const failure = { code: "PUBLISH_FAILED" as const, fields: async () => ({ id }) };
  const given = { canvasId: id, by: call.user.id, file, revokedAt: null, signal: call.signal() };
  const target = await deployShare(given, async () => {}, failure, env);
  await recordChange(call, { act: "authoring.deploy", canvas: id, target }, env);
  return currentShare(call, id, env);
}
