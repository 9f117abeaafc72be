const MESSAGES = {
  NOT_AUTHENTICATED: "You are not signed in. Reload this page to sign in.",
  PERMISSION_DENIED: "Only the owner and the editors of this canvas publish with it.",
  RATE_LIMITED: "That was a little fast. Wait a moment and try again.",
  SLUG_TAKEN: "This address is taken. Choose another one.",
  ORG_REQUIRED:
    "You belong to no organisation here, so there is nobody to share with in this way. Choose other readers.",
  PUBLIC_LINKS_DISABLED: "Links for anyone are switched off here. Choose other readers.",
  PUBLIC_NOT_ALLOWED: "You may not publish links for anyone. Choose other readers.",
  PUBLIC_LINK_OWNER_GATED: "The owner of this page may not publish links for anyone. Choose other readers.",
  SHARE_REVOKED: "This page is taken down. Edit and publish it to bring it back.",
  DISABLED: "An administrator has disabled this page. It cannot be changed.",
  PUBLISH_FAILED: "Publishing failed. Nothing was published; try again.",
  UPDATE_PARTIAL:
    "The settings are saved, but readers still see the former page. Publish again to change it.",
};

const REASONS = {
  invalid_slug: "An address has 3 to 63 small letters, digits and hyphens, and some words are reserved.",
  org_forbidden: "Your organisation does not allow this. Choose other readers.",
  operator_disabled:
    "Publishing is switched off on this service. You can write a page, look at the preview and save it as a file. The operator switches publishing on with SERVICE_AUTHORING=on.",
  NOT_FOUND: "This publisher is gone: it was deleted.",
  OWNER_ONLY: "This publisher is no longer shared with you.",
  SHARE_EXPIRED: "This publisher is no longer shared with you: its time has run out.",
  PASSWORD_REQUIRED: "This publisher needs its password again. Reload it to enter the password.",
};

const QUOTAS = {
  user_daily: (limit) =>
    `You have published ${limit} pages today, which is all for a day. Come back tomorrow.`,
  user_total: (limit) => `You have published ${limit} pages, which is all that one person may publish.`,
};

/** Returns a text that tells a person what to do about an error. */
export function explain(error) {
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  if (error.code === "QUOTA_EXCEEDED" && Object.hasOwn(QUOTAS, error.scope))
    return QUOTAS[error.scope](error.limit);
  if (error.code === "PUBLISH_FAILED" && error.id !== undefined)
    return "Publishing failed, and the page is kept as a draft. Publish again to try once more.";
  return REASONS[error.reason ?? error.code] ?? MESSAGES[error.code] ?? error.hint ?? error.message;
}

const READERS = ["ORG_REQUIRED", "PUBLIC_LINKS_DISABLED", "PUBLIC_NOT_ALLOWED", "PUBLIC_LINK_OWNER_GATED"];

/** Returns the name of the form field that caused an error: `slug` or `access`. Returns undefined for all other errors. */
export function fieldOf({ code, reason }) {
  if (code === "SLUG_TAKEN" || reason === "invalid_slug") return "slug";
  if (READERS.includes(code) || reason === "org_forbidden") return "access";
  return undefined;
}
