import { normalEmail } from "../access/principal.ts";
import type { Config } from "../config/config.ts";
import { directoryIdIn } from "../identity/directory-id.ts";
import { groupsIn } from "../identity/group-claim.ts";
import type { Account } from "../identity/identities.ts";
import { cleanName } from "../identity/users.ts";
import { OidcError } from "./oidc-error.ts";

/** The claims of the provider about a user. The types of the values are not checked yet. */
export type Claims = Readonly<Record<string, unknown>>;

/** The tolerated difference of the clocks, in seconds. */
const TOLERANCE_S = 60;

/** The values by which Entra ID says in `xms_edov` that the owner of the domain has verified the address. */
const OWNER_VERIFIED: readonly unknown[] = [true, "true", 1, "1"];

/**
 * What the provider says about the verification of `email`. Nothing but the literal `true` in `email_verified` is a yes. Whatever else is
 * there is a no.
 */
function verification({ email_verified: verified, xms_edov: owner }: Claims): "yes" | "no" | "unsaid" {
  if (verified === undefined && owner === undefined) return "unsaid";
  const says =
    (verified === undefined || verified === true) && (owner === undefined || OWNER_VERIFIED.includes(owner));
  return says ? "yes" : "no";
}

/** Whether claims of the ID token lack what userinfo may have. */
export const needsUserinfo = (
  claims: Claims,
  { oidcEmailClaim, oidcGroupsClaim }: Pick<Config, "oidcEmailClaim" | "oidcGroupsClaim">,
): boolean =>
  claims[oidcEmailClaim] === undefined ||
  verification(claims) === "unsaid" ||
  (oidcGroupsClaim !== null && groupsIn(claims, oidcGroupsClaim) === undefined);

/**
 * Combines the claims of the ID token with those of userinfo. Address and verification come from the same of the two: from the ID token if it
 * has both, otherwise from userinfo if it has an address. Issuer, subject and times are those of the ID token.
 */
export function combined(
  token: Claims,
  info: Claims,
  { oidcEmailClaim: email }: Pick<Config, "oidcEmailClaim">,
): Claims {
  const isComplete = token[email] !== undefined && verification(token) !== "unsaid";
  const source = isComplete || info[email] === undefined ? token : info;
  return {
    ...info,
    ...token,
    email: source.email,
    [email]: source[email],
    email_verified: source.email_verified,
    xms_edov: source.xms_edov,
  };
}

/** Throws an OidcError if the ID token does not prove the sign-in that the settings ask for: its context, and how long ago it was. */
export function requireSignIn(
  { acr, auth_time: at }: Claims,
  { oidcAcrValues, oidcMaxAge }: Pick<Config, "oidcAcrValues" | "oidcMaxAge">,
  now: number,
): void {
  if (oidcAcrValues !== null && !oidcAcrValues.split(" ").includes(String(acr)))
    throw new OidcError("weak", "the claim `acr` names no context of SERVICE_OIDC_ACR_VALUES");
  if (oidcMaxAge === null) return;
  if (typeof at !== "number") throw new OidcError("stale", "no claim `auth_time`");
  if (at + oidcMaxAge + TOLERANCE_S < now / 1000)
    throw new OidcError("stale", "the claim `auth_time` is older than SERVICE_OIDC_MAX_AGE");
}

/** Returns the account in the claims, whose issuer and subject are verified. Throws an OidcError if it may not sign in by the settings. */
export function accountOf(claims: Claims, config: Config): Account {
  const { iss, sub } = claims;
  const email = normalEmail(addressIn(claims, config), config.allowedEmailDomains);
  if (email === null) throw new OidcError("not_allowed", "an address that may not sign in");
  return {
    issuer: String(iss),
    subject: String(sub),
    email,
    name: nameIn(claims),
    groups: allowedGroups(claims, config),
    directoryId: directoryIdIn(claims, config),
  };
}

function addressIn(claims: Claims, { oidcEmailClaim, oidcEmailVerified }: Config): string {
  const address = claims[oidcEmailClaim];
  if (typeof address !== "string")
    throw new OidcError("unverified", `no e-mail address in the claim ${oidcEmailClaim}`);
  const says = verification(claims);
  if (says === "no") throw new OidcError("unverified", "the provider calls the address unverified");
  if (oidcEmailVerified === "required" && says !== "yes")
    throw new OidcError("unverified", "the provider does not say whether the address is verified");
  return address;
}

/** Returns the groups of the person, or null if the provider does not tell them. Throws if they have to be in one and are in none. */
function allowedGroups(
  claims: Claims,
  { oidcGroupsClaim: claim, oidcAllowedGroups: allowed }: Config,
): string[] | null {
  if (claim === null) return null;
  const groups = groupsIn(claims, claim);
  if (groups === "elsewhere") {
    if (allowed.length === 0) return null;
    throw new OidcError(
      "groups_elsewhere",
      "the person is in more groups than the provider sends: let it send those alone that are assigned to the application",
    );
  }
  if (allowed.length > 0 && !allowed.some((each) => groups?.includes(each)))
    throw new OidcError(
      "not_in_group",
      groups === undefined ? `no groups in the claim ${claim}` : "no group of SERVICE_OIDC_ALLOWED_GROUPS",
    );
  return groups ?? [];
}

/** Returns the name of a user, or null if the claims contain none. A username that is an e-mail address does not count. */
function nameIn({ name, preferred_username }: Claims): string | null {
  const username = cleanName(preferred_username);
  return cleanName(name) ?? (username?.includes("@") ? null : username);
}
