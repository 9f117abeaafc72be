import { optional, setting, whole } from "../setting-types.ts";

/** Settings of how long what lets people in is valid. */
export const ACCESS = {
  inviteDays: setting(
    "SERVICE_INVITE_DAYS",
    whole(1, 3_650),
    30,
    "For how many days the link of an invitation lets a guest in. Guests who have entered stay until the invitation is revoked. Whoever invites can choose fewer.",
  ),
  tokenMaxDays: optional(
    "SERVICE_TOKEN_MAX_DAYS",
    whole(1, 3_650),
    "For how many days an access token is valid at most, with those for AI tools that people make themselves. At the start, older ones end, and those without an end get one. By default tokens may be valid for ever.",
  ),
};
