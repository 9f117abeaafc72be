import { type Canvas, findForAccess } from "../canvases/access-lookup.ts";
import { admitsAnonymous } from "../canvases/publication-status.ts";
import type { Env } from "../env.ts";
import { parseCanvasPath } from "../http/canvas-path.ts";
import { wantsPage } from "../http/request-headers.ts";
import type { Caller } from "../identity/credential.ts";
import { identify, reauthenticate } from "../identity/identify.ts";
import { findPreviewer, mayPreview } from "../identity/previews.ts";
import { challenge, challengeAgain, challengeProgram } from "../sign-in/challenge.ts";
import { startHandOver } from "../sign-in/hand-over.ts";
import type { Visit } from "./visit.ts";

/**
 * Whether anonymous callers may open a canvas: only a published one with an active Public link that has not expired (specification 4.1,
 * step 1).
 */
export async function opensToAnonymous(slug: string, env: Env): Promise<boolean> {
  return isOpen(await findForAccess(slug, null, env), env);
}

const isOpen = (canvas: Canvas | null, { clock }: Env) => canvas !== null && admitsAnonymous(canvas, clock());

/**
 * Step 1 of the pipeline: identifies the caller, a browser without a session also by the session of a preview of this canvas. An anonymous
 * caller passes only if the canvas has an active Public link. Otherwise throws a
 * Refusal: a redirect to the sign-in, or 401 (specification 4.1).
 */
export async function authenticate(visit: Visit, env: Env): Promise<Caller> {
  const { slug, surface, request, answer } = visit;
  const canvasHost = surface === "content" && env.base.urlMode === "subdomain" ? slug : undefined;
  const caller = await identify(request, answer, env, {
    tokens: surface === "api" ? "api" : undefined,
    canvasHost,
  });
  if (caller.user.kind !== "visitor") return caller;
  const canvas = await findForAccess(slug, null, env);
  visit.canvas = canvas;
  const { cookie } = request.headers;
  const previewer = mayPreview(cookie) ? await findPreviewer(cookie, canvas?.id ?? null, env) : null;
  if (previewer !== null) return { ...caller, ...previewer };
  if (isOpen(canvas, env)) return caller;
  if (canvasHost !== undefined && wantsPage(request.headers)) {
    // The path on the host of the canvas, before `routedUrl` rewrote it to `/c/{slug}/…`.
    const path = parseCanvasPath(request.url ?? "")?.rest ?? "/";
    startHandOver(canvasHost, path, request, env);
  }
  return surface === "api" ? challengeProgram(request, env) : challenge(request, "page", env);
}

/**
 * Repeats step 1 for a caller of the canvas with this slug who was authenticated before. Returns the caller as they are now. Throws 401, or a
 * redirect to the sign-in, if their credential has ended, and for an anonymous caller if the canvas has no active Public link any more.
 */
export async function authenticateAgain(caller: Caller, slug: string, env: Env): Promise<Caller> {
  const now = await reauthenticate(caller, env);
  const isKnown = now !== null || (caller.user.kind === "visitor" && (await opensToAnonymous(slug, env)));
  if (!isKnown) challengeAgain(caller, env);
  const { user, credential } = now ?? caller;
  return { user, credential, passes: caller.passes };
}
