import type { CanvasRole } from "@easel/protocol/types";
import { decideAccess } from "../access/ladder.ts";
import { type Principal, type RuntimeUse, runtimeObjection } from "../access/principal.ts";
import { type Canvas, findForAccess } from "../canvases/access-lookup.ts";
import { gateIsOpen } from "../canvases/gate-cookie.ts";
import { isId } from "../crypto/ids.ts";
import type { Dependent } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import type { Caller } from "../identity/credential.ts";
import type { AdmitsVisitors, Visit } from "./visit.ts";

/** A canvas that the caller may access, and their role on it. */
interface Entered {
  canvas: Canvas;
  role: CanvasRole;
}

/**
 * The parts of a request on which access depends. `openToVisitors`: whether visitors of a Public link may send it; the default is true for
 * pages and false for the runtime API. `use`: what a request to the runtime API does. Without `use`, no restricted access token is
 * accepted.
 */
type Entering = Pick<Visit, "surface"> & {
  openToVisitors?: boolean;
  use?: RuntimeUse;
};

/** What a request for a page does by the session of a preview. No access token is accepted for it. */
const PAGE: RuntimeUse = { reads: true, leavesCanvas: false };

/** Returns whether the canvas has a Public link and `admitsVisitors` lets its visitors send the request to the runtime API. */
export const isOpenToVisitors = async (
  canvas: Canvas | null,
  admitsVisitors: AdmitsVisitors,
  env: Env,
): Promise<boolean> => canvas?.access === "public_link" && (await admitsVisitors(canvas, env));

/** Returns the slug of the canvas with an id, or an empty text if there is none. */
export async function slugOf(id: string, { db }: Env): Promise<string> {
  const row = isId(id)
    ? await db.getCached<{ slug: string } & Dependent>`
        select slug, 'canvas ' || id as depends_on from canvases where id = ${id}`
    : undefined;
  return row?.slug ?? "";
}

/** Finds a canvas by its slug, with the role that is granted to the caller. Returns null if there is no such canvas. */
export function lookUp(slug: string, principal: Principal, env: Env): Promise<Canvas | null> {
  // The e-mail address of a guest is not verified, so it gives no role.
  return findForAccess(slug, principal.kind === "member" ? principal.email : null, env);
}

/**
 * Step 3 of the pipeline: throws a `Refusal` if the caller may not access the canvas (specification 4.1). `atGate` skips the check of the
 * password, for the request that submits it. The restriction of an access token is checked first, so that the response reveals nothing
 * about canvases that the token does not include.
 */
export function enterCanvas(
  canvas: Canvas | null,
  { surface, openToVisitors, use }: Entering,
  { user: principal, passes }: Pick<Caller, "user" | "passes">,
  env: Env,
  atGate = false,
): Entered {
  requireUse(principal, canvas, use);
  const gateOpen = atGate || (canvas !== null && gateIsOpen(canvas, principal, passes, env));
  const decision = decideAccess(canvas, principal, {
    gateOpen,
    openToVisitors: openToVisitors ?? surface === "content",
    now: env.clock(),
  });
  if (canvas === null || "refused" in decision) {
    const code = "refused" in decision ? decision.refused : "NOT_FOUND";
    return code === "STATIC_ONLY" ? refuseVisitor(principal) : refuse(code);
  }
  return { canvas, role: decision.role };
}

/**
 * Throws 403 `STATIC_ONLY`. The field `signedIn` tells a visitor who may only have to sign in from one whose account has no more rights.
 */
export const refuseVisitor = (principal: Principal): never =>
  refuse("STATIC_ONLY", { signedIn: principal.kind !== "visitor" });

/** Throws 403 `PERMISSION_DENIED` if the restriction of the caller's access token does not allow the request. */
function requireUse(principal: Principal, canvas: Canvas | null, use: RuntimeUse | undefined): void {
  const restriction = principal.kind === "member" ? principal.restriction : null;
  if (restriction === null) return;
  if (use === undefined) refuse("PERMISSION_DENIED");
  const message = runtimeObjection(restriction, canvas?.id ?? null, use);
  if (message !== null) refuse("PERMISSION_DENIED", { message });
}

/** Finds a canvas by its slug and throws a Refusal if the caller may not access it. */
export async function resolve(
  { slug, surface }: Pick<Visit, "slug" | "surface">,
  caller: Pick<Caller, "user" | "passes"> & Partial<Pick<Caller, "credential">>,
  env: Env,
  atGate = false,
): Promise<Entered> {
  const entering = { surface, ...(caller.credential?.kind === "preview" && { use: PAGE }) };
  return enterCanvas(await lookUp(slug, caller.user, env), entering, caller, env, atGate);
}
