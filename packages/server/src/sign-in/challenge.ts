import type { Env } from "../env.ts";
import type { HasHeaders } from "../http/has-headers.ts";
import { redirect, refuseAnonymous } from "../http/refusal.ts";
import { wantsPage } from "../http/wants-page.ts";

/**
 * Refuses an unauthenticated request: 401, in oidc mode 302 to the login route (specification 4.1, step 1). A navigation is redirected to
 * the login route in dev mode too, and returns to its page after the sign-in.
 */
export function challenge(
  request: HasHeaders & { url?: string | undefined },
  expects: "api" | "page",
  { config, base }: Env,
): never {
  const navigates = expects === "page" && wantsPage(request.headers);
  const back = navigates ? `?returnTo=${encodeURIComponent(request.url ?? "/")}` : "";
  // The host of a canvas has no login route.
  const host = base.urlMode === "subdomain" ? base.origin : "";
  if (config.authMode === "oidc" || (config.authMode === "dev" && navigates))
    redirect(`${host}/auth/login${back}`);
  return refuseAnonymous();
}
