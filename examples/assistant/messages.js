import { MODEL } from "./model.js";

/** The text of an error without a response. A browser that leaves the page ends its requests with the same error. */
export const UNREACHABLE = "The service could not be reached. Check your connection, and try again.";

const MESSAGES = {
  NOT_AUTHENTICATED: "You are not signed in. Reload this page to sign in.",
  PERMISSION_DENIED:
    "Only the owner and the editors of this page may ask. They can let viewers ask as well, by setting its aiAudience to viewers.",
  GUEST_AI_DISABLED: "Guests may not ask here. The owner of this page can let them, by switching guestAi on.",
  GUEST_AI_CAP: "Your AI allowance as a guest is used up.",
  MODEL_NOT_ALLOWED: `The model ${MODEL} is not allowed here. The owner of this page can choose another one in its file model.js.`,
  RATE_LIMITED: "These were many questions in a short time. Wait a minute, and try again.",
  BODY_TOO_LARGE: "This question is too long. Make it shorter, please.",
  AI_STREAM_TRUNCATED: "The answer broke off before it was complete.",
};

const REASONS = {
  operator_disabled:
    "AI is off on this service, because it has no key of an AI provider yet. An administrator sets the key and starts the service again (docs/operating.md has the details):",
  OWNER_ONLY: "This page is no longer shared with you.",
  SHARE_EXPIRED: "This page is no longer shared with you: its time has run out.",
  NOT_FOUND: "This page is gone: it was deleted.",
};

const TIME = new Intl.DateTimeFormat("en", { weekday: "long", hour: "numeric", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "long" });

/** Returns a text about a cap that is used up, with the time at which the next day or month begins in UTC. */
function explainCap({ scope }) {
  const now = new Date();
  if (scope === "canvas_monthly" || scope === "instance_monthly") {
    const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    const whose = scope === "canvas_monthly" ? "of this page" : "of this service";
    return `The AI allowance ${whose} for this month is used up. The next one begins on ${DAY.format(next)}.`;
  }
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return `Your AI allowance for today is used up. The next one begins on ${TIME.format(next)}.`;
}

/** Returns a text that tells a person what to do about an error. */
export function explain(error) {
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  if (error.code === "QUOTA_EXCEEDED") return explainCap(error);
  if (error.status === 0) return UNREACHABLE;
  return REASONS[error.reason] ?? MESSAGES[error.code] ?? error.hint ?? error.message;
}

/** Returns the command that removes the cause of an error, if an administrator can run one. */
export const remedyOf = ({ capability, reason }) =>
  capability === "ai" && reason === "operator_disabled" ? "SERVICE_AI_API_KEY=… npm start" : "";
