import assert from "node:assert/strict";
import type { AdminSettings } from "@easel/protocol/management";
import { manage, type Stage } from "./fixture.ts";
import type { Person, Target } from "./target.ts";

/** Disables a canvas. */
export const disable = (target: Target, { id }: Stage): Promise<void> =>
  administer(target, "POST", `/api/admin/canvases/${id}/disable`, {});

/** Enables a disabled canvas. */
export const enable = (target: Target, { id }: Stage): Promise<void> =>
  administer(target, "POST", `/api/admin/canvases/${id}/enable`, {});

/** Sets whether a person may publish Public links. */
export const mayPublish = (target: Target, person: Person, canPublishPublic: boolean): Promise<void> =>
  setUser(target, person, { canPublishPublic });

/** Deactivates a person. */
export const deactivate = (target: Target, person: Person): Promise<void> =>
  setUser(target, person, { deactivated: true });

async function setUser(target: Target, person: Person, change: object): Promise<void> {
  const { id } = (await manage(target, person, "GET", "/api/me")).json;
  await administer(target, "PATCH", `/api/admin/users/${id}`, change);
}

/** Sends a request to the management API as an administrator, and asserts that it succeeds. */
export async function administer(target: Target, method: string, path: string, body: object): Promise<void> {
  const answer = await manage(target, await target.signIn(target.admin), method, path, body);
  assert.ok(
    answer.status === 200 || answer.status === 204,
    `${method} ${path}: ${answer.status} ${answer.text}`,
  );
}

/** Returns the quotas of the instance, keyed by name. */
export async function quotasOf(target: Target): Promise<Record<string, number>> {
  const admin = await target.signIn(target.admin);
  const { json } = await manage(target, admin, "GET", "/api/admin/settings");
  return json.quotas as Record<string, number>;
}

/** Changes these quotas of the instance. A null quota is reset to its default. */
export const setQuotas = (target: Target, quotas: Record<string, number | null>): Promise<void> =>
  administer(target, "PATCH", "/api/admin/settings", { quotas });

/** Switches Public links on or off for the instance. */
export const setPublicLinks = (target: Target, publicLinks: boolean): Promise<void> =>
  administer(target, "PATCH", "/api/admin/settings", { publicLinks });

/** Returns the AI settings of the instance: the models and the spend caps. */
export async function aiSettingsOf(target: Target): Promise<AdminSettings["ai"]> {
  const admin = await target.signIn(target.admin);
  const { json } = await manage(target, admin, "GET", "/api/admin/settings");
  return json.ai as AdminSettings["ai"];
}

/** Changes the AI settings of the instance that are in `ai`. */
export const setAi = (target: Target, ai: Partial<AdminSettings["ai"]>): Promise<void> =>
  administer(target, "PATCH", "/api/admin/settings", { ai });
