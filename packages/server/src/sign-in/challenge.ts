import type { Env } from "../env.ts";
import type { Headed } from "../http/headed.ts";
import { redirect, refuseAnonymous } from "../http/refusal.ts";
import { wantsPage } from "../http/wants-page.ts";

/**
 * What someone who is not signed in gets: 401, and in oidc mode 302 to the login route (specification 4.1, step 1). A browser
 * that asks for a page is taken to the sign-in page and back wherever there is one; in proxy mode there is none.
 */
export function challenge(
  request: Headed & { url?: string | undefined },
  asksFor: "api" | "page",
  { config, base }: Env,
): never {
  const navigates = asksFor === "page" && wantsPage(request.headers);
  const back = navigates ? `?returnTo=${encodeURIComponent(request.url ?? "/")}` : "";
  // The host of a canvas has no login route.
  const host = base.urlMode === "subdomain" ? base.origin : "";
  if (config.authMode === "oidc" || (config.authMode === "dev" && navigates))
    redirect(`${host}/auth/login${back}`);
  return refuseAnonymous();
}
