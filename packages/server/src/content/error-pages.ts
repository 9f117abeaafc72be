import type { ErrorCode } from "@easel/protocol/errors";
import { LIMITS } from "@easel/protocol/limits";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../access/principal.ts";
import { manages, roleOf } from "../access/roles.ts";
import { findForAccess } from "../canvases/access-lookup.ts";
import { findForErrorPage } from "../canvases/store.ts";
import type { Env } from "../env.ts";
import { retryAfterOf, retryLink } from "../http/errors.ts";
import { address, type Html, html, sendPage } from "../http/html.ts";
import { type Refusal, refuse } from "../http/refusal.ts";
import { wantsPage } from "../http/request-headers.ts";
import { type Askable, type Asking, askingOf } from "../mail/access-requests.ts";
import { ENTER } from "../sign-in/hand-over.ts";
import { ASK, GATE } from "./forms.ts";
import { referringCanvas } from "./isolation.ts";

/** The facts about a canvas that an error page may show. */
interface Facts {
  title: string | null;
  owner: { name: string; email: string } | null;
  /** The canvas to which the caller can ask for access by mail, and whether they have; null if they cannot. Its title is not to be shown. */
  asks: (Askable & { state: Exclude<Asking, "off"> }) | null;
  disabledReason: string | null;
}

const NONE: Facts = { title: null, owner: null, asks: null, disabledReason: null };

/**
 * Looks up what a refused caller may know about the canvas:
 * - `PASSWORD_REQUIRED`: the title, if the caller lacks only the password;
 * - `OWNER_ONLY`: the name and e-mail address of an active owner, if the caller is a member of the canvas's organisation and not a guest; and whether
 *   they can ask for access by mail, unless they are here by the restricted session of a preview;
 * - `DISABLED`: the reason, if the caller is the owner or an editor.
 */
export async function factsFor(
  code: ErrorCode | undefined,
  slug: string,
  principal: Principal,
  env: Env,
): Promise<Facts> {
  if (code !== "PASSWORD_REQUIRED" && code !== "OWNER_ONLY" && code !== "DISABLED") return NONE;
  const email = principal.kind === "member" ? principal.email : null;
  const [canvas, found] = await Promise.all([findForAccess(slug, email, env), findForErrorPage(slug, env)]);
  if (canvas === null || found === undefined) return NONE;
  const role = roleOf(principal, canvas);
  if (code === "PASSWORD_REQUIRED") return role === null ? NONE : { ...NONE, title: found.title };
  if (code === "DISABLED") return manages(role) ? { ...NONE, disabledReason: found.disabled_reason } : NONE;
  if (principal.kind !== "member" || !canvas.inOrg || found.owner_deactivated_at !== null) return NONE;
  const owner = { id: found.owner_id, name: found.owner_name, email: found.owner_email };
  const askable: Askable = { id: found.id, title: found.title, owner };
  const state = principal.restriction === null ? await askingOf(askable, principal, env) : "off";
  return { ...NONE, owner, asks: state === "off" ? null : { ...askable, state } };
}

/** The values that an error page may show. */
interface ErrorPageInput {
  principal: Principal;
  facts: Facts;
  /** The canvas's URL, with a slash at the end. */
  canvas: string;
  /** The path of the requested page, relative to the canvas's URL. */
  path: string;
  /** The message of the refusal. */
  message: string;
  /** Whether the request submitted the password form. */
  again: boolean;
  /** The value of the `Retry-After` header in seconds; 0 if the response has no such header. */
  wait: number;
}

/** The texts of an error page. `heading` is the title by default. */
interface ErrorPageText {
  title: string;
  heading?: string;
  text: Html;
}

/**
 * Maps error codes to functions that return the texts of the error page. All that the texts reveal about the canvas, such as its title,
 * comes from `facts`, which contains only what this caller may know.
 */
