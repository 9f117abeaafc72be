import type { FastifyReply, FastifyRequest } from "fastify";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { Env } from "../env.ts";
import { cookiesNamed, hostOnly, setCookie } from "../http/cookies.ts";
import { destinationOf } from "../http/fetch-metadata.ts";

/** The longest lifetime of cookies in browsers: 400 days. */
const LIFETIME_MS = 400 * 24 * 60 * 60 * 1000;

const cookieName = ({ base }: Env) => hostOnly("easel_canvas", base.secure);

/** Returns the id of the canvas whose pages a browser has loaded from the host of a slug, or undefined if it is not known. */
function canvasOfBrowser(slug: string, { headers }: FastifyRequest, env: Env): string | undefined {
  for (const value of cookiesNamed(headers.cookie, cookieName(env))) {
    const [id = "", signature = "", ...more] = value.split(".");
    if (more.length === 0 && env.signer.verifies(signature, "canvas", slug, id)) return id;
  }
  return undefined;
}

/**
 * In subdomain mode, clears the storage and the service workers that a browser has of a former canvas on the same host (`Clear-Site-Data`).
 * A signed cookie on the host names the canvas whose pages the browser has loaded; it is set with the first page, and does not end with a
 * session. Does nothing in path mode, where the header would also empty the storage of all other canvases (decision 052).
 */
export function clearFormerCanvas(
  { id, slug }: Canvas,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): void {
  if (env.base.urlMode !== "subdomain") return;
  const known = canvasOfBrowser(slug, request, env);
  const loadsPage = ["document", "frame"].includes(destinationOf(request.headers));
  if (known === id || (known === undefined && !loadsPage)) return;
  if (known !== undefined) reply.header("clear-site-data", '"storage"');
  const value = `${id}.${env.signer.sign("canvas", slug, id)}`;
  reply.header(
    "set-cookie",
    setCookie(cookieName(env), value, { maxAge: LIFETIME_MS, secure: env.base.secure }),
  );
}
