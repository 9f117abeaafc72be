import { isGuest } from "../../access/principal.ts";
import { findManaged, type ManagedRow } from "../../canvases/store.ts";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { isAdmin } from "../../identity/identify.ts";
import type { Call } from "../primitive.ts";
import { requirePermission } from "../require-permission.ts";

/**
 * Throws 401 `NOT_AUTHENTICATED` for a guest, and 403 `PERMISSION_DENIED` for any other caller who may not publish canvases from the page.
 */
export function requireAuthor(call: Call): void {
  if (isGuest(call.user)) refuse("NOT_AUTHENTICATED");
  requirePermission(call, "canCreateCanvas");
}

/** Finds a canvas that the caller manages as its owner, an editor or an administrator. Throws 404 `NOT_FOUND` for any other canvas. */
export async function managedBy({ user }: Call, id: string, env: Env): Promise<ManagedRow> {
  const row = isId(id) ? await findManaged(id, user, isAdmin(user, env), env) : undefined;
  return row ?? refuse("NOT_FOUND");
}
