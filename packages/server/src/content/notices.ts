import type { ErrorCode } from "@easel/protocol/errors";
import { LIMITS } from "@easel/protocol/limits";
import { address, type Html, html } from "../kit/html.ts";
import type { Viewer } from "../pipeline/visit.ts";
import { GATE } from "./gate.ts";

/** A refused visit, as its page tells of it. */
interface Visit {
  viewer: Viewer;
  /** The canvas's address, with a slash at the end. */
  canvas: string;
  /** The page that was asked for, below it. */
  path: string;
  /** The refusal's own words. */
  message: string;
  /** Whether the visitor has just tried to get past the refusal. */
  again: boolean;
  /** Seconds until the next try; 0 where none is needed. */
  wait: number;
}

/** What a refused visitor reads. The title says the state first, and is the heading too unless there is another. */
interface Notice {
  title: string;
  heading?: string;
  says: Html;
}

/** The pages of refusals, by code. None names the canvas or its owner. */
export const NOTICES: Partial<Record<ErrorCode, (visit: Visit) => Notice>> = {
  NOT_FOUND: ({ message }) => ({ title: "Nothing here", says: html`<p>${message}</p>` }),
  ARCHIVED: () => ({
    title: "Archived",
    says: html`<p>This canvas has been put away. Its owner can bring it back.</p>`,
  }),
  DISABLED: () => ({
    title: "Switched off",
    says: html`<p>An administrator has switched this canvas off.</p>`,
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
    says: html`<p>Wait ${wait > 1 ? `${wait} seconds` : "a moment"}, then go on.</p>
      <a class="button" href="${canvas}${path}">Try again</a>`,
  }),
  INVALID_BODY: ({ message, canvas }) => ({
    title: "That did not work",
    says: html`<p>${message}</p><a class="button" href="${canvas}">Open the canvas</a>`,
  }),
};

function askTheOwner({ viewer }: Visit): Notice {
  const says =
    viewer === null
      ? html`<p>Sign in to open this canvas.</p>`
      : html`<p>Ask the owner of this canvas to share it with <strong>${address(viewer.email)}</strong>.</p>`;
  return { title: "Not shared with you", says };
}

function askForPassword({ canvas, path, again }: Visit): Notice {
  const fault = again ? html`<p class="fault" id="fault" role="alert">That is not the password.</p>` : null;
  return {
    title: again ? "Wrong password" : "Password needed",
    heading: "Password needed",
    says: html`<p>Whoever shared this canvas with you can tell you its password.</p>
      <form method="post" action="${canvas}${GATE}?to=${encodeURIComponent(path)}">
      <label for="password">Password</label>
      <input id="password" name="password" type="password" required maxlength="${LIMITS.passwordLength.value}"
        autocomplete="current-password" autofocus ${again ? html`aria-invalid="true" aria-describedby="fault"` : null}>${fault}
      <button class="button">Open</button></form>`,
  };
}