const ERROR_PAGE_TEXTS: Partial<Record<ErrorCode, (input: ErrorPageInput) => ErrorPageText>> = {
  NOT_FOUND: ({ message }) => ({ title: "Nothing here", text: html`<p>${message}</p>` }),
  ARCHIVED: () => ({
    title: "Archived",
    text: html`<p>This canvas has been put away. Its owner can bring it back.</p>`,
  }),
  DISABLED: ({ facts: { disabledReason } }) => ({
    title: "Switched off",
    text: html`<p>An administrator has switched this canvas off.</p>
      ${disabledReason === null ? null : html`<p>The reason: <strong>${disabledReason}</strong></p>`}`,
  }),
  OWNER_ONLY: askTheOwner,
  NOT_INVITED: () => ({
    title: "Not shared with you",
    text: html`<p>Your invitation is for another canvas. Sign in, or ask the owner of this one to invite you too.</p>`,
  }),
  SHARE_EXPIRED: () => ({
    title: "No longer shared",
    text: html`<p>The time that this canvas was shared for is over. Its owner can share it again.</p>`,
  }),
  PASSWORD_REQUIRED: askForPassword,
  RATE_LIMITED: ({ wait, canvas, path }) => ({
    title: "Too many tries",
    text: retryLink(wait, canvas + path),
  }),
  INVALID_BODY: ({ message, canvas }) => ({
    title: "That did not work",
    text: html`<p>${message}</p><a class="button" href="${canvas}">Open the canvas</a>`,
  }),
};

function askTheOwner({ principal, canvas, path, again, facts }: ErrorPageInput): ErrorPageText {
  const { owner, asks } = facts;
  const title = "Not shared with you";
  if (principal.kind === "visitor") return { title, text: html`<p>Sign in to open this canvas.</p>` };
  const you = html`<strong>${address(principal.email)}</strong>`;
  if (owner === null)
    return { title, text: html`<p>Ask the owner of this canvas to share it with ${you}.</p>` };
  const mail = mailTo(owner.email, {
    subject: "Please share a canvas with me",
    body: `Please share ${canvas} with ${principal.email}.`,
  });
  const belongs = html`This canvas belongs to <strong><bdi>${owner.name}</bdi></strong>.`;
  const write = html`<a href="${mail}">write to them</a>`;
  // The page of a submitted form is only sent if the mail was above the limits.
  if (asks === null || (asks.state === "open" && again))
    return {
      title,
      text: html`${asks === null ? null : html`<p class="fault" role="alert">Easel sends no more mails for you, or to them, today.</p>`}
      <p>${belongs} Ask them to share it with ${you}.</p><a class="button" href="${mail}">Write to the owner</a>`,
    };
  if (asks.state === "asked")
    return {
      title,
      heading: "You have asked for access",
      text: html`<p>${belongs} They get a mail with your name and ${you}. You can open it once they have shared it with you.</p>
      <p>You can ask again tomorrow, or ${write}.</p><a class="button" href="${canvas}${path}">Try again</a>`,
    };
  return {
    title,
    text: html`<p>${belongs} Ask them to share it with ${you}: they get a mail with your name and address. Or ${write}.</p>
      <form method="post" action="${canvas}${ASK}?to=${encodeURIComponent(path)}"><button class="button">Ask for access</button></form>`,
  };
}

/** Returns a `mailto:` URL. */
function mailTo(email: string, fields: Record<string, string>): string {
  const [local = "", domain = ""] = email.split("@").map(encodeURIComponent);
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `mailto:${local}@${domain}?${query.join("&")}`;
}

function askForPassword({ canvas, path, again, facts }: ErrorPageInput): ErrorPageText {
  const fault = again ? html`<p class="fault" id="fault" role="alert">That is not the password.</p>` : null;
  return {
    title: again ? "Wrong password" : "Password needed",
    heading: "Password needed",
    text: html`<p>The person who shared ${facts.title === null ? "this canvas" : html`<strong>${facts.title}</strong>`} with you can tell you its password.</p>
      <form method="post" action="${canvas}${GATE}?to=${encodeURIComponent(path)}">
      <label for="password">Password</label>
      <input id="password" name="password" type="password" required maxlength="${LIMITS.passwordLength.value}"
        autocomplete="current-password" autofocus ${again ? html`aria-invalid="true" aria-describedby="fault"` : null}>${fault}
      <button class="button">Open</button></form>`,
  };
}

