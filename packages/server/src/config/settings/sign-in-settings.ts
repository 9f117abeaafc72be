import { BlockList } from "node:net";
import { list, networks, optional, pattern, secrets, setting, text, url } from "../setting-types.ts";

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
};
