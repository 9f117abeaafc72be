import { ApiError } from "./weather.js";

const WAIT = "There were many requests in a short time. Wait a minute, and try again.";
const AWAY = "The weather service does not respond at present. Try again in a few minutes.";
const ODD = "The weather service has sent something that this page does not understand.";

const MESSAGES = {
  NOT_AUTHENTICATED: "You are not signed in. Reload this page to sign in.",
  NOT_FOUND: "This page is no longer shared with you.",
  PERMISSION_DENIED:
    "Only the owner and the editors of this page may see the weather. They can let viewers see it, too: in the policy of this page, the Connection weather has an audience.",
  STATIC_ONLY:
    "Visitors of this link cannot see the weather. An administrator can let them, by granting the profile weather to this page as public.",
  CONNECTION_NOT_GRANTED:
    "What you see below is a sample and not the weather: this page may not call the weather service yet. An administrator creates this profile and grants it to this page; docs/operating.md shows how.",
  CONNECTION_DISABLED: "An administrator has switched the weather service off. Ask them when it is back.",
  CONNECTION_KEY_UNAVAILABLE:
    "The service cannot decrypt the credentials of the weather service. An administrator has to set its key or enter the credentials again.",
  METHOD_NOT_ALLOWED:
    "The profile weather does not allow GET. An administrator has to add this method to it.",
  DESTINATION_BLOCKED:
    "The weather service leads to an address that is not allowed. An administrator has to check the origin of the profile weather.",
  CONNECTION_RATE_LIMIT: WAIT,
  RATE_LIMITED: WAIT,
  CONNECTION_LIMIT: "Many people are looking at this page right now. Try again in a moment.",
  UPSTREAM_UNAVAILABLE: AWAY,
  UPSTREAM_TIMEOUT: AWAY,
  RESPONSE_TOO_LARGE: ODD,
};

/** Returns a text that tells a person what to do about an error. */
export function explain(error) {
  if (error instanceof ApiError) {
    if (error.status === 429) return "The weather service has had too many requests. Try again later.";
    return error.status >= 500 ? AWAY : ODD;
  }
  if (!error.code) return "A part of this page is missing. Reload it, please.";
  if (error.status === 0) return "The service could not be reached. Check your connection, and try again.";
  return MESSAGES[error.code] ?? error.message;
}

/** Returns true if the profile does not exist or is not granted to the page. An administrator has to create or grant it. */
export const needsGrant = ({ code }) => code === "CONNECTION_NOT_GRANTED";
