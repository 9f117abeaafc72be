import { BlockList } from "node:net";
import {
  list,
  networks,
  oneOf,
  onOff,
  optional,
  pattern,
  secrets,
  setting,
  text,
  url,
  whole,
} from "../setting-types.ts";

const email = pattern("an e-mail address", /^[^\s@,]+@[^\s@,]+$/);
const domain = pattern("a domain name", /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i);
const headerName = pattern("a header name", /^[!#$%&'*+.^_`|~0-9a-z-]+$/i);

/** Settings of the way people sign in. */
export const SIGN_IN = {
  adminEmails: setting("SERVICE_ADMIN_EMAILS", list(email), [], "Instance administrators.", {
    shown: "`dev@example.com` in dev mode",
  }),
  allowedEmailDomains: setting(
    "SERVICE_ALLOWED_EMAIL_DOMAINS",
    list(domain),
    [],
    "Sign-in is refused outside these domains.",
    { shown: "any" },
  ),
  proxyTrustedIps: setting(
    "SERVICE_PROXY_TRUSTED_IPS",
    networks,
    new BlockList(),
    "Identity headers and `X-Forwarded-For` are trusted from these peers only.",
    { shown: "none" },
  ),
  proxyEmailHeader: setting(
    "SERVICE_PROXY_EMAIL_HEADER",
    headerName,
    "X-Auth-Request-Email",
    "Header with the person's e-mail address.",
  ),
  proxyNameHeader: setting(
    "SERVICE_PROXY_NAME_HEADER",
    headerName,
    "X-Auth-Request-Preferred-Username",
    "Header with the person's name.",
  ),
  proxySecret: optional(
    "SERVICE_PROXY_SECRET",
    secrets,
    "What the proxy sends in the header `X-Service-Proxy-Secret`, beside the headers with address and name: without it, these do not count. With several secrets, for rotation, each one counts.",
    { secret: true },
  ),
  proxyJwksUrl: optional(
    "SERVICE_PROXY_JWT_JWKS_URL",
    url("http", "https"),
    "Keys of the proxy's signed token; when set, no other credential is accepted.",
  ),
  proxyJwtIssuer: optional("SERVICE_PROXY_JWT_ISSUER", text, "Issuer that the signed token must name."),
  proxyJwtAudience: optional("SERVICE_PROXY_JWT_AUDIENCE", text, "Audience that the signed token must name."),
  proxyJwtHeader: setting(
    "SERVICE_PROXY_JWT_HEADER",
    headerName,
    "Cf-Access-Jwt-Assertion",
    "Header with the signed token.",
  ),
  oidcIssuer: optional("SERVICE_OIDC_ISSUER", url("http", "https"), "OpenID Connect issuer."),
  oidcClientId: optional("SERVICE_OIDC_CLIENT_ID", text, "OpenID Connect client."),
  oidcClientSecret: optional("SERVICE_OIDC_CLIENT_SECRET", text, "OpenID Connect client secret.", {
    secret: true,
  }),
  oidcScopes: setting("SERVICE_OIDC_SCOPES", text, "openid email profile", "OpenID Connect scopes."),
  oidcEmailClaim: setting(
    "SERVICE_OIDC_EMAIL_CLAIM",
    text,
    "email",
    "Claim with the e-mail address, such as `upn` or `preferred_username`. No provider says that another claim than `email` is verified, so it needs `SERVICE_OIDC_EMAIL_VERIFIED=if_present`.",
  ),
  oidcEmailVerified: setting(
    "SERVICE_OIDC_EMAIL_VERIFIED",
    oneOf("required", "if_present"),
    "required",
    "Whether the provider must say that the address is verified. With `if_present`, one that says nothing is believed; an address that it calls unverified is always refused. `if_present` needs `SERVICE_ALLOWED_EMAIL_DOMAINS`.",
  ),
  oidcAcrValues: optional(
    "SERVICE_OIDC_ACR_VALUES",
    text,
    "Authentication contexts to ask for, separated by spaces. The ID token must name one of them in `acr`.",
  ),
  oidcMaxAge: optional(
    "SERVICE_OIDC_MAX_AGE",
    whole(0),
    "Seconds after which the provider must ask for the credentials again. The ID token must prove it by `auth_time`.",
  ),
  oidcLogout: setting(
    "SERVICE_OIDC_LOGOUT",
    onOff,
    false,
    "Whether signing out here signs out at the provider, too. Register `{base}/auth/signed-out` there.",
  ),
  oidcGroupsClaim: optional(
    "SERVICE_OIDC_GROUPS_CLAIM",
    text,
    "Claim with the groups of the person, in the ID token, userinfo or the signed token of the proxy. A path such as `realm_access.roles` leads into objects.",
  ),
  oidcAllowedGroups: setting(
    "SERVICE_OIDC_ALLOWED_GROUPS",
    list(text),
    [],
    "Groups whose members may sign in, as the claim spells them.",
    { shown: "all people" },
  ),
  oidcAdminGroups: setting(
    "SERVICE_OIDC_ADMIN_GROUPS",
    list(text),
    [],
    "Groups whose members are administrators, in addition to `SERVICE_ADMIN_EMAILS`.",
    { shown: "none" },
  ),
  sessionIdleDays: setting(
    "SERVICE_SESSION_IDLE_DAYS",
    whole(1, 400),
    14,
    "Days after which a session ends that nobody uses.",
  ),
  sessionMaxDays: optional(
    "SERVICE_SESSION_MAX_DAYS",
    whole(1, 400),
    "Days after which a session ends however much it is used.",
    { shown: "7 for people who sign in at an OpenID Connect provider, 90 for others" },
  ),
};
