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

/**
 * Returns the id of the canvas to whose own canvases a page is limited: the canvas of the page. Returns null if the page may change all
 * canvases of its viewer (`SERVICE_AUTHORING_SCOPE`).
 */
export const scopeOf = ({ canvas }: Call, { config }: Env): string | null =>
  config.authoringScope === "canvas" ? canvas.id : null;

/**
 * Finds a canvas that the caller manages as its owner, an editor or, if the scope of authoring is the person, an administrator. Throws 404
 * `NOT_FOUND` for any other canvas.
 */
export async function managedBy(call: Call, id: string, env: Env): Promise<ManagedRow> {
  const { user } = call;
  const scope = scopeOf(call, env);
  const row = isId(id) ? await findManaged(id, user, scope === null && isAdmin(user, env), env) : undefined;
  return row !== undefined && (scope === null || row.authored_from === scope) ? row : refuse("NOT_FOUND");
}
