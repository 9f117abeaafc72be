import type { ErrorCode } from "@easel/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { type Html, html, sendPage } from "../kit/html.ts";
import type { Refusal } from "../kit/refusal.ts";
import { wantsPage } from "../kit/wants-page.ts";
import type { Viewer } from "../pipeline/visit.ts";
import { GATE } from "./gate.ts";

/** A refused visit to a page of a canvas. `path` is below the canvas's address. */
export interface Refused {
  slug: string;
  path: string;
  viewer: Viewer;
}

/** What a refused visitor reads, by the refusal: a title, and what helps. */
const NOTICES: Partial<
  Record<ErrorCode, { title: string; help?: (refused: Refused, env: Env) => Html | null }>
> = {
  NOT_FOUND: { title: "Nothing here" },
  ARCHIVED: { title: "Archived" },
  DISABLED: { title: "Switched off" },
  OWNER_ONLY: { title: "Not shared with you", help: askTheOwner },
  NOT_INVITED: { title: "Not shared with you", help: askTheOwner },
  SHARE_EXPIRED: { title: "No longer shared", help: askTheOwner },
  PASSWORD_REQUIRED: { title: "Protected", help: passwordForm },
  RATE_LIMITED: { title: "One moment" },
  INVALID_BODY: { title: "That did not work", help: startAgain },
};

/** Tells a refused visitor of a canvas why: a browser by a small page, a program by the usual JSON. */
export function notice(
  refusal: Refusal,
  refused: Refused,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): FastifyReply {
  const found = refusal.code && NOTICES[refusal.code];
  if (found === undefined || !wantsPage(request.headers)) throw refusal;
  const { title, help } = found;
  return sendPage(reply.code(refusal.status), {
    title,
    narrow: true,
    body: html`<h1>${title}</h1><p>${refusal.message}</p>${help?.(refused, env) ?? null}
      <p>${signedInAs(refused, env)}</p>`,
  });
}

function startAgain({ slug }: Refused, { base }: Env): Html {
  return html`<a class="button" href="${base.canvasUrl(slug)}">Open the canvas</a>`;
}

function askTheOwner({ viewer }: Refused): Html | null {
  if (viewer === null) return null;
  return html`<p>Ask the owner to share it with <strong>${viewer.email}</strong>.</p>`;
}

function passwordForm({ slug, path }: Refused, { base }: Env): Html {
  return html`<form method="post" action="${base.canvasUrl(slug)}${GATE}?to=${encodeURIComponent(path)}">
    <label for="password">Password</label>
    <input id="password" name="password" type="password" required maxlength="200" autocomplete="current-password" autofocus>
    <button class="button">Open</button></form>`;
}

function signedInAs({ slug, path, viewer }: Refused, { base, config }: Env): Html {
  const home = html`<a href="${base.origin}/">All your canvases</a>`;
  if (config.authMode === "proxy") return viewer === null ? html`` : home;
  const back = encodeURIComponent(base.canvasUrl(slug) + path);
  const signIn = (words: string) => html`<a href="${base.origin}/auth/login?returnTo=${back}">${words}</a>`;
  if (viewer === null) return signIn("Sign in");
  return html`Signed in as ${viewer.name}. ${home} · ${signIn("Sign in as someone else")}`;
}
