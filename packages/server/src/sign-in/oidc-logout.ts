import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { html, sendPage } from "../http/html.ts";
import { cookiesNamed, setCookie } from "../http/request-headers.ts";
import type { Provider } from "./oidc-provider.ts";

/*
 * Signing out at the provider as well (RP-initiated logout), with SERVICE_OIDC_LOGOUT. Some providers want to see the ID token of the sign-in.
 * The browser keeps it, in a cookie for the path of the logout alone: the service needs it for nothing else.
 */

const LOGOUT = "/auth/logout";
const NAME = "easel_id_token";
/** The longest ID token that fits into a cookie. */
const MAX_LENGTH = 3_800;
/** Stands for a longer one: the provider then asks the person whether to sign out. */
const TOO_LONG = "long";

/** Returns the `Set-Cookie` header with which the browser keeps an ID token. */
export const idTokenCookie = (idToken: string, { base }: Env): string =>
  setCookie(NAME, idToken.length > MAX_LENGTH ? TOO_LONG : idToken, { secure: base.secure, path: LOGOUT });

/**
 * Makes the browser go to the provider, if it has signed in there and the provider can end sessions, and removes the ID token. Returns the
 * address, or null if the browser stays. Ending the session here does not depend on it: a failure is only logged.
 */
export async function signOutAtProvider(
  provider: Provider,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { config, base, log }: Env,
): Promise<URL | null> {
  const [idToken] = cookiesNamed(headers.cookie, NAME);
  if (!config.oidcLogout || idToken === undefined) return null;
  reply.header("set-cookie", setCookie(NAME, "", { maxAge: 0, secure: base.secure, path: LOGOUT }));
  const back = new URL("/auth/signed-out", base.origin);
  const to = await provider.signOut(idToken === TOO_LONG ? undefined : idToken, back).catch((error) => {
    log.warn({ why: (error as Error).message }, "signing out at the provider failed");
    return null;
  });
  // Not a redirect, which the policy of forms would have to allow.
  if (to !== null) reply.header("refresh", `0;url=${to.href}`);
  return to;
}

/** Mounts `/auth/signed-out`, to which the provider sends the browser back. It is the same for everyone. */
export function mountSignedOut(app: FastifyInstance): void {
  app.get("/auth/signed-out", (_request, reply) =>
    sendPage(reply, {
      title: "Signed out",
      narrow: true,
      body: html`<h1>You are signed out</h1><p>Here, and at the sign-in service.</p>
        <a class="button" href="/auth/login?anew=1">Sign in</a>`,
    }),
  );
}
