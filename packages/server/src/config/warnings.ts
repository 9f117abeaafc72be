import { baseOf } from "./addresses.ts";
import { type Config, isLoopback } from "./config.ts";

/** Combinations of settings that are valid but have a risk, with the warnings at the start of the service. */
const WARNINGS: { when: (config: Config) => boolean; message: string }[] = [
  {
    when: ({ urlMode, authMode }) => urlMode === "path" && authMode !== "dev",
    message:
      "path mode does not isolate canvases from each other: use SERVICE_URL_MODE=subdomain for pages you do not trust",
  },
  {
    when: (config) => config.urlMode === "subdomain" && !baseOf(config, config.port).hostname.includes("."),
    message:
      "browsers keep cookies of a one-word host from its subdomains: set SERVICE_BASE_URL to something like http://easel.localhost:3000",
  },
  {
    when: ({ authMode, proxyJwksUrl, proxySecret }) =>
      authMode === "proxy" && proxyJwksUrl === null && proxySecret === null,
    message:
      "every program at an address of SERVICE_PROXY_TRUSTED_IPS can sign in as anyone: set SERVICE_PROXY_SECRET, and let the proxy send it in X-Service-Proxy-Secret",
  },
  {
    when: ({ authoring, authoringScope }) => authoring && authoringScope === "person",
    message:
      "a page with authoring can replace every canvas of the person who has it open, and any canvas while an administrator has it open: set SERVICE_AUTHORING_SCOPE=canvas unless you trust all of these pages",
  },
  {
    when: ({ authMode, allowedEmailDomains, oidcAllowedGroups }) =>
      authMode === "oidc" && allowedEmailDomains.length + oidcAllowedGroups.length === 0,
    message:
      "everyone with an account at SERVICE_OIDC_ISSUER may sign in, which for a public provider is the whole world: set SERVICE_ALLOWED_EMAIL_DOMAINS",
  },
  {
    when: ({ s3 }) => s3?.endpoint.startsWith("http:") === true && !isLoopback(new URL(s3.endpoint).hostname),
    message:
      "the endpoint in SERVICE_BLOBS_URL is http: others on that network can read files, and change them on the way; use https unless the network is yours alone",
  },
];

/** Returns the warnings about the settings of a service. */
export const warningsOf = (config: Config): string[] =>
  WARNINGS.filter(({ when }) => when(config)).map(({ message }) => message);
