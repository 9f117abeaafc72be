import type { IncomingMessage } from "node:http";
import type { Env } from "../env.ts";
import { cookiesNamed, hostOnly, setCookie } from "../http/cookies.ts";
import { isNavigation } from "../http/fetch-metadata.ts";
import type { Identified, StoredCredential } from "./credential.ts";
import { SESSION_LIFETIME_MS, sessionById } from "./session.ts";

/**
 * The maximum age at which the cookie of a canvas host is accepted for loading a page. If the cookie is older, the browser is redirected to
 * the base host. That host checks the session and lets the canvas host set a new cookie.
 */
const NAVIGATION_MAX_AGE_MS = 24 * 60 * 60 * 1000;

const cookieName = ({ base }: Env) => hostOnly("easel_content", base.secure);

/** Returns the `Set-Cookie` header that signs a browser in on the host of one canvas, until the session ends. */
export function canvasSessionCookie(slug: string, sessionId: string, env: Env): string {
  const issued = String(env.clock());
  const value = [sessionId, issued, env.signer.sign("content", slug, sessionId, issued)].join(".");
  return setCookie(cookieName(env), value, { maxAge: SESSION_LIFETIME_MS, secure: env.base.secure });
}

/** Finds the user of the session of a request to the host of a canvas, by the cookie of that host. Returns null if there is no valid cookie. */
export async function findCanvasSession(
  slug: string,
  { headers, method }: IncomingMessage,
  env: Env,
): Promise<Identified<StoredCredential> | null> {
  for (const value of cookiesNamed(headers.cookie, cookieName(env))) {
    const [session = "", issued = "", signature = "", ...more] = value.split(".");
    if (more.length > 0 || !env.signer.verifies(signature, "content", slug, session, issued)) continue;
    const navigates = method === "GET" && isNavigation(headers);
    if (navigates && Number(issued) + NAVIGATION_MAX_AGE_MS < env.clock()) continue;
    const found = await sessionById(session, env);
    if (found !== null) return found;
  }
  return null;
}
