import type { IncomingHttpHeaders } from "node:http";

/**
 * The host that a request is for, with its port, in lower case; empty when it names none. As in a URL, the port that the
 * scheme has anyway is left out: some proxies name it.
 */
export function hostOf({ host = "" }: IncomingHttpHeaders, base: { host: string; secure: boolean }): string {
  if (host === base.host) return host;
  const [, name, port] = /^([^:[]+|\[[^\]]*\]):(\d+)$/.exec(host.toLowerCase()) ?? [];
  return name !== undefined && port === (base.secure ? "443" : "80") ? name : host.toLowerCase();
}