/** The canvas, path and caller of a refused request. `path` is relative to the canvas's URL. */
export interface RefusedPage {
  slug: string;
  path: string;
  principal: Principal;
}

/**
 * Sends the HTML error page for a refused request to a canvas page. Rethrows the refusal if the client does not accept HTML, or if there is
 * no error page for the error code.
 */
export async function sendCanvasErrorPage(
  refusal: Refusal,
  refused: RefusedPage,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const render = refusal.code && ERROR_PAGE_TEXTS[refusal.code];
  if (render === undefined || !wantsPage(request.headers)) throw refusal;
  const { slug, path, principal } = refused;
  const canvas = env.base.canvasUrl(slug);
  const facts = await factsFor(refusal.code, slug, principal, env);
  const { title, heading, text } = render({
    principal,
    facts,
    canvas,
    path,
    message: refusal.message,
    again: request.method === "POST",
    wait: retryAfterOf(reply),
  });
  return sendPage(reply.code(refusal.status), {
    title,
    narrow: true,
    formsLeadTo: signInOrigins(env),
    body: html`<h1>${heading ?? title}</h1>${text}${accountLinks(principal, canvas, path, env)}`,
  });
}

/**
 * Returns the origins for the CSP directive `form-action`. The server may redirect the password form to the sign-in, and from there to the
 * OpenID provider.
 */
const signInOrigins = ({ base, config }: Env): string =>
  config.oidcIssuer === null ? base.origin : `${base.origin} ${new URL(config.oidcIssuer).origin} https:`;

/**
 * Renders the e-mail address of the signed-in user and a link to sign in as another user. Without a user, renders a link to sign in. The
 * link to the documentation, which is public, is the same for every canvas and caller.
 */
function accountLinks(principal: Principal, canvas: string, path: string, { base, config }: Env): Html {
  const home = html`<a href="${base.origin}/">Your canvases</a>`;
  const docs = html`<a href="${base.origin}/docs">Documentation</a>`;
  const login = `${base.origin}/auth/login?returnTo=${encodeURIComponent(canvas + path)}`;
  const link = (to: string, words: string) =>
    config.authMode === "proxy" ? null : html`<a href="${to}">${words}</a>`;
  if (principal.kind === "visitor") {
    // In subdomain mode the browser may be signed in on the base host and only lack the cookie of this canvas host. The URL `enter` sets
    // this cookie.
    const enter = `${canvas}${ENTER}?to=${encodeURIComponent(`/${path}`)}`;
    const signIn = link(base.urlMode === "subdomain" ? enter : login, "Sign in");
    return html`<footer class="links"><p>You are not signed in here.</p>${signIn}${docs}</footer>`;
  }
  if (principal.kind === "guest") {
    return html`<footer class="links"><p>Invited as a guest: ${address(principal.email)}</p>${link(login, "Sign in")}${home}${docs}</footer>`;
  }
  const other = link(`${login}&anew=1`, "Sign in as someone else");
  return html`<footer class="links"><p>Signed in as ${address(principal.email)}</p>${other}${home}${docs}</footer>`;
}

/**
 * Matches the paths of the runtime API and of the sign-in. A request to such a path was meant for the service, not for a file of a canvas.
 */
const OWN_PATHS = /^\/(v1|auth)([/?]|$)/;

/**
 * Throws 404 `NOT_FOUND` for a path without a route. If a canvas page in path mode requested the path, the message advises its author to
 * use relative addresses. Only the `Referer` decides this, so the message reveals nothing about the canvas.
 */
export async function refuseUnknownPath(request: FastifyRequest, env: Env): Promise<never> {
  const isOfPage = env.base.urlMode === "path" && referringCanvas(request.headers, env) !== null;
  if (!isOfPage || OWN_PATHS.test(request.url)) refuse("NOT_FOUND");
  return refuse("NOT_FOUND", {
    message:
      'The page that asked for this was built for the root of a host, but the files of a canvas are below its own address. Use relative addresses; with Vite, set `base: "./"`.',
  });
}
