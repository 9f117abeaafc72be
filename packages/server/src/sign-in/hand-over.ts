import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Base } from "../config/addresses.ts";
import { isToken, newToken, tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { isSlug } from "../http/canvas-path.ts";
import { cookiesNamed, hostOnly, setCookie } from "../http/cookies.ts";
import { firstValue, type Query } from "../http/query.ts";
import { take } from "../http/rate-limit.ts";
import { redirect, refuse } from "../http/refusal.ts";
import { canvasSessionCookie } from "../identity/canvas-session.ts";
import { findSession } from "../identity/session.ts";
import { challenge } from "./challenge.ts";

/*
 * In subdomain mode the session's cookie belongs to the base host alone. A canvas host gets a cookie of its own, good for
 * its content only: the browser goes to the base host with the hash of a secret that it keeps, comes back with a one-time
 * code made for that canvas and that secret, and is given the cookie, which stands for the session and dies with it.
 */

const CODE_LIFETIME_MS = 60_000;
const SECRET_LIFETIME_MS = 60 * 60 * 1000;
const PER_MINUTE = 60;

/** Where a canvas host is given its cookie, below the canvas's address. */
export const ENTER = "__enter";

const secretCookie = ({ base }: Env) => hostOnly("easel_entering", base.secure);

/** Takes a browser from a canvas host to the base host, to come back with a cookie. `path` is what it asked for. */
export function handOver(slug: string, path: string, { headers }: IncomingMessage, env: Env): never {
  const known = cookiesNamed(headers.cookie, secretCookie(env)).find(isToken);
  const secret = known ?? newToken();
  const query = new URLSearchParams({ slug, to: path, challenge: tokenHash(secret) });
  const options = { maxAge: SECRET_LIFETIME_MS, secure: env.base.secure };
  return redirect(`${env.base.origin}/auth/canvas?${query}`, 302, {
    "set-cookie": setCookie(secretCookie(env), secret, options),
  });
}

/** `GET /auth/canvas` on the base host: hands who is signed in over to a canvas host. */
export function mountHandOver(app: FastifyInstance, env: Env): void {
  // A look at the address alone must not use up anything.
  app.get("/auth/canvas", { exposeHeadRoute: false }, async (request, reply) => {
    const query = request.query as Query;
    const slug = firstValue(query, "slug") ?? "";
    const proof = firstValue(query, "challenge") ?? "";
    if (!isSlug(slug) || !isToken(proof)) refuse("NOT_FOUND");
    const session = await findSession(request.raw, reply, env);
    if (session === null) return challenge(request.raw, "page", env);
    if (!(await take({ rateClass: "handover", owner: session.id }, PER_MINUTE, reply, env)))
      refuse("RATE_LIMITED");
    const code = newToken();
    await env.db.run`
      insert into handovers (code_hash, session_id, slug, challenge, expires_at)
      values (${tokenHash(code)}, ${session.id}, ${slug}, ${proof}, ${env.clock() + CODE_LIFETIME_MS})`;
    const to = pathOn(slug, firstValue(query, "to"), env.base);
    return reply
      .header("cache-control", "private, no-store")
      .redirect(`${env.base.canvasUrl(slug)}${ENTER}?${new URLSearchParams({ code, to })}`, 303);
  });
}

/**
 * `GET {canvas}/__enter` on a canvas host: a code becomes the cookie. Whatever is wrong with it, the canvas begins anew. With
 * `to` alone, a code is asked for: so comes in who has signed in and is at a canvas that is open to anyone.
 */
export async function enterBy(
  slug: string,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const query = request.query as Query;
  const to = pathOn(slug, firstValue(query, "to"), env.base);
  if (query.code === undefined && query.to !== undefined) handOver(slug, to, request.raw, env);
  const code = firstValue(query, "code") ?? "";
  const secret = cookiesNamed(request.headers.cookie, secretCookie(env)).find(isToken);
  if (secret === undefined) {
    return refuse("INVALID_BODY", {
      message: "Cookies are needed to open this canvas; this browser sent none.",
    });
  }
  const [found] = isToken(code)
    ? await env.db.returning<{ session_id: string }>`
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

/** A path of a canvas host as it is given; anything that leads elsewhere is its first page. */
function pathOn(slug: string, given: string | undefined, base: Base): string {
  const url = URL.parse(given ?? "/", base.canvasUrl(slug));
  if (url === null || url.origin !== base.canvasOrigin(slug)) return "/";
  return url.pathname.replace(/^\/{2,}/, "/") + url.search;
}
