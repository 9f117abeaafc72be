import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { CanvasData } from "../canvases/canvas-data.ts";
import type { Base } from "../config/addresses.ts";
import { isToken, newToken, tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { isSlug } from "../http/canvas-path.ts";
import { firstValue, type Query } from "../http/query.ts";
import { take } from "../http/rate-limit.ts";
import { redirect, refuse } from "../http/refusal.ts";
import { cookiesNamed, hostOnly, setCookie } from "../http/request-headers.ts";
import { canvasSessionCookie, findSession } from "../identity/session.ts";
import { challenge } from "./challenge.ts";

/*
 * In subdomain mode browsers send the session cookie to the base host only. The host of a canvas gets its own cookie by a hand-over:
 * 1. The canvas host sets a cookie with a secret and redirects the browser to the base host, with the hash of the secret in the URL.
 * 2. The base host redirects back with a one-time code, which is bound to the canvas and to that hash.
 * 3. The canvas host exchanges the code for its own cookie, which refers to the session and is valid until the session ends.
 */

const CODE_LIFETIME_MS = 60_000;
const SECRET_LIFETIME_MS = 60 * 60 * 1000;
const HAND_OVERS_PER_MINUTE = 60;

/** The codes of hand-overs, of which none belongs to a canvas. */
export const handOverData: CanvasData = {
  otherTables: ["handovers"],
  cleanUps: [
    {
      what: "codes of hand-overs",
      keptMs: 0,
      remove: (until, { db }) => db.withReserve.run`delete from handovers where expires_at <= ${until}`,
    },
  ],
};

/** The path below a canvas's URL at which a one-time code is exchanged for the cookie of the canvas host. */
export const ENTER = "__enter";

const secretCookie = ({ base }: Env) => hostOnly("easel_entering", base.secure);

/**
 * Starts the hand-over, in which the host of a canvas gets its own cookie: redirects the browser to the base host for a one-time code. At
 * the end, the browser is redirected to `path` on the host of the canvas (decision 010).
 */
export function startHandOver(slug: string, path: string, { headers }: IncomingMessage, env: Env): never {
  const known = cookiesNamed(headers.cookie, secretCookie(env)).find(isToken);
  const secret = known ?? newToken();
  const query = new URLSearchParams({ slug, to: path, challenge: tokenHash(secret) });
  const options = { maxAge: SECRET_LIFETIME_MS, secure: env.base.secure };
  return redirect(`${env.base.origin}/auth/canvas?${query}`, 302, {
    "set-cookie": setCookie(secretCookie(env), secret, options),
  });
}

/** Mounts `GET /auth/canvas` on the base host: redirects a signed-in browser to a canvas host with a one-time code. */
export function mountHandOver(app: FastifyInstance, env: Env): void {
  // HEAD must not create a code.
  app.get("/auth/canvas", { exposeHeadRoute: false }, async (request, reply) => {
    const query = request.query as Query;
    const slug = firstValue(query, "slug") ?? "";
    const proof = firstValue(query, "challenge") ?? "";
    if (!isSlug(slug) || !isToken(proof)) refuse("NOT_FOUND");
    const found = await findSession(request.raw, reply, env);
    if (found === null) return challenge(request.raw, "page", env);
    const { id: session } = found.credential;
    if (!(await take({ rateClass: "handover", owner: session }, HAND_OVERS_PER_MINUTE, reply, env)))
      refuse("RATE_LIMITED");
    const code = newToken();
    await env.db.withReserve.run`
      insert into handovers (code_hash, session_id, slug, challenge, expires_at)
      values (${tokenHash(code)}, ${session}, ${slug}, ${proof}, ${env.clock() + CODE_LIFETIME_MS})`;
    const to = safePath(slug, firstValue(query, "to"), env.base);
    return reply
      .header("cache-control", "private, no-store")
      .redirect(`${env.base.canvasUrl(slug)}${ENTER}?${new URLSearchParams({ code, to })}`, 303);
  });
}

/**
 * Handles `GET {canvas}/__enter` on the host of a canvas: exchanges a one-time code for the cookie of this host and redirects to the path
 * in the query parameter `to`. Throws 400 `INVALID_BODY` if the code is invalid. Without a code, starts a hand-over, so that a browser that
 * opened a Public link anonymously can sign in.
 */
export async function finishHandOver(
  slug: string,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const query = request.query as Query;
  const to = safePath(slug, firstValue(query, "to"), env.base);
  if (query.code === undefined && query.to !== undefined) startHandOver(slug, to, request.raw, env);
  const code = firstValue(query, "code") ?? "";
  const secret = cookiesNamed(request.headers.cookie, secretCookie(env)).find(isToken);
  if (secret === undefined) {
    return refuse("INVALID_BODY", {
      message: "Cookies are needed to open this canvas; this browser sent none.",
    });
  }
  const [found] = isToken(code)
    ? await env.db.withReserve.returning<{ session_id: string }>`
        delete from handovers
        where code_hash = ${tokenHash(code)} and slug = ${slug} and challenge = ${tokenHash(secret)}
          and expires_at > ${env.clock()} returning session_id`
    : [];
  if (found === undefined) {
    return refuse("INVALID_BODY", {
      message: "This address works once, and for a minute only. Open the canvas again.",
    });
  }
  return reply
    .header("set-cookie", canvasSessionCookie(slug, found.session_id, env))
    .header("cache-control", "private, no-store")
    .redirect(to, 303);
}

/** Returns the path and query of a URL on the host of a canvas, or `/` if the URL leads to another origin. */
function safePath(slug: string, given: string | undefined, base: Base): string {
  const url = URL.parse(given ?? "/", base.canvasUrl(slug));
  if (url === null || url.origin !== base.canvasOrigin(slug)) return "/";
  return url.pathname.replace(/^\/{2,}/, "/") + url.search;
}
