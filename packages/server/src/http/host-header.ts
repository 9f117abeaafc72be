import type { IncomingHttpHeaders } from "node:http";

/**
 * Returns the `Host` header of a request in lower case, or an empty text if there is none. Removes the port if it is the default of the
 * scheme, because some proxies add it.
 */
export function hostOf({ host = "" }: IncomingHttpHeaders, base: { host: string; secure: boolean }): string {
  if (host === base.host) return host;
  const [, name, port] = /^([^:[]+|\[[^\]]*\]):(\d+)$/.exec(host.toLowerCase()) ?? [];
  return name !== undefined && port === (base.secure ? "443" : "80") ? name : host.toLowerCase();
}
