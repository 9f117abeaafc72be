/**
 * Where a program receives the code of an authorization: on the person's own computer (RFC 8252, section 7.3), at a web server, or through
 * a URI scheme that an application has registered with the operating system (RFC 8252, section 7.1).
 */
export type RedirectKind = "loopback" | "https" | "private";

/** The maximum length of a redirect URI in characters. An authorization request has it besides other parameters. */
const MAX_REDIRECT_LENGTH = 400;

/** Matches a URI with a path and without a fragment, by its characters (RFC 3986). */
const URI = /^[a-z][a-z0-9+.-]*:\/[\w~:/?[\]@!$&'()*+,;=%.-]+$/;

const LOOPBACK_HOSTS = ["127.0.0.1", "[::1]", "localhost"];

/** Matches the schemes that browsers handle themselves, by running code, showing files or connecting to servers. */
const TAKEN_SCHEMES =
  /^(?:javascript|vbscript|data|blob|file|filesystem|about|view-source|jar|resource|wss?|s?ftps?):/;

/**
 * Returns the kind of a redirect URI, or null if no program may have it. Which programs may have one of a scheme of applications, is decided
 * elsewhere (`oauth/clients/vouched-redirect.ts`). The URI must be written as browsers write it: with another spelling,
 * a comparison of texts and the browser could see different hosts.
 */
export function redirectKind(uri: string): RedirectKind | null {
  if (uri.length > MAX_REDIRECT_LENGTH || !URI.test(uri)) return null;
  const url = URL.parse(uri);
  if (url === null || (url.href !== uri && url.href !== `${uri}/`)) return null;
  if (url.username !== "" || url.password !== "" || url.hostname.endsWith(".")) return null;
  if (url.protocol === "http:") return LOOPBACK_HOSTS.includes(url.hostname) ? "loopback" : null;
  if (url.protocol === "https:") return "https";
  return url.pathname.length + url.host.length > 1 && !TAKEN_SCHEMES.test(uri) ? "private" : null;
}

const withoutPort = (uri: string): string => {
  const url = new URL(uri);
  url.port = "";
  return url.href;
};

/**
 * Matches the schemes that are the name of a domain, written backwards (RFC 8252, section 7.1). Applications make their own from a domain of their
 * maker; those of browsers and operating systems have no dot, or a first part that is no top-level domain, such as `x-apple.systempreferences:`.
 */
const REVERSE_DOMAIN = /^(?:[a-z]{2,}|xn--[a-z0-9-]+)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+:/;

/** Whether the scheme of a redirect URI is the name of a domain, written backwards. */
export const hasReverseDomain = (uri: string): boolean => REVERSE_DOMAIN.test(uri);

/**
 * Whether a redirect URI is one of those that a client has. Compares the texts, except that the port of a loopback URI may be any: programs
 * on a computer listen on a port that is free (RFC 8252, section 7.3).
 */
export function hasRedirect(listed: readonly string[], uri: string): boolean {
  if (listed.includes(uri)) return true;
  if (redirectKind(uri) !== "loopback") return false;
  return listed.some((each) => redirectKind(each) === "loopback" && withoutPort(each) === withoutPort(uri));
}

/** Returns the part of a redirect URI that says where it leads: the host with its port, or the scheme of an application with its colon. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : protocol;
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

/**
 * Whether a redirect URI leads to this service, whose canvases would see the code: to its host, to the host of a canvas, or to its port on
 * the person's own computer.
 */
export function leadsToService(
  uri: string,
  base: { origin: string; hostname: string; urlMode: "path" | "subdomain" },
): boolean {
  const url = new URL(uri);
  if (LOOPBACK_HOSTS.includes(url.hostname) && url.protocol === "http:")
    return portOf(url) === portOf(new URL(base.origin));
  if (url.protocol !== "https:") return false;
  return (
    url.hostname === base.hostname ||
    (base.urlMode === "subdomain" && url.hostname.endsWith(`.${base.hostname}`))
  );
}
