import type { FastifyReply, FastifyRequest } from "fastify";
import { manages, roleOf } from "../access/roles.ts";
import { type Canvas, findForAccess } from "../canvases/access-lookup.ts";
import { hasVersion } from "../canvases/versions.ts";
import type { Env } from "../env.ts";
import { html, sendPage } from "../http/html.ts";
import { firstValue, type Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { cookiesNamed, setCookie } from "../http/request-headers.ts";
import { findPreview, openPreview, PREVIEW, previewCookies } from "../identity/previews.ts";
import { writeAudit } from "../organisation/audit.ts";
import { lookUp } from "../pipeline/resolve.ts";
import { GRACE_MS, isPage } from "./caching.ts";

/*
 * A preview pins a browser to one version of a canvas by a signed cookie. The cookie gives no access: the ladder decides as ever, and only
 * the owner and editors are served the pinned version (decision 088).
 */

const COOKIE = "easel_preview";

/** The time for which a link pins a browser to a version. */
const PINNED_MS = 30 * 60_000;

const pathOf = ({ slug }: Pick<Canvas, "slug">, { base }: Env) => new URL(base.canvasUrl(slug)).pathname;

/** Returns the `Set-Cookie` header that pins a browser to a version of a canvas. */
function pin(canvas: Canvas, version: string, env: Env): string {
  const until = String(env.clock() + PINNED_MS);
  const value = [version, until, env.signer.sign("preview", canvas.id, version, until)].join(".");
  return setCookie(COOKIE, value, {
    maxAge: PINNED_MS + GRACE_MS,
    secure: env.base.secure,
    path: pathOf(canvas, env),
  });
}

/** Returns the `Set-Cookie` header that ends the pin of a browser. */
const unpin = (canvas: Canvas, env: Env): string =>
  setCookie(COOKIE, "", { maxAge: 0, secure: env.base.secure, path: pathOf(canvas, env) });

/** The version of a canvas to which a browser is pinned, and until when, in epoch milliseconds. */
interface Pinned {
  version: string;
  until: number;
}

/** Returns the version of a canvas to which a browser is pinned by a `Cookie` header. Returns null if it is pinned to none. */
function pinned(header: string | undefined, canvas: Canvas, { signer }: Env): Pinned | null {
  if (header?.includes(COOKIE) !== true) return null;
  for (const value of cookiesNamed(header, COOKIE)) {
    const [version = "", until = "", signature = "", ...more] = value.split(".");
    if (more.length === 0 && signer.verifies(signature, "preview", canvas.id, version, until))
      return { version, until: Number(until) };
  }
  return null;
}

/**
 * Returns the version of the preview that a browser of an owner or editor has of a canvas, or null if it has none. Parts of a page that was
 * loaded in time are of the same version as the page. If the version has been deleted, ends the preview and throws 404 `NOT_FOUND`.
 */
export async function previewed(
  { headers }: FastifyRequest,
  canvas: Canvas,
  reply: FastifyReply,
  env: Env,
): Promise<string | null> {
  const pin = pinned(headers.cookie, canvas, env);
  if (pin === null || pin.until + (isPage(headers) ? 0 : GRACE_MS) <= env.clock()) return null;
  keepOutOfCaches(reply);
  if (await hasVersion(canvas.id, pin.version, env)) return pin.version;
  reply.header("set-cookie", unpin(canvas, env));
  return refuse("NOT_FOUND", {
    message: "The version of this preview has been deleted. Load the page again to see the published one.",
  });
}

/** Keeps a response out of every cache, of browsers and, by `Vary`, also out of those of service workers. */
const keepOutOfCaches = (reply: FastifyReply) =>
  reply.header("cache-control", "private, no-store").header("vary", "*");

const refuseLink = (): never =>
  refuse("INVALID_BODY", {
    message: "This link to a preview works once, and for ten minutes only. Make another one.",
  });

/**
 * Handles `GET {canvas}/__preview`. With a code, opens the preview: pins the browser to its version, starts the session that it may have, and
 * redirects to the canvas. Throws 400 `INVALID_BODY` if the link has been opened or has expired, or its maker is no longer owner or editor.
 * Without a code, shows the page on which the browser leaves its preview.
 */
export async function showPreview(
  slug: string,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const canvas = await findForAccess(slug, null, env);
  const code = firstValue(request.query as Query, "code");
  keepOutOfCaches(reply);
  if (code === undefined) return sendPreviewPage(slug, canvas, request, reply, env);
  const preview = canvas === null ? null : await findPreview(code, canvas.id, env);
  if (preview === null || canvas === null) return refuseLink();
  const current = await lookUp(slug, preview.maker, env);
  if (current?.deletedAt !== null || !manages(roleOf(preview.maker, current))) return refuseLink();
  if (!(await hasVersion(canvas.id, preview.version, env)))
    return refuse("NOT_FOUND", { message: "The version of this preview has been deleted." });
  if (!(await openPreview(preview, env))) return refuseLink();
  if (preview.signedIn) {
    const { maker, client, version: target } = preview;
    const act = "canvas.preview-open";
    // The link is what several tools return as `preview_url`.
    const via = client === null ? null : { client, tool: "preview_url" };
    await writeAudit(
      { actor: maker, act, canvas: canvas.id, target, address: request.ip, details: null, via },
      env,
    );
    for (const cookie of previewCookies(slug, preview, env)) reply.header("set-cookie", cookie);
  }
  reply.header("set-cookie", pin(canvas, preview.version, env));
  return reply.redirect(env.base.canvasUrl(slug), 303);
}

/** Sends the page on which a browser leaves its preview. Without a preview, redirects to the canvas. */
function sendPreviewPage(
  slug: string,
  canvas: Canvas | null,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): FastifyReply {
  const url = env.base.canvasUrl(slug);
  const pin = canvas === null ? null : pinned(headers.cookie, canvas, env);
  if (pin === null || pin.until <= env.clock()) return reply.redirect(url, 303);
  const end = new Date(pin.until).toISOString();
  return sendPage(reply, {
    title: "Preview",
    narrow: true,
    body: html`<h1>Preview</h1><p>Until <time datetime="${end}">${end.slice(11, 16)} UTC</time>, this browser shows one version of
      <strong>${slug}</strong> to its owner and editors, whichever is published. Everybody else sees the published one.</p>
      <form method="post" action="${url}${PREVIEW}"><button class="button">Leave the preview</button></form>
      <footer class="links"><a href="${url}">Back to the preview</a></footer>`,
  });
}

/** Handles `POST {canvas}/__preview`: ends the preview of the browser, with its session, and redirects to the canvas. */
export async function leavePreview(slug: string, reply: FastifyReply, env: Env): Promise<FastifyReply> {
  const canvas = (await findForAccess(slug, null, env)) ?? refuse("NOT_FOUND");
  for (const cookie of [unpin(canvas, env), ...previewCookies(slug, null, env)])
    reply.header("set-cookie", cookie);
  return reply.header("cache-control", "private, no-store").redirect(env.base.canvasUrl(slug), 303);
}
