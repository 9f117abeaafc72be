import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Base } from "../config/addresses.ts";
import { assetPath } from "../config/assets.ts";
import { refuseUnknownPath } from "../content/error-pages.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { wantsPage } from "../http/request-headers.ts";
import { identify } from "../identity/identify.ts";
import { challenge } from "../sign-in/challenge.ts";
import { BuiltFiles } from "./built-files.ts";

/** The paths of the screens of the dashboard (`packages/dashboard/src/router.tsx`). Every one is answered with the same document. */
const SCREENS = ["/", "/new", "/account", "/teams", "/teams/*", "/canvases/*", "/admin", "/admin/*"];

/** Returns the Content-Security-Policy of the dashboard. It is the same for everyone. */
function policyOf({ origin, canvasHosts }: Base): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    // Not every browser lets `'self'` match WebSockets.
    `connect-src 'self' ${origin.replace(/^http/, "ws")}`,
    // In path mode, a canvas in a frame could script the page around it. In subdomain mode, its host gets its session by a hand-over.
    `frame-src ${canvasHosts === null ? "'none'" : `${canvasHosts} ${origin}/auth/canvas`}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

const headersOf = (base: Base): Record<string, string> => ({
  "content-security-policy": policyOf(base),
  // In path mode the pages of canvases have this origin, too. If such a page opens this one, it must not get a reference to the new
  // window.
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
});

/**
 * The document shows what a person sees. Browsers remove a page with `no-store` from the cache of their back button when a cookie changes, which
 * signing out does; the scripts and styles stay cached (decision 142).
 */
const NEVER = "private, no-store";

/** Whatever has this name has these bytes. */
const FOREVER = "public, max-age=31536000, immutable";

/**
 * Mounts the dashboard: its document at the path of each screen, for members who have signed in, and its assets below `/assets`, which are
 * the same for everyone. A guest has nothing to see here but the canvas of their invitation, and is redirected to it.
 */
export function mountDashboard(app: FastifyInstance, env: Env): void {
  const files = new BuiltFiles(assetPath("dashboard"));
  const assets = files.assets();

  // A missing asset is not answered with the document, which a page that is still open could not use as a script. It can also be that of
  // a canvas, which was built for the root of a host.
  app.get<{ Params: { name: string } }>("/assets/:name", async (request, reply) => {
    const { name } = request.params;
    if (!(await assets).has(name)) return refuseUnknownPath(request, env);
    return files.send(`assets/${name}`, FOREVER, request, reply);
  });

  // The URL of a canvas without its slug, and that of its screens without its id.
  for (const folder of ["/c", "/c/", "/canvases", "/canvases/"])
    app.get(folder, async (_request, reply) => reply.redirect("/"));

  for (const screen of SCREENS)
    app.get(screen, async (request, reply) => {
      const { user } = await identify(request.raw, reply, env);
      if (user.kind === "visitor") return refuseVisitor(request, reply, env);
      if (user.kind === "guest") return reply.redirect(await addressOf(user.guestOf, env));
      return files.send("index.html", NEVER, request, reply.headers(headersOf(env.base)));
    });
}

/** Returns the address of the canvas of a guest. */
async function addressOf(id: string, { db, base }: Env): Promise<string> {
  const canvas = await db.get<{ slug: string }>`
    select slug from canvases where id = ${id} and deleted_at is null`;
  return base.canvasUrl((canvas ?? refuse("NOT_FOUND")).slug);
}

/** Rejects a request without a sign-in. Programs that have nothing but the address of the service find its instructions in the response. */
function refuseVisitor(request: FastifyRequest, reply: FastifyReply, env: Env): FastifyReply {
  const help = `${env.base.origin}/skill.md`;
  reply.header("link", `<${help}>; rel="help"`);
  // Programs do not render the sign-in page to which they are redirected with OpenID Connect: the body names the instructions.
  if (env.config.authMode === "oidc" && !wantsPage(request.headers))
    return reply.code(302).header("location", `${env.base.origin}/auth/login`).send({ help });
  return challenge(request.raw, "page", env, { help });
}
