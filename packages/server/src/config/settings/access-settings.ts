import { optional, pattern, setting, text, whole } from "../setting-types.ts";

/** Settings of how long what lets people in is valid. */
export const ACCESS = {
  inviteDays: setting(
    "SERVICE_INVITE_DAYS",
    whole(1, 3_650),
    30,
    "For how many days the link of an invitation lets a guest in. Guests who have entered stay until the invitation is revoked. The inviter can choose fewer.",
  ),
  tokenMaxDays: optional(
    "SERVICE_TOKEN_MAX_DAYS",
    whole(1, 3_650),
    "For how many days an access token is valid at most, with those for AI tools that people make themselves. At the start, older ones end, and those without an end get one. By default tokens may be valid for ever.",
  ),
  scimToken: optional(
    "SERVICE_SCIM_TOKEN",
    pattern("at least 32 characters without spaces", /^[\x21-\x7e]{32,}$/),
    "The token with which an identity provider manages people and teams at `/scim/v2`, such as the output of `openssl rand -hex 32`. Without it that is off. See [people](people.md#people-from-a-directory-scim).",
    { secret: true },
  ),
  scimIdClaim: optional(
    "SERVICE_SCIM_ID_CLAIM",
    text,
    "The claim of a sign-in that has the same id of the person as `externalId` of SCIM, such as `oid` of Microsoft Entra ID with `objectId` as `externalId`, or `sub` of Okta. People are then recognized by it; without it by their addresses.",
  ),
};
