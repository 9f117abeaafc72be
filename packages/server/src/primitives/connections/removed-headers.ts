/** Request headers that are removed for the same reason. */
interface Family {
  /** What the headers of the family are or do. */
  what: string;
  /** Names in lower case. `*` at the end stands for any further characters. */
  names: readonly string[];
}

/**
 * The families of request headers of a caller that no profile can let through (specification 4.6). Their number does not count. The upstream gets the request from the
 * service: what these headers say would be taken for the word of the service or of its proxies.
 */
export const REMOVED_FAMILIES: readonly Family[] = [
  {
    what: "credentials",
    names: ["authorization", "cookie", "cookie2", "proxy-auth*"],
  },
  {
    what: "the connection",
    names: [
      "connection",
      "content-length",
      "expect",
      "host",
      "http2-settings",
      "keep-alive",
      "proxy-connection",
      "te",
      "trailer",
      "transfer-encoding",
      "upgrade",
    ],
  },
  {
    what: "compression",
    names: ["accept-encoding", "content-encoding"],
  },
  {
    what: "the page, as browsers describe it",
    names: ["access-control-*", "dnt", "origin", "priority", "referer", "sec-*", "upgrade-insecure-requests"],
  },
  {
    what: "another method than that of the request",
    names: ["http-method*", "method-override*", "x-http-method*", "x-method*", "x-override-method*"],
  },
  {
    what: "another path, host or file than those of the request",
    names: [
      "x-accel-*",
      "x-host",
      "x-http-host-override",
      "x-original-*",
      "x-rewrite-*",
      "x-script-name",
      "x-sendfile*",
    ],
  },
  {
    what: "the client of a proxy and its connection",
    names: [
      "akamai-*",
      "cf-*",
      "client-ip",
      "fastly-*",
      "fly-*",
      "forwarded*",
      "front-end-https",
      "incap-*",
      "true-client-ip",
      "via",
      "wl-proxy-*",
      "x-amzn-*",
      "x-appengine-*",
      "x-arr-*",
      "x-azure-*",
      "x-client-*",
      "x-cluster-client-*",
      "x-envoy-*",
      "x-forward*",
      "x-nf-*",
      "x-originating-*",
      "x-proxyuser-*",
      "x-real-ip",
      "x-real-port",
      "x-sucuri-*",
      "x-vercel-*",
    ],
  },
  {
    what: "the certificate of the client",
    names: ["client-cert*", "ssl-client-*", "x-ssl-*", "x-tls-client-*"],
  },
  {
    what: "the user, as sign-in proxies and gateways name them",
    names: [
      "iv-*",
      "oidc-*",
      "remote-*",
      "shib-*",
      "tailscale-*",
      "teleport-*",
      "x-anonymous-consumer",
      "x-apigateway-api-userinfo",
      "x-auth-group*",
      "x-auth-request-*",
      "x-auth-user*",
      "x-authenticated-*",
      "x-authentik-*",
      "x-consumer-*",
      "x-credential-identifier",
      "x-endpoint-api-userinfo",
      "x-goog-authenticated-user-*",
      "x-goog-iap-*",
      "x-ms-client-principal*",
      "x-ms-token-*",
      "x-pomerium-*",
      "x-remote-*",
      "x-userinfo",
      "x-vouch-*",
      "x-webauth-*",
    ],
  },
  {
    what: "this service",
    names: ["x-service-*"],
  },
];

const PATTERNS = REMOVED_FAMILIES.flatMap(({ names }) => names);
const NAMES = new Set(PATTERNS.filter((each) => !each.endsWith("*")));
const PREFIXES = PATTERNS.filter((each) => each.endsWith("*")).map((each) => each.slice(0, -1));

/**
 * A name that all servers read in the same way. CGI and WSGI applications read `_` and other characters as `-`, so that `x_forwarded_for`
 * would be `X-Forwarded-For` to them.
 */
const UNAMBIGUOUS = /^[a-z0-9-]+$/;

/** Whether a request header with this name, in lower case, is never sent to an upstream. */
export const isRemoved = (name: string): boolean =>
  !UNAMBIGUOUS.test(name) || NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
