import { isIP } from "node:net";
import type { Base } from "../../config/addresses.ts";
import { isLoopback } from "../../config/config.ts";

/** Matches `https://`, a host name in ASCII and an optional port. Does not match a URL with credentials, a path, a query or a fragment. */
const ORIGIN = /^https:\/\/[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?\/?$/i;

/**
 * Parses the origin of a profile and returns it in its normal form, such as `https://api.example.com`. Returns null unless it has https and
 * a host name. IP addresses are refused in every notation, such as `127.0.0.1` and `0x7f.1`.
 */
export function parseOrigin(text: string): string | null {
  if (!ORIGIN.test(text)) return null;
  const url = URL.parse(text);
  return url === null || url.hostname.length > 253 || isIP(url.hostname) !== 0 ? null : url.origin;
}

/**
 * Whether an origin names the service itself: its host with any port, or the host of a canvas. A loopback host names the service only with
 * the port of the service, because other services of a developer have the same host.
 */
export function isOwnOrigin(origin: string, base: Base): boolean {
  const { host, hostname } = new URL(origin);
  if (isLoopback(base.hostname)) return host === base.host || base.labelOf(host) !== null;
  const isCanvas = base.urlMode === "subdomain" && hostname.endsWith(`.${base.hostname}`);
  return hostname === base.hostname || isCanvas;
}
