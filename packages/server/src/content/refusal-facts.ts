import type { ErrorCode } from "@easel/protocol/errors";
import { isMember, type Principal } from "../access/principal.ts";
import { manages, roleOf } from "../access/roles.ts";
import { findForAccess } from "../canvases/access-lookup.ts";
import { findForErrorPage } from "../canvases/store.ts";
import type { Env } from "../env.ts";

/** The facts about a canvas that an error page may show. */
export interface Facts {
  title: string | null;
  owner: { name: string; email: string } | null;
  disabledReason: string | null;
}

const NONE: Facts = { title: null, owner: null, disabledReason: null };

/**
 * Looks up what a refused caller may know about the canvas:
 * - `PASSWORD_REQUIRED`: the title, if the caller lacks only the password;
 * - `OWNER_ONLY`: the name and e-mail address of an active owner, if the caller is a member of the canvas's organisation and not a guest;
 * - `DISABLED`: the reason, if the caller is the owner or an editor.
 */
export async function factsFor(
  code: ErrorCode | undefined,
  slug: string,
  principal: Principal,
  env: Env,
): Promise<Facts> {
  if (code !== "PASSWORD_REQUIRED" && code !== "OWNER_ONLY" && code !== "DISABLED") return NONE;
  const email = isMember(principal) ? principal.email : null;
  const [canvas, found] = await Promise.all([findForAccess(slug, email, env), findForErrorPage(slug, env)]);
  if (canvas === null || found === undefined) return NONE;
  const role = roleOf(principal, canvas);
  if (code === "PASSWORD_REQUIRED") return role === null ? NONE : { ...NONE, title: found.title };
  if (code === "DISABLED") return manages(role) ? { ...NONE, disabledReason: found.disabled_reason } : NONE;
  const mayAsk = isMember(principal) && canvas.inOrg && found.owner_deactivated_at === null;
  return mayAsk ? { ...NONE, owner: { name: found.owner_name, email: found.owner_email } } : NONE;
}
