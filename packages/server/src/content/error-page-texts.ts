import type { ErrorCode } from "@easel/protocol/errors";
import { LIMITS } from "@easel/protocol/limits";
import type { Principal } from "../access/principal.ts";
import { address, type Html, html } from "../http/html.ts";
import { retryLink } from "../http/refusal-page.ts";
import { GATE } from "./password-gate.ts";
import type { Facts } from "./refusal-facts.ts";

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
  says: Html;
}

/**
 * Maps error codes to functions that return the texts of the error page. All that the texts reveal about the canvas, such as its title,
 * comes from `facts`, which contains only what this caller may know.
 */
export const ERROR_PAGE_TEXTS: Partial<Record<ErrorCode, (input: ErrorPageInput) => ErrorPageText>> = {
  NOT_FOUND: ({ message }) => ({ title: "Nothing here", says: html`<p>${message}</p>` }),
  ARCHIVED: () => ({
    title: "Archived",
    says: html`<p>This canvas has been put away. Its owner can bring it back.</p>`,
  }),
  DISABLED: ({ facts: { disabledReason } }) => ({
    title: "Switched off",
    says: html`<p>An administrator has switched this canvas off.</p>
      ${disabledReason === null ? null : html`<p>The reason: <strong>${disabledReason}</strong></p>`}`,
  }),
  OWNER_ONLY: askTheOwner,
  NOT_INVITED: () => ({
    title: "Not shared with you",
    says: html`<p>Your invitation is for another canvas. Sign in, or ask the owner of this one to invite you too.</p>`,
  }),
  SHARE_EXPIRED: () => ({
    title: "No longer shared",
    says: html`<p>The time that this canvas was shared for is over. Its owner can share it again.</p>`,
  }),
  PASSWORD_REQUIRED: askForPassword,
  RATE_LIMITED: ({ wait, canvas, path }) => ({
    title: "Too many tries",
    says: retryLink(wait, canvas + path),
  }),
  INVALID_BODY: ({ message, canvas }) => ({
    title: "That did not work",
    says: html`<p>${message}</p><a class="button" href="${canvas}">Open the canvas</a>`,
  }),
};

function askTheOwner({ principal, canvas, facts: { owner } }: ErrorPageInput): ErrorPageText {
  const title = "Not shared with you";
  if (principal === null) return { title, says: html`<p>Sign in to open this canvas.</p>` };
  const you = html`<strong>${address(principal.email)}</strong>`;
  if (owner === null)
    return { title, says: html`<p>Ask the owner of this canvas to share it with ${you}.</p>` };
  const mail = mailTo(owner.email, {
    subject: "Please share a canvas with me",
    body: `Please share ${canvas} with ${principal.email}.`,
  });
  return {
    title,
    says: html`<p>This canvas belongs to <strong>${owner.name}</strong>. Ask them to share it with ${you}.</p>
      <a class="button" href="${mail}">Write to the owner</a>`,
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
    says: html`<p>The person who shared ${facts.title === null ? "this canvas" : html`<strong>${facts.title}</strong>`} with you can tell you its password.</p>
      <form method="post" action="${canvas}${GATE}?to=${encodeURIComponent(path)}">
      <label for="password">Password</label>
      <input id="password" name="password" type="password" required maxlength="${LIMITS.passwordLength.value}"
        autocomplete="current-password" autofocus ${again ? html`aria-invalid="true" aria-describedby="fault"` : null}>${fault}
      <button class="button">Open</button></form>`,
  };
}
