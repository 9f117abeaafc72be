import type { IncomingHttpHeaders } from "node:http";

/**
 * Returns the host of a request with its port, in lower case; empty without a `Host` header. The default port of the scheme, which
 * some proxies add, is removed.
 */
export function hostOf({ host = "" }: IncomingHttpHeaders, base: { host: string; secure: boolean }): string {
  if (host === base.host) return host;
  const [, name, port] = /^([^:[]+|\[[^\]]*\]):(\d+)$/.exec(host.toLowerCase()) ?? [];
  return name !== undefined && port === (base.secure ? "443" : "80") ? name : host.toLowerCase();
}
